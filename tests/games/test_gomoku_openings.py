"""How gomoku begins: on the centre, or by swap2, where players choose their colours."""

import random
from itertools import product

import numpy as np
import pytest

from ludens import load_game
from ludens.errors import IllegalAction, UserError
from ludens.formats.words import ending
from ludens.state import State

SWAP2 = "gomoku:size=5,row=4,opening=swap2"
CHOICES = ("stay", "swap", "more")


def played(moves: str, spec: str = SWAP2) -> State:
    state = load_game(spec, compiled=False).new()
    state.apply_moves(moves)
    return state


def legal(state: State) -> list[str]:
    return [state.action_name(action) for action in state.legal_actions()]


# On the centre


@pytest.mark.parametrize(("size", "middle"), [(5, "c3"), (9, "e5"), (6, "c3 d3 c4 d4")])
@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_the_first_stone_goes_on_the_centre(size: int, middle: str, rule: str) -> None:
    state = played("", f"gomoku:size={size},rule={rule},opening=centre")
    assert legal(state) == middle.split()
    with pytest.raises(IllegalAction, match="the first stone goes on the centre"):
        state.apply("a1")
    assert state.foul_actions() == []  # it is refused, not lost
    state.apply(middle.split()[0])
    assert len(legal(state)) == size * size - 1
    assert state.game.num_actions == size * size


# By swap2


def whose_turn(moves: list[str]) -> tuple[int, int | None]:
    """Read the rule literally: who is next, and the colour to put, None to choose."""
    chosen = [move for move in moves if move in CHOICES]
    stones = len(moves) - len(chosen)
    if chosen and chosen[-1] != "more":
        black = 0 if chosen[-1] == "stay" else 1
        return (1 - black, 1) if stones % 2 else (black, 0)
    if stones < 3:
        return 0, stones % 2
    if not chosen:
        return 1, None
    return (1, stones % 2) if stones < 5 else (0, None)


def has_four(stones: set[tuple[int, int]]) -> bool:
    ways = ((0, 1), (1, 0), (1, 1), (1, -1))
    return any(
        all((r + k * dr, c + k * dc) in stones for k in range(4))
        for (r, c), (dr, dc) in product(stones, ways)
    )


def play_beside_the_literal_reading(state: State, rng: random.Random) -> list[str]:
    """Play a random game; compare each step with the literal reading."""
    moves: list[str] = []
    stones: tuple[set[tuple[int, int]], ...] = (set(), set())
    while not state.is_over:
        player, colour = whose_turn(moves)
        assert state.to_play == player
        empty = 25 - len(stones[0]) - len(stones[1])
        num_choices = 2 if "more" in moves else 3
        names = legal(state)
        assert len(names) == (num_choices if colour is None else empty)
        moves.append(rng.choice(names))
        action = state.read_action(moves[-1])
        state.apply(action)
        if colour is None:
            assert moves[-1] in CHOICES
            continue
        stones[colour].add(divmod(action, 5))
        has_won = has_four(stones[colour])
        assert state.is_over == (has_won or empty == 1)
        assert not has_won or state.result == 1 - 2 * player
    return moves


@pytest.fixture(scope="module")
def compiled() -> State:
    return load_game(SWAP2).new()


@pytest.mark.parametrize("is_compiled", [False, True])
def test_turns_and_results_are_as_a_literal_reading_says(
    is_compiled: bool, compiled: State
) -> None:
    state = compiled if is_compiled else played("")
    rng = random.Random(3)
    ends = set()
    for _ in range(40):
        state.reset(0)
        moves = play_beside_the_literal_reading(state, rng)
        ends.add((tuple(m for m in moves if m in CHOICES), state.result))
    assert len(ends) > 8  # all four ways through the choices, with several results


def test_compiled_and_plain_rules_are_the_same(compiled: State) -> None:
    plain, rng = played(""), random.Random(4)
    for symmetry in range(8):
        compiled.reset(0)
        plain.reset(0)
        while not plain.is_over:
            assert compiled.raw.tobytes() == plain.raw.tobytes()
            assert (compiled.observe() == plain.observe()).all()
            action = rng.choice(plain.legal_actions())
            image = compiled.transformed(symmetry)
            image.apply(int(compiled.game.rules.transform_action(action, symmetry)))
            compiled.apply(action)
            plain.apply(action)
            turned = compiled.transformed(symmetry)
            assert image.raw.tobytes() == turned.raw.tobytes()
        assert (compiled.targets() == plain.targets()).all()


def test_the_second_player_stays_swaps_or_puts_two_more() -> None:
    state = played("a1 b2 c3")
    assert (state.to_play, legal(state)) == (1, ["stay", "swap", "more"])
    assert played("a1 b2 c3 stay").to_play == 1
    assert played("a1 b2 c3 swap").to_play == 0
    again = played("a1 b2 c3 more d4 e5")
    assert (again.to_play, legal(again)) == (0, ["stay", "swap"])
    assert played("a1 b2 c3 more d4 e5 stay").to_play == 1
    assert played("a1 b2 c3 more d4 e5 swap").to_play == 0


