"""Gomoku: every rule at hand-worked positions, the judge against a second referee."""

import random
from typing import Any

import numpy as np
import pytest
from renju.check_forbid import get_foul_type

from ludens import load_game
from ludens.agents import make_agent
from ludens.errors import IllegalAction, UserError
from ludens.game import OVER
from ludens.state import State

RENJU = "gomoku:size=8,rule=renju,history=2"  # its legal moves take 2 s to compile
SLOW = pytest.mark.slow
STONES = {"X": 1, "O": -1, ".": 0, "*": 0}


def position(text: str, rule: str, to_play: int = 0, **options: Any) -> State:
    """Return the state drawn as text; the board is as large as the drawing."""
    rows = [line.split() for line in text.strip().splitlines()]
    size = max(len(rows), max(map(len, rows)))
    chosen = {"size": size, "rule": rule, **options}
    game = load_game("gomoku", options=chosen, compiled=False)
    state = game.new()
    board = state.raw.board.reshape(size, size)
    for r, row in enumerate(rows):
        board[r, : len(row)] = [STONES[mark] for mark in row]
    state.raw.ply = np.count_nonzero(board)
    state.raw.to_play = to_play
    return state


def star(text: str) -> int:
    """Return the action on the point drawn as a star."""
    rows = [line.split() for line in text.strip().splitlines()]
    size = max(len(rows), max(map(len, rows)))
    (cell,) = [
        r * size + c
        for r, row in enumerate(rows)
        for c, m in enumerate(row)
        if m == "*"
    ]
    return cell


def play_star(text: str, rule: str, to_play: int = 0, **options: Any) -> State:
    """Play on the star and return the state."""
    state = position(text, rule, to_play, **options)
    state.apply(star(text))
    return state


def is_foul(text: str) -> bool:
    """Return whether the star is forbidden for black; legal and foul must agree."""
    state = position(text, "renju")
    before = state.raw.tobytes()
    legal = star(text) in state.legal_actions()
    assert state.raw.tobytes() == before
    assert state.game.rules.foul(state.raw, star(text)) is not legal
    if legal:
        assert state.raw.tobytes() == before
    else:
        assert state.result == -1
    return not legal


def row_of(line: str) -> str:
    """Draw one line in the middle of an empty board of 11."""
    empty = " ".join("." * 11)
    middle = " ".join(line.ljust(11, "."))
    return "\n".join([empty] * 5 + [middle] + [empty] * 5)


# Which rows win


@pytest.mark.parametrize(
    ("line", "winners"),
    [
        ("...XX*XX", "freestyle standard renju caro"),
        ("...XX*X", ""),
        ("..XXX*XX", "freestyle"),
        ("..XX*XXXX", "freestyle"),
        (".OXX*XX.", "freestyle standard renju caro"),
        (".OXX*XXO", "freestyle standard renju"),
        (".O.XX*XXO", "freestyle standard renju caro"),
        ("XX*XXO", "freestyle standard renju caro"),
        ("......XX*XX", "freestyle standard renju caro"),
        (".....OXX*XX", "freestyle standard renju caro"),
    ],
)
@pytest.mark.parametrize("to_play", [0, 1])
def test_rows_that_win(line: str, winners: str, to_play: int) -> None:
    if to_play == 1:
        line = line.translate(str.maketrans("XO", "OX"))
    for rule in ("freestyle", "standard", "renju", "caro"):
        expected = rule in winners.split()
        if rule == "renju" and "freestyle" in winners:
            if to_play == 1:
                expected = True  # white wins with six and more
            elif not expected:
                assert is_foul(row_of(line))
                continue
        state = play_star(row_of(line), rule, to_play)
        assert state.is_over == expected
        assert state.result == ((1 - 2 * to_play) if expected else None)


