"""`pbrain-ludens` plays for managers of gomoku matches, whatever they send."""

import queue
import random
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ludens import load_game
from ludens.protocols.gomocup.__main__ import lines_of
from ludens.protocols.gomocup.board import Board, sane_move
from ludens.protocols.gomocup.brain import Brain
from ludens.protocols.gomocup.terms import LEAST_S, LEAST_TREE_MB, TREE_MB, Terms
from ludens.state import State

PATIENCE_S = 60
POINT = r"\d+,\d+"
PROTOCOL = re.compile(
    rf"OK|SWAP|(SUGGEST )?{POINT}( {POINT})*|(ERROR|UNKNOWN|MESSAGE) [ -~]*|name=[ -~]*"
)


class Manager:
    """Talks with a brain in this process."""

    def __init__(self, agent: str) -> None:
        self._heard: queue.Queue[str] = queue.Queue()
        self.brain = Brain(self._heard.put, agent)

    def ask(self, *lines: str) -> str:
        for line in lines:
            self.brain.take(line)
        return self.hear()

    def hear(self) -> str:
        while (said := self._heard.get(timeout=PATIENCE_S)).startswith("MESSAGE"):
            pass
        return said

    def is_silent(self) -> bool:
        return self._heard.empty()


@pytest.fixture(autouse=True)
def _plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")


@pytest.fixture
def manager() -> Manager:
    return Manager("random")


@pytest.fixture
def thinking() -> Iterator[Manager]:
    """Give a manager whose brain has begun to think for long."""
    manager = Manager("mcts:sims=50000")
    manager.ask("START 5", "INFO timeout_turn 3600000")
    manager.brain.take("TURN 2,2")
    yield manager
    manager.ask("RESTART")


def on_board(board: Board, spec: str) -> State:
    return board.state(load_game(spec, compiled=False))


def board_of(size: int, black: str, white: str, to_play: int) -> Board:
    board = Board(size)
    for player, points in enumerate((black, white)):
        board.stones |= {board.read(point): player for point in points.split()}
    board.to_play = to_play
    return board


def test_x_is_the_column_and_y_the_row_from_the_top():
    board = Board(9)
    assert (board.read("3,0"), board.point(27)) == (3, "0,3")


def test_a_game_begins_in_the_middle_and_goes_on_where_it_may(manager: Manager):
    assert manager.ask("START 9") == "OK"
    assert manager.ask("BEGIN") == "4,4"
    assert re.fullmatch(POINT, move := manager.ask("TURN 0,0"))
    assert move not in ("0,0", "4,4")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("START 5", "OK"),
        ("start 20", "OK"),
        ("START 4", "ERROR unsupported size; a board has 5 to 20 lines"),
        ("START 21", "ERROR unsupported size; a board has 5 to 20 lines"),
        ("START", "ERROR unsupported size; a board has 5 to 20 lines"),
        ("RECTSTART 7,7", "OK"),
        ("RECTSTART 7,8", "ERROR unsupported size; a board is as wide as it is high"),
        ("TURN 1,1", "ERROR there is no board yet; START makes one"),
        ("BOARD", "ERROR there is no board yet; START makes one"),
        ("dance 1,1", "UNKNOWN dance 1,1"),
    ],
)
def test_commands_before_a_game(manager: Manager, line: str, answer: str):
    assert manager.ask(line) == answer


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("TURN 5,0", "ERROR 5,0 is not on the board"),
        ("TURN 2,2", "ERROR 2,2 is taken"),
        ("TURN two", "ERROR a point is two numbers, such as 7,7"),
        ("BEGIN", "ERROR the board is not empty"),
        ("TAKEBACK 1,1", "ERROR 1,1 is empty"),
        ("TAKEBACK 2,2", "OK"),
        ("PLAY 1,1", "1,1"),
        ("PLAY 2,2", "ERROR 2,2 is taken"),
        ("RESTART", "OK"),
    ],
)
def test_commands_in_a_game(manager: Manager, line: str, answer: str):
    manager.ask("START 5")
    assert manager.ask("PLAY 2,2") == "2,2"
    assert manager.ask(line) == answer


def test_the_brain_says_who_it_is(manager: Manager):
    assert re.match(r'name="Ludens", version="[^"]+"', manager.ask("ABOUT"))


def test_a_stone_taken_back_can_be_played_anew(manager: Manager):
    manager.ask("START 5")
    move = manager.ask("TURN 2,2")
    assert manager.ask(f"TAKEBACK {move}") == "OK"
    assert manager.ask("TAKEBACK 2,2") == "OK"
    assert manager.ask("BEGIN") == "2,2"


def test_a_suggestion_is_not_played(manager: Manager):
    manager.ask("START 5", "PLAY 2,2")
    manager.hear()
    suggested = manager.ask("SUGGEST")
    assert re.fullmatch(f"SUGGEST {POINT}", suggested)
    move = suggested.removeprefix("SUGGEST ")
    assert manager.ask(f"PLAY {move}") == move