@pytest.mark.parametrize(
    ("moves", "result", "winner"),
    [
        ("a1 a5 c1 stay e4 b1 e3 d1", 1.0, "ann"),
        ("a1 a5 c1 swap e4 b1 e3 d1", -1.0, "bob"),
        ("a1 a5 c1 more e5 a3 stay e4 b1 e2 d1", 1.0, "ann"),
        ("a1 a5 c1 more e5 a3 swap e4 b1 e2 d1", -1.0, "bob"),
    ],
)
def test_the_result_is_by_player_whoever_has_black(
    moves: str, result: float, winner: str
) -> None:
    state = played(moves)
    assert state.result == result
    assert ending(state, ("ann", "bob")).lower().startswith(winner)
    owner = state.targets()[0]
    assert owner[0, 0] == result  # the winner's stone, which is black
    assert state.observe()[0].sum() == (state.raw.board == result).sum()


@pytest.mark.parametrize(
    ("moves", "word", "why"),
    [
        ("", "swap", "there is nothing to choose"),
        ("a1 b2 c3", "d4", "a colour is to be chosen first"),
        ("a1 b2 c3 more d4 e5", "more", "a colour is to be chosen first"),
        ("a1 b2 c3 stay", "a1", "the point is taken"),
        ("a1 b2 c3 stay", "stay", "there is nothing to choose"),
    ],
)
def test_what_is_not_legal_is_explained(moves: str, word: str, why: str) -> None:
    with pytest.raises(IllegalAction, match=rf"{word} is not legal here \({why}\)"):
        played(moves).apply(word)


def test_planes_tell_the_phases_apart() -> None:
    game = played("").game
    for moves, seen in (
        ("", ["black to move", "the first three stones"]),
        ("a1", ["opponent's stones", "the first three stones"]),
        ("a1 b2 c3 more", ["own stones", "opponent's stones", "two more stones"]),
    ):
        planes = played(moves).observe()
        assert [game.plain.PLANES[i] for i in range(7) if planes[i].any()] == seen
    for choice in CHOICES[:2]:
        planes = played(f"a1 b2 c3 {choice}").observe()  # white is next, whoever it is
        assert planes[:7].sum(axis=(1, 2)).tolist() == [1, 2, 0, 0, 0, 0, 0]


def test_renju_judges_black_whoever_has_it() -> None:
    spec = "gomoku:size=8,rule=renju,opening=swap2"
    threes = "b4 a8 c4 {} a7 d2 a6 d3 h8"
    for choice, black in (("stay", 0), ("swap", 1)):
        state = played(threes.format(choice), spec)
        assert state.to_play == black
        assert [state.action_name(a) for a in state.foul_actions()] == ["d4"]
        assert "d4" not in legal(state)
        assert state.look()["forbidden"] == ["d4"]
        state.apply_step(state.read_action("d4"))
        assert state.result == (-1 if black == 0 else 1)


def test_history_planes_go_by_colour() -> None:
    spec = f"{SWAP2},history=1"
    for choice in CHOICES[:2]:
        planes = played(f"a1 b2 c3 {choice} d4", spec).observe()
        own, other = ({*zip(*np.nonzero(plane), strict=True)} for plane in planes[3:5])
        assert own == {(0, 0)}  # black without c3, its last stone
        assert other == {(1, 1)}


def test_edits_name_stones_by_their_players() -> None:
    for choice, mark in (("stay", 1), ("swap", -1)):
        state = played(f"a1 b2 c3 {choice}")
        state.edit("set e5 first")
        assert state.raw.board[24] == mark
        state.edit("to_play second")
        assert state.to_play == 1
        for cell in ("b5", "c5", "d5"):
            state.edit(f"set {cell} first")
        assert state.result == 1


def test_an_edit_leaves_the_rest_of_the_opening_out() -> None:
    state = played("a1 b2")
    state.edit("set e5 first")
    assert len(legal(state)) == 22
    state.apply("e4")
    assert state.to_play == 1


def test_the_board_says_who_has_which_colour() -> None:
    assert str(played("a1")).endswith("\nfirst player: a white stone, 2 to put")
    assert "stay (play white), swap (play black), more" in str(played("a1 b2 c3"))
    state = played("a1 b2 c3 swap")
    assert str(state).endswith("\nfirst player: white, second player: black")
    assert state.look()["colours"] == "first player: white, second player: black"
    assert state.game.plain.colours(state.raw) == (1, 0)


def test_choices_are_shapes_beside_the_board() -> None:
    shapes = {shape.choice: shape for shape in played("a1 b2 c3").scene()}
    assert shapes["swap"].label == "swap: play black"
    assert shapes["more"].part == "choices/more"
    assert not set(CHOICES) & {shape.choice for shape in played("a1").scene()}


def test_a_row_that_the_opening_would_complete_is_refused() -> None:
    with pytest.raises(UserError, match="row cannot be 3: swap2 would put a whole row"):
        load_game("gomoku:row=3,opening=swap2")