@pytest.mark.parametrize("turn", range(8))
def test_rows_win_in_every_direction_up_to_the_edge(turn: int) -> None:
    diagonal = """
        * . . . .
        . X . . .
        . . X . .
        . . . X .
        . . . . X"""
    column = """
        . . . . X
        . . . . X
        . . . . *
        . . . . X
        . . . . X"""
    for text in (diagonal, column):
        state = position(text, "standard").transformed(turn)
        state.apply(int(state.game.rules.transform_action(star(text), turn)))
        assert state.result == 1


def test_a_row_does_not_continue_on_the_next_line() -> None:
    state = play_star(
        """
        . . . X X X
        X * . . . .
        . . . . . .
        . . . . . .
        . . . . . .
        . . . . . .""",
        "freestyle",
    )
    assert not state.is_over


def test_row_sets_the_length_for_freestyle_and_standard() -> None:
    assert play_star(row_of("X*X"), "freestyle", row=3).result == 1
    assert play_star(row_of("X*XX"), "freestyle", row=3).result == 1
    assert not play_star(row_of("X*XX"), "standard", row=3).is_over
    assert not play_star(row_of("XX*XX"), "standard", row=6).is_over
    assert play_star(row_of("XX*XXX"), "standard", row=6).result == 1


@pytest.mark.parametrize("rule", ["renju", "caro"])
def test_row_is_refused_where_it_means_nothing(rule: str) -> None:
    with pytest.raises(UserError, match=f"row cannot be 4: in {rule} it is 5"):
        load_game(f"gomoku:row=4,rule={rule}")
    with pytest.raises(UserError, match="row cannot be 6 on a board of size 5"):
        load_game("gomoku:size=5,row=6")


def test_a_full_board_is_a_draw() -> None:
    text = """
        X X O O X
        O O X X O
        X X O O X
        O O X X O
        X X O O *"""
    state = play_star(text, "freestyle")
    assert state.is_over
    assert state.result == 0
    assert state.raw.to_play == OVER


# Renju's forbidden points


def test_five_beats_an_overline_on_another_line() -> None:
    text = """
        . . . X . . . . .
        . . . X . . . . .
        . . . X . . . . .
        . . . X . . . . .
        X X X * X X . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . ."""
    assert not is_foul(text)
    assert play_star(text, "renju").result == 1


def test_five_beats_a_double_four() -> None:
    text = """
        . . . X . . . . .
        . X . X . X . . .
        . . X X X . . . .
        . . . . . . . . .
        X X X * X . . . .
        . . X X X . . . .
        . X . . . X . . .
        . . . . . . . . .
        . . . . . . . . ."""
    assert not is_foul(text)
    assert play_star(text, "renju").result == 1


@pytest.mark.parametrize(
    "line",
    ["XXX*XX", "XXXXX*", "XXX*XXX", ".XXXX*XXXX", "*XXXXX", "OXXXXX*O", "OX*XXXXO"],
)
def test_an_overline_is_forbidden(line: str) -> None:
    assert is_foul(row_of(line))


@pytest.mark.parametrize(
    "line",
    [
        "..X.*XX.X", "..X.X*X.X", "..X.XX*.X",
        "..XX.*X.XX", "..XX.X*.XX",
        "..XXX.*.XXX", "XXX.*.XXX",
        "O.X.X*X.XO", "OXX.*X.XXO",
    ],
)  # fmt: skip
def test_two_fours_on_one_line_are_forbidden(line: str) -> None:
    assert is_foul(row_of(line))


@pytest.mark.parametrize(
    "line",
    [
        # The new stone takes part in one of the two fours only.
        "..*.XXX.X", "..X*.XX.XX", "..*X.XX.XX", "..XX*.X.XXX", "..*XX.X.XXX",
        # A fifth point is taken, or makes six.
        "..XOX*X.X", "..X.X*XOX", ".XX.X*X.X.", "XXX.X*.XX",
    ],
)  # fmt: skip
def test_one_four_on_a_line_is_legal(line: str) -> None:
    assert not is_foul(row_of(line))