def test_the_side_with_fewer_stones_is_white():
    manager = Manager("mcts:sims=30")
    manager.ask("START 5", "INFO timeout_turn 3600000")
    black = [f"{x},0,2" for x in range(4)]  # white has to stop it
    white = ["1,1,1", "2,2,1", "1,3,1"]
    assert manager.ask("BOARD", *white, *black, "DONE") == "4,0"


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["1,1"], "ERROR a point is two numbers, such as 7,7"),
        (["1,1,4"], "ERROR a line of a board is X,Y,WHO, not 1,1,4"),
        (["9,1,1"], "ERROR 9,1 is not on the board"),
        (["1,1,1", "1,1,2"], "ERROR 1,1 is taken"),
        (["nonsense"] * 30_000, "ERROR a line of a board is X,Y,WHO, not nonsense"),
        ([f"{x},0,1" for x in range(5)], "ERROR the game is over"),
    ],
)
def test_a_bad_board_is_one_error(manager: Manager, lines: list[str], answer: str):
    manager.ask("START 5")
    assert manager.ask("BOARD", *lines, "DONE") == answer
    assert manager.is_silent()


def test_a_command_within_a_board_is_obeyed(manager: Manager):
    manager.ask("START 5")
    assert manager.ask("BOARD", "1,1,1", "RESTART") == "ERROR the board has no DONE"
    assert manager.hear() == "OK"


@pytest.mark.parametrize("line", ["RESTART", "START 7", "TAKEBACK 2,2"])
def test_a_new_position_while_thinking_ends_the_thought(thinking: Manager, line: str):
    assert thinking.ask(line) == "OK"
    assert thinking.ask("BEGIN") in ("2,2", "3,3")
    assert thinking.is_silent()


def test_other_commands_while_thinking_are_answered_at_once(thinking: Manager):
    assert thinking.ask("TURN 1,1") == "ERROR a move is being thought about"
    assert thinking.ask("INFO timeout_turn 1", "hm") == "UNKNOWN hm"
    assert thinking.ask("ABOUT").startswith("name=")
    assert thinking.ask("PLAY 1,1") == "1,1"


def test_the_end_does_not_wait_for_a_thought(thinking: Manager):
    thinking.brain.run(["end\r\n"])
    assert thinking.is_silent()


def test_the_end_of_the_input_waits_for_the_last_answer(manager: Manager):
    manager.ask("START 5")
    manager.brain.run(["TURN 2,2"])
    assert re.fullmatch(POINT, manager.hear())


def test_a_search_ends_with_its_time():
    manager = Manager("mcts:sims=1000000,max_nodes=1000")
    manager.ask("START 5", "INFO timeout_turn 200")
    assert re.fullmatch(POINT, manager.ask("TURN 2,2"))


def test_without_a_search_there_are_sane_moves():
    manager = Manager("net:weights=nowhere")
    manager.ask("START 9", "INFO timeout_turn 3600000")
    lines = [f"{x},4,2" for x in range(1, 5)] + [f"{x},8,1" for x in range(3)]
    assert manager.ask("BOARD", *lines, "0,4,1", "DONE") == "5,4"


@pytest.mark.parametrize(
    ("black", "white", "to_play", "found"),
    [
        ("1,1 2,2 3,3 4,4", "1,2 1,3 1,4 1,5", 0, {"0,0", "5,5"}),
        ("1,1 2,2 3,3 4,4", "0,0 1,3 1,4", 1, {"5,5"}),
        ("3,3 4,3 5,3", "0,0 8,8", 1, {"2,3", "6,3"}),
        ("4,4", "", 1, {f"{x},{y}" for x in (3, 4, 5) for y in (3, 4, 5)} - {"4,4"}),
    ],
)
def test_a_sane_move_wins_parries_or_is_near(black, white, to_play, found):
    board = board_of(9, black, white, to_play)
    assert board.point(sane_move(on_board(board, "gomoku:size=9"))) in found


def test_a_sane_move_is_no_foul_in_renju():
    board = board_of(9, "3,4 5,4 4,3 4,5", "0,0 0,2 0,4 0,6", 0)
    state = on_board(board, "gomoku:size=9,rule=renju")
    assert board.read("4,4") not in state.legal_actions()
    assert sane_move(state) in state.legal_actions()


def informed(**said: object) -> Terms:
    terms = Terms()
    for key, value in said.items():
        terms.take(key, str(value))
    return terms


@pytest.mark.parametrize(
    ("bits", "rule"),
    [(0, "freestyle"), (1, "standard"), (4, "renju"), (8, "caro"), (9, "caro")],
)
def test_rules_are_bits(bits: int, rule: str):
    assert informed(rule=bits).rule == rule


@pytest.mark.parametrize("turn_ms", [50, 100, 1000, 30_000])
def test_a_move_is_answered_before_its_limit(turn_ms: int):
    assert LEAST_S < informed(timeout_turn=turn_ms).move_s(200) <= turn_ms / 1000 - 0.03


