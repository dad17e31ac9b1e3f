"""A game in progress and its record: what callers and files may do to them."""

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ludens.errors import IllegalAction, UserError
from ludens.formats.record import MAX_BYTES, Record, load_record, save_record
from ludens.loading.game import Game, game_files, load_game
from ludens.state import State


@pytest.fixture(scope="module")
def tic_tac_toe() -> Game:
    return load_game("tic_tac_toe", compiled=False)


@pytest.fixture(scope="module")
def triangle() -> Game:
    return load_game("triangle", compiled=False)


@pytest.fixture(scope="module")
def renju() -> Game:
    return load_game("gomoku:size=9,rule=renju", compiled=False)


def play(state: State, moves: str) -> State:
    """Play moves in notation."""
    for move in moves.split():
        state.apply(move)
    return state


def play_first(state: State, count: int) -> State:
    """Play the first legal action so many times."""
    for _ in range(count):
        state.apply(state.legal_actions()[0])
    return state


def one_line(error: pytest.ExceptionInfo[UserError]) -> str:
    """Return the message, which must be one line."""
    message = str(error.value)
    assert "\n" not in message
    return message


class TestActions:
    def test_an_occupied_cell_is_refused_with_what_is_legal(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2 a1")
        with pytest.raises(IllegalAction) as error:
            state.apply("b2")
        assert one_line(error) == (
            "b2 is not legal here (the cell is taken);"
            " legal: b1, c1, a2, c2, a3, b3, c3"
        )
        assert state.history == [4, 0]

    @pytest.mark.parametrize("action", [-1, 9, 10**30])
    def test_a_number_out_of_range_is_refused(self, tic_tac_toe: Game, action: int):
        with pytest.raises(IllegalAction) as error:
            tic_tac_toe.new().apply(action)
        assert one_line(error) == (
            f"{action} is not an action; they go from 0 to 8"
        )  # fmt: skip

    def test_nothing_is_legal_after_the_end(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "a1 b1 a2 b2 a3")
        assert (state.is_over, state.result, state.legal_actions()) == (True, 1.0, [])
        with pytest.raises(IllegalAction, match="the game is over"):
            state.apply("c3")

    def test_there_is_no_result_before_the_end(self, tic_tac_toe: Game):
        assert tic_tac_toe.new().result is None

    def test_a_player_waits_for_chance(self, triangle: Game):
        state = State(triangle)
        assert state.is_chance
        with pytest.raises(IllegalAction, match="it is chance's turn"):
            state.apply(0)

    def test_notation_of_every_legal_action_is_read_back(self, triangle: Game):
        state = triangle.new(seed=5)
        for action in state.legal_actions():
            assert state.read_action(state.action_name(action)) == action

    def test_notation_may_be_in_capitals_and_have_spaces_around(
        self, tic_tac_toe: Game
    ):
        assert tic_tac_toe.new().read_action(" B2 ") == 4

    @pytest.mark.parametrize("text", ["", "d4", "b22", "é"])
    def test_a_word_that_is_no_move_is_answered_with_moves(
        self, tic_tac_toe: Game, text: str
    ):
        with pytest.raises(IllegalAction) as error:
            tic_tac_toe.new().apply(text)
        message = one_line(error)
        assert message.startswith(f"{text!r} is not a move of tic_tac_toe; ")
        assert "did you mean" in message or "a1, b1, c1, a2, b2" in message

    def test_moves_run_together_are_taken_apart(self):
        state = load_game("connect_four", compiled=False).new()
        state.apply_moves("3216 4,5")
        assert state.history == [2, 1, 0, 5, 3, 4]
        assert state.num_plies == 6

    def test_other_spellings_run_together_are_taken_apart_too(self):
        state = load_game("triple_triad", compiled=False).new(seed=1)
        state.apply_moves("1@a1")
        names = [state.action_name(action) for action in state.legal_actions()[:1]]
        state.apply_moves("".join(names))
        assert state.num_plies == 2

    def test_a_long_word_costs_no_more_tries_than_a_short_one(
        self, tic_tac_toe: Game, monkeypatch
    ):
        named: list[int] = []
        name = tic_tac_toe.plain.action_name

        def count(raw: np.record, action: int) -> str:
            named.append(action)
            return name(raw, action)

        monkeypatch.setattr(tic_tac_toe.plain, "action_name", count)
        counts = []
        for length in (100, 100_000):
            named.clear()
            with pytest.raises(IllegalAction) as error:
                tic_tac_toe.new().apply_moves("b2a1" + "x" * length)
            assert len(one_line(error)) < 150
            counts.append(len(named))
        assert counts[0] == counts[1] < 200


class TestFouls:
    # Black's d4 makes two threes: d4-e4-f4 and d4-d5-d6.
    BEFORE = "e4 a1 f4 i1 d5 a9 d6 i9"

    def test_a_forbidden_point_is_not_legal(self, renju: Game):
        state = play(renju.new(), self.BEFORE)
        with pytest.raises(IllegalAction, match="d4 is not legal here"):
            state.apply("d4")
        assert not state.is_over

    def test_a_referee_counts_it_as_lost(self, renju: Game):
        state = play(renju.new(), self.BEFORE)
        state.apply("d4", allow_foul=True)
        assert state.result == -1
        assert State.replay(renju, state.history).result == -1

    def test_an_occupied_point_is_no_foul_but_a_mistake(self, renju: Game):
        state = play(renju.new(), self.BEFORE)
        with pytest.raises(IllegalAction, match="e4 is not legal here"):
            state.apply("e4", allow_foul=True)


class TestChance:
    def test_the_same_seed_gives_the_same_game(self, triangle: Game):
        one, two, other = (play_first(triangle.new(seed=seed), 9) for seed in (4, 4, 5))
        assert one.history == two.history != other.history
        assert one.raw.tobytes() == two.raw.tobytes()

    def test_without_a_seed_games_differ(self, triangle: Game):
        refills = {tuple(triangle.new().history) for _ in range(20)}
        assert len(refills) > 1

    def test_a_copy_has_no_dice(self, triangle: Game):
        state = play_first(triangle.new(seed=4), 2)
        twin = state.copy()
        assert twin.seed is None
        play_first(twin, 1)
        assert twin.is_chance
        play_first(state, 1)
        assert not state.is_chance

    def test_a_copy_does_not_touch_the_original(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2")
        play(state.copy(), "a1 c3")
        assert state.history == [4]
        assert str(state).count(".") == 8

    def test_a_copy_may_get_dice_of_its_own(self, triangle: Game):
        state = play_first(triangle.new(seed=4), 2)
        futures = {tuple(play_first(state.copy(seed=s), 1).history) for s in range(9)}
        assert len(futures) > 1

    def test_a_move_taken_back_meets_the_same_refill(self, triangle: Game):
        state = play_first(triangle.new(seed=8), 3)
        back = State.replay(triangle, state.history[:5], seed=8)
        assert back.num_plies == 2
        assert play_first(back, 1).history == state.history

    def test_another_move_meets_the_same_refill_too(self, triangle: Game):
        state = play_first(triangle.new(seed=8), 3)
        back = State.replay(triangle, state.history[:5], seed=8)
        back.apply(back.legal_actions()[-1])
        assert back.history[-3:] == state.history[-3:]
        assert back.history != state.history

    def test_an_impossible_outcome_is_refused(self, triangle: Game):
        with pytest.raises(IllegalAction, match="chance cannot give outcome 23 here"):
            State(triangle).apply_chance(23)

    def test_chance_cannot_act_on_a_players_turn(self, tic_tac_toe: Game):
        assert tic_tac_toe.new().chance() == []
        with pytest.raises(IllegalAction, match="chance cannot give outcome 0 here"):
            tic_tac_toe.new().apply_chance(0)

    def test_chances_add_up_to_one(self, triangle: Game):
        assert sum(p for _, p in State(triangle).chance()) == pytest.approx(1)

    def test_the_score_is_the_sum_of_rewards(self, triangle: Game):
        state = triangle.new(seed=1, setup="1 1 1")
        first = state.legal_actions()[0]
        state.apply(first)
        assert state.score == pytest.approx(0.01 + 0.005)
        assert State.replay(triangle, state.history).score == state.score
        assert state.copy().score == state.score


def through_pickle(thing: State) -> State:
    return pickle.loads(pickle.dumps(thing))  # type: ignore[no-any-return]


@pytest.mark.parametrize("twin_of", [through_pickle, copy.deepcopy, copy.copy])
class TestTwins:
    """What goes to another process, or is copied by Python's own means."""

    def same(self, twin: State, state: State) -> None:
        """Compare two states, then play both on: they must stay the same."""
        for _ in range(4):
            assert (repr(twin), twin.raw.tobytes()) == (
                repr(state),
                state.raw.tobytes(),
            )
            assert (twin.history, twin.score) == (state.history, state.score)
            assert (twin.seed, twin.num_plies) == (state.seed, state.num_plies)
            play_first(twin, 1)
            assert twin.history != state.history
            play_first(state, 1)

    def test_edits_dice_and_score_go_with_a_state(
        self, triangle: Game, twin_of: Callable[[State], State]
    ):
        state = play_first(triangle.new(5), 6)
        state.edit("toggle d4")
        self.same(twin_of(play_first(state, 2)), state)

    def test_a_state_without_its_history_stays_as_it_is(
        self, tic_tac_toe: Game, twin_of: Callable[[State], State]
    ):
        state = play(tic_tac_toe.new(), "a1 b2").transformed(1)
        self.same(twin_of(state), state)

    def test_a_game_file_is_found_again_from_any_folder(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        twin_of: Callable[[State], State],
    ):
        rules = game_files()["connect_four"].read_text(encoding="utf-8")
        (tmp_path / "four.py").write_text(rules, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        game = load_game("four.py:rows=5,connect=3", compiled=False)
        monkeypatch.chdir("/")
        state = play(game.new(), "3 4")
        twin = twin_of(state)
        assert (twin.game.path, twin.game.compiled) == (game.path, False)
        assert twin.game.options == game.options
        self.same(twin, state)


class TestForLibraryUsers:
    """What loops of other people's programs need."""

    def test_apply_returns_the_reward_with_what_chance_brought(self, triangle: Game):
        state, total = triangle.new(3), 0.0
        for _ in range(12):
            total += state.apply(state.legal_actions()[-1])
        assert state.score == pytest.approx(total)
        assert total > 0

    def test_there_is_no_reward_in_games_for_two(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "a1 b1 a2 b2")
        assert state.step("c3") == (0.0, False)
        state.undo()
        assert state.step("a3") == (0.0, True)
        assert state.score == 0.0

    def test_the_mask_has_the_legal_actions(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2 a1")
        mask = state.legal_mask()
        assert (mask.dtype, mask.shape) == (np.bool_, (9,))
        assert np.flatnonzero(mask).tolist() == state.legal_actions()
        assert not play(state, "a2 c2 b1 b3 c1 a3 c3").legal_mask().any()

    @pytest.mark.parametrize("seed", [4, None])
    def test_undo_takes_back_actions_with_their_outcomes_and_edits(
        self, triangle: Game, seed: int | None
    ):
        state = State(triangle, seed)
        seen = []
        for number in range(8):
            while state.is_chance:
                state.apply_chance(state.chance()[0][0])
            seen.append((state.raw.tobytes(), list(state.history), state.score))
            if number == 5:
                state.edit("toggle d4")
            else:
                state.apply(state.legal_actions()[0])
        for before in reversed(seen):
            state.undo()
            assert (state.raw.tobytes(), state.history, state.score) == before
        assert state.num_plies == 0
        with pytest.raises(UserError, match="there is nothing to take back"):
            state.undo()

    def test_what_is_undone_and_played_again_meets_the_same_refill(
        self, triangle: Game
    ):
        state = play_first(triangle.new(9), 5)
        history = list(state.history)
        state.undo()
        state.undo()
        assert play_first(state, 2).history == history

    def test_undo_in_a_copy_leaves_the_original(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2 a1")
        twin = state.copy()
        twin.undo()
        assert (twin.history, state.history) == ([4], [4, 0])
        state.undo()
        assert state.raw.tobytes() == twin.raw.tobytes()

    def test_a_reset_state_is_a_new_one(self, triangle: Game):
        state = play_first(triangle.new(7, setup="3 7 12"), 4)
        state.reset()
        assert state.history == triangle.new(7, setup="3 7 12").history
        assert (state.score, state.num_plies) == (0.0, 0)
        state.reset(8)
        assert play_first(state, 3).history == (
            play_first(triangle.new(8, setup="3 7 12"), 3).history
        )

    def test_legal_actions_follow_whoever_writes_the_record(self, tic_tac_toe: Game):
        state = tic_tac_toe.new()
        assert len(state.legal_actions()) == 9
        state.raw.board[4] = 1
        assert 4 not in state.legal_actions()

    @pytest.mark.parametrize("name", ["tic_tac_toe", "triangle"])
    def test_compiled_and_plain_states_are_the_same(self, name: str):
        states = [load_game(name, compiled=c).new(11) for c in (True, False)]
        while not states[0].is_over and states[0].num_plies < 30:
            first, second = (state.legal_actions() for state in states)
            assert first == second
            rewards = [state.apply(first[len(first) // 2]) for state in states]
            assert rewards[0] == pytest.approx(rewards[1])
        assert states[0].history == states[1].history
        assert states[0].raw.tobytes() == states[1].raw.tobytes()

    def test_look_names_the_parts_of_a_state(self):
        path = Path(__file__).parent / "search" / "guessing.py"
        state = load_game(str(path), compiled=False).new(seed=1)
        parts = state.look()
        assert parts["to_play"] == state.to_play
        assert not any(name.startswith("_") for name in parts)

    @pytest.mark.parametrize("name", sorted(game_files()))
    def test_what_was_looked_at_may_be_changed(self, name: str):
        state = play_first(load_game(name, compiled=False).new(seed=1), 2)
        before = state.raw.tobytes()
        for part in state.look().values():
            assert isinstance(part, (int, float, str, list, tuple, dict, np.ndarray))
            if isinstance(part, np.ndarray):
                part[...] = part.flat[0]
        assert state.raw.tobytes() == before

    def test_a_game_has_a_title(self, tic_tac_toe: Game):
        assert "\n" not in tic_tac_toe.title
        assert tic_tac_toe.title[0].isupper()


class TestSetupAndEdits:
    def test_a_start_can_be_chosen(self, triangle: Game):
        state = triangle.new(seed=0, setup="3 7 12")
        assert state.history == [2, 6, 11]
        assert list(state.raw.slots) == [3, 7, 12]

    @pytest.mark.parametrize("setup", ["3 7", "3 7 12 1", "3 7 99", "a b c"])
    def test_a_start_that_cannot_be_is_refused(self, triangle: Game, setup: str):
        with pytest.raises(UserError) as error:
            triangle.new(setup=setup)
        assert one_line(error).startswith("cannot set up triangle: ")

    def test_a_game_without_setup_says_so(self, tic_tac_toe: Game):
        with pytest.raises(UserError, match="tic_tac_toe has no set-up to choose"):
            tic_tac_toe.new(setup="x")

    def test_an_edit_changes_the_board_and_stays_in_the_history(self, triangle: Game):
        state = triangle.new(seed=0)
        state.edit("toggle  d4")
        assert state.history[-1] == "toggle d4"
        assert state.observe()[0].sum() == 1
        replayed = State.replay(triangle, state.history)
        assert replayed.raw.tobytes() == state.raw.tobytes()

    @pytest.mark.parametrize(
        "text", ["", "toggle", "toggle z9", "slot 4 1", "slot 1 x"]
    )
    def test_an_edit_that_cannot_be_changes_nothing(self, triangle: Game, text: str):
        state = triangle.new(seed=0)
        before = state.raw.tobytes(), list(state.history)
        with pytest.raises(UserError) as error:
            state.edit(text)
        assert one_line(error).startswith("cannot edit: ")
        assert (state.raw.tobytes(), state.history) == before

    def test_a_game_without_edits_says_so(self):
        path = Path(__file__).parent / "search" / "guessing.py"
        game = load_game(str(path), compiled=False)
        with pytest.raises(UserError, match="has no edit mode"):
            game.new().edit("b2 X")


class TestViews:
    def test_drawings_have_colours_and_plain_text(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2 a1")
        assert "\x1b[" in state.draw()
        assert str(state) == "  a b c\n1 O . .\n2 . X .\n3 . . ."

    def test_observations_are_for_the_player_to_move(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2")
        own, other = state.observe()
        assert (own.sum(), other[1, 1]) == (0, 1)

    def test_a_symmetry_turns_the_board(self, tic_tac_toe: Game):
        turned = play(tic_tac_toe.new(), "a1 b1").transformed(1)
        assert str(turned) == "  a b c\n1 . . X\n2 . . O\n3 . . ."
        assert turned.history == []

    def test_targets_tell_how_it_ended(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "a1 b1 a2 b2 a3")
        expected = [[[1, -1, 0], [1, -1, 0], [1, 0, 0]]]
        assert np.array_equal(state.targets(), expected)

    def test_choices_are_the_name_unless_the_game_says_more(
        self, tic_tac_toe: Game, triangle: Game
    ):
        assert tic_tac_toe.new().choices(4) == ("b2",)
        state = triangle.new(seed=0)
        assert len(state.choices(state.legal_actions()[0])) == 2

    def test_a_state_says_what_it_is(self, tic_tac_toe: Game):
        state = play(tic_tac_toe.new(), "b2")
        assert repr(state) == "<State of tic_tac_toe after 1 steps>"


class TestRecord:
    def test_a_game_goes_through_a_file_and_back(self, tmp_path: Path, renju: Game):
        state = play(renju.new(), TestFouls.BEFORE)
        state.apply("d4", allow_foul=True)
        path = tmp_path / "game.json"
        save_record(Record.of(state, ("ann", "bob")), path)
        record = load_record(path)
        assert record == Record.of(state, ("ann", "bob"))
        assert record.options == {"size": 9, "rule": "renju"}
        assert record.load_game().spec == renju.spec
        assert record.replay(renju).result == -1
        assert [file.name for file in tmp_path.iterdir()] == ["game.json"]

    def test_edits_chance_and_score_go_with_it(self, tmp_path: Path, triangle: Game):
        state = triangle.new(seed=3)
        state.edit("toggle d4")
        play_first(state, 4)
        save_record(Record.of(state), tmp_path / "game.json")
        record = load_record(tmp_path / "game.json")
        assert record.score == pytest.approx(state.score)
        replayed = record.replay(triangle)
        assert replayed.raw.tobytes() == state.raw.tobytes()

    def test_the_file_is_json_that_people_can_read(
        self, tmp_path: Path, tic_tac_toe: Game
    ):
        path = tmp_path / "game.json"
        save_record(Record.of(play(tic_tac_toe.new(), "b2 a1")), path)
        assert json.loads(path.read_text(encoding="utf-8")) == {
            "format": "ludens-record-1",
            "game": "tic_tac_toe",
            "options": {},
            "players": [],
            "history": [4, 0],
        }

    def test_a_result_that_the_rules_deny_is_refused(self, tic_tac_toe: Game):
        record = Record(game="tic_tac_toe", history=[0, 3, 1, 4, 2], result=-1)
        with pytest.raises(UserError) as error:
            record.replay(tic_tac_toe)
        assert one_line(error) == "the record says result -1.0, the rules say 1.0"

    def test_a_file_may_have_any_name(self, tmp_path: Path, tic_tac_toe: Game):
        rules = tmp_path / "my-own game.2.py"
        rules.write_bytes(tic_tac_toe.path.read_bytes())
        state = play(load_game(str(rules), compiled=False).new(), "b2")
        record = Record.of(state)
        assert record.game == "my-own game.2"
        assert record.load_game(str(rules)).path == rules

    def test_an_illegal_move_is_named_with_its_place(self, tic_tac_toe: Game):
        record = Record(game="tic_tac_toe", history=[0, 3, 0])
        with pytest.raises(UserError) as error:
            record.replay(tic_tac_toe)
        assert one_line(error).startswith(
            "step 3: a1 is not legal here (the cell is taken)"
        )

    def test_an_unknown_game_or_option_is_named(self):
        with pytest.raises(UserError, match="there is no game 'tictactoe'; did you"):
            Record(game="tictactoe", history=[]).load_game()
        with pytest.raises(UserError, match="gomoku has no option 'sise'; did you"):
            Record(game="gomoku", options={"sise": 9}, history=[]).load_game()

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            (b"", "is not JSON"),
            (b"\xff\xfe{}", "is not JSON"),
            (b"{'game': 1}", "is not JSON"),
            (b"[" * 100_000, "is not JSON"),
            (b"[]", "is not a game record"),
            (b"{}", "is not a game record: game: "),
            (b'{"game": "tic_tac_toe"}', "history: "),
            (b'{"game": "tic_tac_toe", "history": [0.5]}', "history.0"),
            (b'{"game": "tic_tac_toe", "history": [true]}', "history.0"),
            (b'{"game": "tic_tac_toe", "history": [], "moves": 3}', "moves: "),
            (b'{"game": "../evil.py", "history": []}', "game: "),
            (b'{"game": "a", "history": [], "format": "x"}', "format: "),
        ],
    )
    def test_a_malformed_file_is_one_line(
        self, tmp_path: Path, content: bytes, complaint: str
    ):
        path = tmp_path / "game.json"
        path.write_bytes(content)
        with pytest.raises(UserError) as error:
            load_record(path)
        message = one_line(error)
        assert message.startswith(str(path))
        assert complaint in message

    def test_a_file_that_is_not_there_or_too_large_is_one_line(self, tmp_path: Path):
        path = tmp_path / "game.json"
        with pytest.raises(UserError) as error:
            load_record(path)
        assert one_line(error).endswith("No such file or directory")
        with path.open("wb") as file:
            file.truncate(MAX_BYTES + 1)
        with pytest.raises(UserError) as error:
            load_record(path)
        assert "is too large for a game record" in one_line(error)

    def test_a_folder_that_is_not_there_is_one_line(
        self, tmp_path: Path, tic_tac_toe: Game
    ):
        path = tmp_path / "nowhere" / "game.json"
        with pytest.raises(UserError) as error:
            save_record(Record.of(tic_tac_toe.new()), path)
        assert one_line(error) == f"cannot write {path}: No such file or directory"