@pytest.mark.parametrize("line", ["...XX*X", "...*XXX", "..OXX*X", "OXX*X."])
def test_a_straight_four_counts_once(line: str) -> None:
    assert not is_foul(row_of(line))


CROSS_OF_FOURS = """
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    . {} X X * X {} . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . ."""


@pytest.mark.parametrize(
    ("ends", "foul"), [("..", True), ("O.", True), (".O", True), ("OO", False)]
)
def test_fours_on_two_lines_are_forbidden(ends: str, foul: bool) -> None:
    # The column is a four (open above and below); the row is one if an end is open.
    assert is_foul(CROSS_OF_FOURS.format(*ends)) is foul


def test_a_four_and_a_three_are_legal() -> None:
    assert not is_foul("""
        . . . . . . . . .
        . . . . . . . . .
        . . . . X . . . .
        . . . . X . . . .
        . O X X * X . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .""")


CROSS_OF_THREES = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . X . . . . .
    . . . . . X . . . . .
    {}
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . ."""


@pytest.mark.parametrize(
    ("line", "foul"),
    [
        ("...XX*.....", True),
        ("....X*X....", True),
        (".....*XX...", True),
        ("..XX.*.....", True),
        ("...X.*X....", True),
        ("..O.X*X....", True),
        ("..O.X*X.O..", False),  # room for five points only: no straight four
        ("...OX*X....", False),
        ("...XX*O....", False),
        (".X..X*X..X.", False),  # either straight four would become six at one end
        (".X..X*X....", True),
        ("..XX.*X....", False),  # that is a four
        ("..X..*X....", False),
    ],
)
def test_threes_on_two_lines_are_forbidden(line: str, foul: bool) -> None:
    assert is_foul(CROSS_OF_THREES.format(" ".join(line))) is foul


def test_a_three_against_the_edge_is_none() -> None:
    text = """
        . . . . . . . . .
        . . . . . . . . .
        X . . . . . . . .
        X . . . . . . . .
        * X X . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . ."""
    assert not is_foul(text)


# The row X X . * needs the point between; the column above and below that point decides
# whether black may play there.
HINGED_THREES = """
    . . . . . . . . . . .
    . . . . {} . . . . . .
    . . . . {} . . . . . .
    . . . . {} X . . . . .
    . . . . {} X . . . . .
    . . X X . * . . . . .
    . . . . {} . . . . . .
    . . . . {} . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . ."""


@pytest.mark.parametrize(
    ("column", "foul", "why"),
    [
        ("....O.", True, "nothing keeps black from the straight four"),
        (".XXXXX", False, "the hinge would be an overline"),
        ("..XXXX", False, "the hinge would be a five, not a four"),
        ("OOXXOO", True, "the hinge would add nothing to its column"),
        (".XXXO.", False, "the hinge would be a double four"),
        ("..XXO.", True, "the hinge would be a four and no three"),
    ],
)
def test_a_three_counts_only_if_black_may_complete_it(
    column: str, foul: bool, why: str
) -> None:
    assert is_foul(HINGED_THREES.format(*column)) is foul, why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CROSS_OF_THREES.format(" ".join("...XX*.....")), "a double three"),
        (CROSS_OF_FOURS.format(*".."), "a double four"),
        (row_of("XXX*XX"), "a row of six or more"),
    ],
)
def test_a_foul_is_called_by_its_name(text: str, why: str) -> None:
    assert position(text, "renju").why_illegal(star(text)) == f"forbidden: {why}"


def test_white_knows_no_fouls_and_wins_with_six() -> None:
    text = row_of("OOO*OO")
    assert play_star(text, "renju", to_play=1).result == -1
    state = position(row_of("..OO.*.OO"), "renju", to_play=1)
    assert len(state.legal_actions()) == 121 - 4
    double_three = CROSS_OF_THREES.format(" ".join("...XX*....."))
    state = position(double_three, "renju", to_play=1)
    assert star(double_three) in state.legal_actions()
    assert not state.game.rules.foul(state.raw, star(double_three))
    assert not state.game.rules.foul(state.raw, star(double_three) - 1)


def test_a_foul_is_refused_but_loses_where_records_have_it() -> None:
    text = row_of("XXX*XX")
    state = position(text, "renju")
    with pytest.raises(IllegalAction, match="d6 is not legal here"):
        state.apply("d6")
    state.apply("d6", allow_foul=True)
    assert state.is_over
    assert state.result == -1
    assert state.raw.board[star(text)] == 1


@pytest.mark.parametrize("rule", ["freestyle", "standard", "caro"])
def test_only_renju_has_fouls(rule: str) -> None:
    state = position(CROSS_OF_THREES.format(" ".join("...XX*.....")), rule)
    assert len(state.legal_actions()) == 121 - 4
    assert not state.game.rules.foul(state.raw, state.read_action("f6"))


def test_black_without_a_legal_point_is_a_draw() -> None:
    text = """
        X X X . X X X
        O O X O X O O
        X X O O X X O
        O O X X O O X
        X X O O X X O
        O O X X O O X
        X X O O X X *"""
    state = position(text, "renju", to_play=1)
    state.apply(star(text))
    assert state.is_over
    assert state.result == 0
    assert state.raw.board[3] == 0


def clustered(rng: random.Random, size: int) -> np.ndarray:
    """Return a board with stones crowded in one part, more of them black."""
    board = np.zeros((size, size), np.int8)
    side = rng.randint(6, min(9, size))
    top, left = rng.randint(0, size - side), rng.randint(0, size - side)
    black, white = rng.uniform(0.15, 0.5), rng.uniform(0.02, 0.25)
    for r in range(top, top + side):
        for c in range(left, left + side):
            x = rng.random()
            board[r, c] = 1 if x < black else -1 if x < black + white else 0
    return board


@pytest.mark.parametrize("spec", [RENJU, pytest.param("gomoku:rule=renju", marks=SLOW)])
def test_forbidden_points_agree_with_another_referee(spec: str) -> None:
    rng = random.Random(5)
    state = load_game(spec).new()
    size = int(state.game.options["size"])
    kinds = [0, 0, 0, 0]
    for _ in range(100):
        board = clustered(rng, size)
        state.raw.board[:] = board.reshape(-1)
        theirs = [[int(v) % 3 for v in row] for row in board]
        legal = set(state.legal_actions())
        near = {
            (r + dr, c + dc)
            for r, c in zip(*np.nonzero(board == 1), strict=True)
            for dr in range(-2, 3)
            for dc in range(-2, 3)
        }
        for r, c in sorted(near):
            if 0 <= r < size and 0 <= c < size and board[r, c] == 0:
                kind = get_foul_type(theirs, int(r), int(c))
                assert (r * size + c in legal) == (kind == 0), (board, r, c)
                kinds[kind] += 1
    assert min(kinds) > 20


@pytest.mark.parametrize(
    ("size", "compiled"),
    [
        (9, False),
        pytest.param(15, True, marks=SLOW),
        pytest.param(20, True, marks=SLOW),
    ],
)
def test_every_empty_point_is_either_legal_or_a_foul(size: int, compiled: bool) -> None:
    rng = random.Random(6)
    state = load_game(f"gomoku:size={size},rule=renju", compiled=compiled).new()
    fouls = 0
    for _ in range(40):
        state.raw.board[:] = clustered(rng, size).reshape(-1)
        legal = set(state.legal_actions())
        for cell in np.flatnonzero(state.raw.board == 0):
            twin = state.copy()
            is_lost = bool(state.game.rules.foul(twin.raw, int(cell)))
            assert is_lost is (int(cell) not in legal)
            assert is_lost or twin.raw.tobytes() == state.raw.tobytes()
            fouls += is_lost
    assert fouls > 50


# Everything else


def test_history_planes_step_back_in_time() -> None:
    game = load_game("gomoku:size=5,history=2,threats=false", compiled=False)
    state = game.new()
    for move in ("a1", "b2", "c3", "d4", "e5"):
        state.apply(move)
    seen = {
        name: {
            state.action_name(int(cell)) for cell in np.flatnonzero(plane.reshape(-1))
        }
        for name, plane in zip(game.plain.PLANES, state.observe(), strict=True)
    }
    assert seen == {
        "own stones": {"b2", "d4"},
        "opponent's stones": {"a1", "c3", "e5"},
        "black to move": set(),
        "own stones 1 move back": {"b2"},
        "own stones 2 moves back": set(),
        "opponent's stones 1 move back": {"a1", "c3"},
        "opponent's stones 2 moves back": {"a1"},
    }


def test_observation_is_for_the_player_to_move() -> None:
    state = load_game("gomoku:size=5,threats=false", compiled=False).new()
    assert state.observe()[2].all()
    state.apply("b1")
    planes = state.observe()
    assert planes.shape == (3, 5, 5)
    assert np.argwhere(planes).tolist() == [[1, 0, 1]]


def test_order_of_moves_matters_to_the_bytes_only_with_history() -> None:
    for history, same in ((0, True), (1, False)):
        game = load_game(f"gomoku:size=5,history={history}", compiled=False)
        one, two = game.new(), game.new()
        for a, b in zip(("a1", "b2", "c3"), ("c3", "b2", "a1"), strict=True):
            one.apply(a)
            two.apply(b)
        assert (one.raw.tobytes() == two.raw.tobytes()) is same


@pytest.mark.parametrize("spec", ["gomoku:size=7", RENJU])
def test_symmetries_commute_with_play(spec: str) -> None:
    game = load_game(spec)
    rng = random.Random(2)
    for _ in range(6):
        for symmetry in range(8):
            state = game.new()
            while not state.is_over:
                image = state.transformed(symmetry)
                action = rng.choice(state.legal_actions())
                turned = int(game.rules.transform_action(action, symmetry))
                assert turned in image.legal_actions()
                assert len(image.legal_actions()) == len(state.legal_actions())
                state.apply(action)
                image.apply(turned)
                assert image.raw.tobytes() == state.transformed(symmetry).raw.tobytes()


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("gomoku:size=7", marks=SLOW),
        RENJU,
        pytest.param("gomoku:size=7,rule=caro", marks=SLOW),
    ],
)
def test_compiled_and_plain_rules_are_the_same(spec: str) -> None:
    compiled, plain = load_game(spec), load_game(spec, compiled=False)
    rng = random.Random(1)
    for _ in range(4):
        one, two = compiled.new(), plain.new()
        while not one.is_over:
            assert one.legal_actions() == two.legal_actions()
            assert candidates(one) == candidates(two)
            assert (one.observe() == two.observe()).all()
            action = rng.choice(one.legal_actions())
            one.apply(action)
            two.apply(action)
            assert one.raw.tobytes() == two.raw.tobytes()
        assert one.result == two.result
        assert (one.targets() == two.targets()).all()


def longest_through(
    board: dict[tuple[int, int], int], r: int, c: int
) -> list[list[Any]]:
    """Return for each line the run through a stone and what stands at its ends."""
    found = []
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run, ends = {(r, c)}, []
        for sign in (1, -1):
            y, x = r + sign * dr, c + sign * dc
            while board.get((y, x)) == board[r, c]:
                run.add((y, x))
                y, x = y + sign * dr, x + sign * dc
            ends.append(board.get((y, x)))
        found.append([len(run), ends])
    return found


@pytest.mark.parametrize(
    ("spec", "row"),
    [
        ("gomoku:size=5,row=4", 4),
        ("gomoku:size=7,rule=standard,row=4", 4),
        ("gomoku:size=7,rule=caro", 5),
    ],
)
def test_random_games_end_when_a_literal_reading_says(spec: str, row: int) -> None:
    game = load_game(spec, compiled=False)
    size, rule = int(game.options["size"]), game.options["rule"]
    rng = random.Random(4)
    for _ in range(60):
        state, stones = game.new(), {}
        while not state.is_over:
            action = rng.choice(state.legal_actions())
            mark = 1 - 2 * state.to_play
            stones[divmod(action, size)] = mark
            state.apply(action)
            lines = longest_through(stones, *divmod(action, size))
            if rule == "freestyle":
                won = any(length >= row for length, _ in lines)
            elif rule == "standard":
                won = any(length == row for length, _ in lines)
            else:
                won = any(n == row and ends != [-mark, -mark] for n, ends in lines)
            assert state.is_over == (won or len(stones) == size * size)
            assert not won or state.result == mark
        owner = state.targets()[0]
        assert {p: owner[p] for p in stones} == stones


def candidates(state: State) -> list[int]:
    actions = np.zeros(state.game.num_actions, np.int32)
    count = state.game.rules.candidates(state.raw, actions)
    return [int(action) for action in actions[:count]]


def solve(state: State, seen: dict[bytes, float]) -> float:
    """Return the value for the mover, where a win sooner and a loss later is better."""
    key = state.raw.tobytes()
    if key not in seen:
        seen[key] = max(after(state, a, seen) for a in state.legal_actions())
    return seen[key]


def after(state: State, action: int, seen: dict[bytes, float]) -> float:
    mark = 1 - 2 * state.to_play
    twin = state.copy()
    twin.apply(action)
    if twin.is_over:
        return 0.99 * mark * float(twin.result or 0)
    return -0.99 * solve(twin, seen)


def nearly_full(state: State, rng: random.Random, num_empty: int) -> None:
    """Fill the board at random but for a few points, with a crowd of each colour."""
    cells = state.game.num_actions
    share = rng.choice((0.4, 0.5, 0.6))
    state.raw.board[:] = [1 if rng.random() < share else -1 for _ in range(cells)]
    for cell in rng.sample(range(cells), num_empty):
        state.raw.board[cell] = 0
    state.raw.to_play = rng.randint(0, 1)
    state.raw.ply = cells - num_empty


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("gomoku:size=5,row=4", marks=SLOW),
        pytest.param("gomoku:size=7,rule=standard,row=4", marks=SLOW),
        RENJU,
        "gomoku:size=7,rule=caro",
    ],
)
def test_a_best_move_is_among_the_candidates(spec: str) -> None:
    state = load_game(spec).new()
    rng = random.Random(8)
    narrowed = 0
    for _ in range(120):
        nearly_full(state, rng, 5)
        legal = state.legal_actions()
        if not legal:
            continue
        chosen = candidates(state)
        assert set(chosen) <= set(legal)
        assert len(set(chosen)) == len(chosen)
        seen: dict[bytes, float] = {}
        best = max(after(state, action, seen) for action in legal)
        assert max(after(state, action, seen) for action in chosen) == best
        narrowed += len(chosen) < len(legal)
    assert narrowed > 20


def test_candidates_are_a_win_a_block_or_all_moves_near_stones_first() -> None:
    win = position(row_of(".XXXX.OOOO"), "freestyle", to_play=1)
    assert [win.action_name(a) for a in candidates(win)] == ["f6"]
    block = position(row_of("OXXXX."), "freestyle", to_play=1)
    assert [block.action_name(a) for a in candidates(block)] == ["f6"]
    lost = position(row_of(".XXXX."), "freestyle", to_play=1)
    assert len(candidates(lost)) == 1
    quiet = position(row_of("..XO"), "freestyle")
    names = [quiet.action_name(a) for a in candidates(quiet)]
    assert set(names[:10]) == {f"{c}{r}" for c in "bcde" for r in (5, 6, 7)} - {
        "c6",
        "d6",
    }
    assert len(names) == 119


def test_a_forbidden_point_does_not_block() -> None:
    # White wins on the star next; for black it is an overline.
    text = """
        . . . O . . . . .
        . . . O . . . . .
        . . . O . . . . .
        . . . O . . . . .
        X X X * X X . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . ."""
    state = position(text, "renju")
    (only,) = candidates(state)
    assert only != star(text)
    assert only in state.legal_actions()


def likely(state: State, *last: int) -> set[str]:
    """Return the names of what is likely, after two actions if they are known."""
    actions = np.zeros(state.game.num_actions, np.int32)
    before, after = last or (-1, -1)
    count = state.game.plain.likely(state.raw, before, after, actions)
    return {state.action_name(int(action)) for action in actions[:count]}


THREATS = [
    # Five in a row comes before all else, then the points that stop it.
    ("X X X X . . O O O O . . .", 0, {"e1"}),
    ("X X X X . . O O O O . . .", 1, {"k1"}),
    ("X X . X X . . . . . . . .", 1, {"c1"}),
    (". X X X X . . . . . . . .", 1, {"a1", "f1"}),
    # A four with open ends, else what stops one; a stone beyond it does not.
    (". . X X X . . . . . . . .", 0, {"f1"}),
    (". . X X X . . . . . . . .", 1, {"b1", "f1"}),
    (". X . X X . . . . . . . .", 1, {"a1", "c1", "f1"}),
]


@pytest.mark.parametrize(("row", "to_play", "expected"), THREATS)
def test_likely_are_fives_and_open_fours(
    row: str, to_play: int, expected: set[str]
) -> None:
    assert likely(position(row, "freestyle", to_play)) == expected


def test_without_threats_points_near_stones_are_likely() -> None:
    state = position(". . X X O\n. . . . .\n. . . . .\n" * 2, "freestyle")
    near = likely(state)
    assert {"a1", "b1", "b2", "c3", "e6"} <= near
    assert near < {state.action_name(action) for action in state.legal_actions()}


def test_rollouts_look_only_at_what_the_last_two_moves_brought() -> None:
    state = position("X X X . . . O O O . . . .", "freestyle", 0)
    e4 = 3 * 13 + 4
    assert likely(state, 0, e4) == set()
    assert "d1" not in likely(state, 1, e4)  # the edge closes the row
    assert likely(state, 0, 7) == {"f1", "j1"}


def test_what_is_likely_is_never_forbidden() -> None:
    state = load_game("gomoku:size=9,rule=renju", compiled=False).new()
    state.apply_moves("e4 a1 f4 i1 d5 a9 d6 i9")  # d4 would make two threes
    assert "d4" not in likely(state)


@SLOW
def test_a_search_stops_an_open_three() -> None:
    game = load_game("gomoku")
    state = game.new(seed=1)
    state.apply_moves("g8 a1 h8 o15 i8")
    agent = make_agent("mcts:sims=100", game, 1)
    assert state.action_name(agent.choose(state.copy())) in {"f8", "j8"}


def test_notation_drawing_and_scene() -> None:
    state = load_game("gomoku:size=20", compiled=False).new()
    state.apply("t20")
    state.apply("A1")
    lines = str(state).splitlines()
    assert lines[0].split()[-1] == "t"
    assert lines[1].split() == ["1", "O", *["."] * 19]
    assert lines[20].split() == ["20", *["."] * 19, "X"]
    shapes = state.scene()
    assert [s.choice for s in shapes if s.choice][:2] == ["a1", "b1"]
    discs = [(s.points, s.owner) for s in shapes if s.kind == "disc"]
    assert discs == [(((0.5, 0.5),), 1), (((19.5, 19.5),), 0)]


@pytest.mark.parametrize(("rule", "rings"), [("freestyle", 6), ("standard", 0)])
def test_the_row_that_won_has_rings(rule: str, rings: int) -> None:
    state = load_game(f"gomoku:size=9,rule={rule}", compiled=False).new()
    state.apply_moves("a1 a9 b1 b9 c1 c9 e1 f9 f1 g9 d1")
    won = [shape for shape in state.scene() if shape.role == "won"]
    assert len(won) == rings