@pytest.mark.parametrize(
    "said", [{"timeout_turn": 0}, {"time_left": 20}, {"time_left": -5}]
)
def test_without_time_a_move_is_as_fast_as_can_be(said):
    assert informed(**said).move_s(200) == LEAST_S


def test_a_match_clock_is_shared_out_and_none_is_none():
    free = informed(timeout_turn=30_000)
    assert informed(timeout_turn=30_000, time_left=0).move_s(200) == free.move_s(200)
    assert informed(timeout_turn=30_000, time_left=60_000).move_s(200) < 60 / 20
    late = informed(timeout_turn=30_000, timeout_match=60_000)
    late.spent_s = 50
    assert late.move_s(200) < 10 / 20


def test_memory_for_the_tree_is_what_the_process_leaves():
    assert informed(max_memory=0).tree_mb(2**28) == TREE_MB
    assert informed(max_memory=350 * 2**20).tree_mb(250 * 2**20) == 50
    assert informed(max_memory=2**20).tree_mb(2**28) == LEAST_TREE_MB


def test_unknown_and_senseless_infos_are_ignored(manager: Manager):
    for line in ("INFO", "INFO rule", "INFO timeout_turn x", "INFO folder C:\\a b"):
        manager.brain.take(line)
    assert manager.ask("INFO evaluate 1,1", "ABOUT").startswith("name=")


@pytest.mark.parametrize("num_stones", [0, 3, 5])
def test_swap2_is_answered_with_stones_or_a_swap(manager: Manager, num_stones: int):
    manager.ask("START 9", "INFO timeout_turn 0")
    stones = ["4,4", "4,5", "5,5", "6,6", "1,1"][:num_stones]
    answer = manager.ask("SWAP2BOARD", *stones, "DONE")
    put = [] if answer == "SWAP" else answer.split()
    assert len(put) in {0: (3,), 3: (0, 1, 2), 5: (0, 1)}[num_stones]
    assert len({*stones, *put}) == num_stones + len(put)


@pytest.mark.parametrize(
    ("stones", "answer"),
    [
        ("2,3 0,0 3,3 6,6 4,3", "SWAP"),  # black has an open three
        ("0,0 2,3 6,6 4,3 0,6", POINT),  # white has two stones in the middle
        ("0,0 4,4", "ERROR swap2 has 0, 3 or 5 stones, not 2"),
    ],
)
def test_swap2_takes_the_better_side(stones: str, answer: str):
    manager = Manager("mcts:sims=40")
    manager.ask("START 7", "INFO timeout_turn 3600000")
    assert re.fullmatch(answer, manager.ask("SWAP2BOARD", *stones.split(), "DONE"))


def nonsense(seed: int) -> str:
    rng = random.Random(seed)
    words = "START RECTSTART RESTART BEGIN TURN BOARD DONE TAKEBACK PLAY SUGGEST "
    words += "INFO ABOUT SWAP2BOARD turn Board x \x00 é 1,1 2,3,1 5,5,2 0,0,3 ,, -1,1 "
    words += "5 9 20 15 15,15 rule timeout_turn time_left max_memory 0 4 8 "
    words += "9" * 30
    return " ".join(rng.choices(words.split(" "), k=rng.choice((1, 2, 2, 2, 3, 6))))


@pytest.mark.parametrize(
    "num_lines", [600, pytest.param(20_000, marks=pytest.mark.slow)]
)
def test_nonsense_is_survived(num_lines: int):
    heard: list[str] = []
    brain = Brain(heard.append, "random")
    for seed in range(num_lines):
        brain.take(nonsense(seed))
    brain.run(["DONE", "INFO rule 0", "START 5", "BEGIN"])
    assert [line for line in heard if not PROTOCOL.fullmatch(line)] == []
    assert heard[-2:] == ["OK", "2,2"]


def test_long_lines_are_cut_and_the_last_may_be_half(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"START 5\r\n" + b"x" * 100_000 + b"\nABOUT\nE\xff")
    with path.open("rb") as stream:
        lines = list(lines_of(stream))
    assert [len(line) for line in lines] == [9, 4096, 6, 2]


def test_two_brains_play_a_whole_game_through_pipes():
    command = [sys.executable, "-m", "ludens.protocols.gomocup", "--agent", "random"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    both = [subprocess.Popen(command, text=True, **pipes) for _ in range(2)]

    def ask(player: int, line: str) -> str:
        print(line, file=both[player].stdin, end="\r\n", flush=True)
        while (said := both[player].stdout.readline()).startswith("MESSAGE"):
            pass
        return said.strip()

    game, board = load_game("gomoku:size=5,rule=standard"), Board(5)
    for player in range(2):
        assert ask(player, "START 5") == "OK"
        print("INFO rule 1\r\nINFO timeout_turn 0", file=both[player].stdin, flush=True)
    state, line = State(game), "BEGIN"
    while not state.is_over:
        line = f"TURN {(said := ask(state.to_play, line))}"
        state.apply(board.read(said))
    for process in both:
        process.communicate("END\r\n", timeout=PATIENCE_S)
        assert process.returncode == 0
    assert state.num_plies >= 9
