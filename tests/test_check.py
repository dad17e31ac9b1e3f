"""The checker names every planted defect."""

from pathlib import Path

import pytest
from numba.core.errors import CompilerError

import ludens
from ludens.check import Report, check_game
from ludens.check.faults import FAULTS
from ludens.check.report import one_line
from ludens.loading.game import find_game, game_files, load_game
from ludens.state import State
from marked import quick
from playthrough import PLAYTHROUGHS

TIC_TAC_TOE = find_game("tic_tac_toe").read_text(encoding="utf-8")

DICE = '''"""Roll up to three dice, the last with four sides; stop when you like."""

import numpy as np

from ludens.game import (CHANCE, OVER, Actions, Planes, Probabilities, Shape, rule)
from ludens.boards import (text)

STATE = np.dtype([("pot", "i1"), ("rolls", "i1"), ("to_play", "i1")])
NUM_PLAYERS = 1
NUM_ACTIONS = 2
MAX_PLIES = 3
MAX_OUTCOMES = 6
NUM_SYMMETRIES = 2
SHAPE = (1, 1)
PLANES = ("pot", "rolls")


@rule
def start(state: np.record) -> None:
    state.to_play = CHANCE


@rule
def legal(state: np.record, actions: Actions) -> int:
    actions[0] = 0
    actions[1] = 1
    return 1 if state.rolls == 3 else 2


@rule
def apply(state: np.record, action: int) -> float:
    state.to_play = CHANCE if action == 1 else OVER
    return state.pot / 10 if action == 0 else 0.0


@rule
def chance(state: np.record, probabilities: Probabilities) -> int:
    sides = 4 if state.rolls == 2 else 6
    for face in range(sides):
        probabilities[face] = 1 / sides
    return sides


@rule
def apply_chance(state: np.record, outcome: int) -> float:
    state.pot += outcome + 1
    state.rolls += 1
    state.to_play = 0
    return 0.0


@rule
def observe(state: np.record, planes: Planes) -> None:
    planes[0, 0, 0] = state.pot / 18
    planes[1, 0, 0] = state.rolls / 3


@rule
def transform(state: np.record, symmetry: int, image: np.record) -> None:
    image.pot = state.pot


@rule
def transform_action(action: int, symmetry: int) -> int:
    return action


def action_name(state: np.record, action: int) -> str:
    return ("stop", "roll")[action]


def outcome_name(state: np.record, outcome: int) -> str:
    return f"rolled {outcome + 1}"


def draw(state: np.record) -> str:
    return f"pot {state.pot} after {state.rolls} rolls"


def scene(state: np.record) -> list[Shape]:
    return [text(0, i, name, choice=name) for i, name in enumerate(("stop", "roll"))]
'''

# In each: the code that must be found, a piece of the game file, what is put instead.
# An empty piece means that the new text goes to the end of the file.
THEN = "\n\n\ndef action_name"
LAST_PLANE = "= state.board[cell]" + THEN
GUESS = "return lead / (8 + abs(lead))"
TWICE = "actions[1] = actions[0] = np.flatnonzero(state.board == 0)[0]"
DEFECTS_OF_TWO = [
    ("heuristic-out-of-range", GUESS, "return lead"),
    ("heuristic-out-of-range", GUESS, "return np.nan"),
    ("heuristic-not-deterministic", GUESS, "return np.random.random()"),
    ("heuristic-changes-state", GUESS, "state.ply += 1\n    return 0.0"),
    ("symmetry-heuristic", GUESS, "return state.board[0] / 2"),
    ("num-actions", "NUM_ACTIONS = 9", "NUM_ACTIONS = '9'"),
    ("max-plies", "MAX_PLIES = 9", "MAX_PLIES = -1"),
    ("shape", "SHAPE = (3, 3)", "SHAPE = (3,)"),
    ("planes", 'PLANES = ("own marks", ', 'PLANES = (1, "own marks", '),
    ("planes-not-unique", '"opponent\'s marks"', '"own marks"'),
    ("targets", '("owner of the cell",)', '"owner of the cell"'),
    ("targets-not-unique", '("owner of the cell",)', '("owner", "owner")'),
    ("num-symmetries", "NUM_SYMMETRIES = 8", "NUM_SYMMETRIES = 0"),
    ("num-players", "", "NUM_PLAYERS = 3"),
    ("max-outcomes", "", "MAX_OUTCOMES = 1.5"),
    ("state-field", '("winner", "i1")', '("winner", "O")'),
    ("to-play-field", '("to_play", "i1")', '("to_play", "u1")'),
    ("result-missing", "def result", "def outcome"),
    ("chance-missing", "", "MAX_OUTCOMES = 2"),
    ("symmetry-missing", "def transform_action", "def image_of"),
    ("targets-missing", "def targets", "def goals"),
    (
        "only-observed",
        "NUM_ACTIONS = 9",
        "from ludens.game import option\n\n"
        'MORE = option("more", True, "seen alone", only_observed=True)\n'
        "NUM_ACTIONS = 9 + MORE",
    ),
    ("globals-changed", "    count = 0", "    LINES[0, 0] += 9\n    count = 0"),
    ("start-is-over", "", "def start(state):\n    state.to_play = OVER"),
    (
        "start-not-deterministic",
        "",
        "def start(state):\n    state.board[np.random.randint(9)] = 1",
    ),
    ("to-play-out-of-range", "1 - state.to_play\n", "state.to_play + 1\n"),
    ("too-long", "MAX_PLIES = 9", "MAX_PLIES = 4"),
    ("legal-count", "return count", "return None"),
    ("legal-empty", "return count", "return 0"),
    ("legal-too-many", "return count", "return count + 90"),
    ("legal-raises", "actions[count] = cell", "actions[count + 9] = cell"),
    ("legal-out-of-range", "actions[count] = cell", "actions[count] = cell + 5"),
    ("legal-not-ascending", "for cell in range(9):", "for cell in range(8, -1, -1):"),
    ("legal-repeats", "actions[count] = cell", "actions[count] = cell // 2"),
    ("legal-changes-state", "    count = 0", "    count = 0\n    state.ply += 1"),
    (
        "legal-not-deterministic",
        "return count",
        "return count if np.random.random() < 0.5 else 1",
    ),
    ("candidates-empty", "", "def candidates(state, actions):\n    return 0"),
    (
        "candidates-not-legal",
        "",
        "def candidates(state, actions):\n    actions[0] = 4\n    return 1",
    ),
    (
        "candidates-repeats",
        "",
        f"def candidates(state, actions):\n    {TWICE}\n    return 2",
    ),
    (
        "candidates-win",
        "",
        "def candidates(state, actions):\n    return legal(state, actions)",
    ),
    (
        "candidates-turns",
        "",
        "by_turns = apply\n\n\n"
        "def apply(state, action):\n"
        "    by_turns(state, action)\n"
        "    if state.ply == 2:\n"
        "        state.to_play = 1\n\n\n"
        "def candidates(state, actions):\n"
        "    return legal(state, actions) - (state.ply == 1)",
    ),
    (
        "candidates-changes-state",
        "",
        "def candidates(state, actions):\n"
        "    state.ply += 1\n"
        "    return legal(state, actions)",
    ),
    (
        "likely-not-legal",
        "",
        "def likely(state, before, last, actions):\n    actions[0] = 4\n    return 1",
    ),
    (
        "likely-changes-state",
        "",
        "def likely(state, before, last, actions):\n    state.ply += 1\n    return 0",
    ),
    (
        "forcing-not-legal",
        "",
        "def forcing(state, actions):\n    actions[0] = 4\n    return 1",
    ),
    (
        "forcing-repeats",
        "",
        f"def forcing(state, actions):\n    {TWICE}\n    return 2",
    ),
    ("forcing-win", "", "def forcing(state, actions):\n    return 0"),
    (
        "forcing-lets-go",
        "",
        "def forcing(state, actions):\n    return legal(state, actions)",
    ),
    (
        "forcing-changes-state",
        "",
        "def forcing(state, actions):\n    state.ply += 1\n    return 0",
    ),
    *(
        (
            f"{name}-{fault}",
            "",
            "def forcing(state, actions):\n    return 0\n\n\n"
            f"def {name}(state, actions):\n    {code}",
        )
        for name, fault, code in (
            ("pressing", "not-legal", "actions[0] = 4\n    return 1"),
            ("pressing", "repeats", f"{TWICE}\n    return 2"),
            ("pressing", "changes-state", "state.ply += 1\n    return 0"),
            ("answers", "empty", "return 0"),
            ("answers", "not-legal", "actions[0] = 4\n    return 1"),
            ("answers", "repeats", f"{TWICE}\n    return 2"),
            (
                "answers",
                "changes-state",
                "state.ply += 1\n    return legal(state, actions)",
            ),
        )
    ),
    ("foul-accepts-legal", "", "def foul(state, action):\n    return True"),
    (
        "foul-changes-state",
        "",
        "def foul(state, action):\n    state.ply += 1\n    return False",
    ),
    (
        "foul-not-lost",
        "",
        "def foul(state, action):\n    return bool(state.board[action])",
    ),
    ("apply-changes-nothing", "    mark = 1 - 2", "    return\n    mark = 1 - 2"),
    (
        "apply-not-deterministic",
        "state.board[action] = mark",
        "state.board[action] = np.random.choice(np.array([1, -1]))",
    ),
    ("apply-raises", "state.board[action]", "state.board[action + 9]"),
    ("not-deterministic", "ply += 1", "ply += 1 + (np.random.random() < 0.1)"),
    (
        "reward-of-two",
        "        state.to_play = OVER\n",
        "        state.to_play = OVER\n    return 0.0\n",
    ),
    ("result-not-a-result", "float(state.winner)", "state.winner / 2"),
    ("result-not-a-result", "float(state.winner)", 'float("nan")'),
    ("result-not-a-result", "float(state.winner)", "2.0 * state.winner + 1"),
    (
        "result-changes-state",
        "    return float",
        "    state.ply += 1\n    return float",
    ),
    ("observe-not-finite", "cell % 3] = 1", "cell % 3] = np.inf"),
    ("observe-huge", "cell % 3] = 1", "cell % 3] = 1e6"),
    ("observe-out-of-bounds", "cell % 3] = 1", "cell % 3] = 1.5"),
    ("observe-out-of-bounds", "PLANES =", "BOUNDS = (0.2, 1)\nPLANES ="),
    ("bounds", "PLANES =", "BOUNDS = (1.0, 0.0)\nPLANES ="),
    ("bounds", "PLANES =", "BOUNDS = 1\nPLANES ="),
    ("training", "", "TRAINING = {'net': {'blocks': [4]}}"),
    ("training", "", "TRAINING = ('quick',)"),
    ("observe-changes-state", "    own =", "    state.ply += 1\n    own ="),
    ("observe-not-deterministic", "cell % 3] = 1", "cell % 3] = np.random.random()"),
    ("observe-hides", "cell % 3] = 1", "cell % 3] = 0"),
    ("observe-hides", "int(state.board[cell] != own)", "0"),
    ("observe-raises", "cell // 3, cell % 3] = 1", "cell, 0] = 1"),
    ("targets-out-of-range", LAST_PLANE, "= 2" + THEN),
    (
        "targets-out-of-range",
        LAST_PLANE,
        "= np.nan" + THEN,
    ),
    (
        "targets-changes-state",
        "planes[0, cell // 3",
        "state.ply += 1\n        planes[0, cell // 3",
    ),
    ("symmetry-not-a-permutation", "IMAGE[symmetry, action]", "0"),
    ("symmetry-zero", "IMAGE[symmetry, action]", "8 - action"),
    ("symmetry-zero", "IMAGE[symmetry, cell]", "IMAGE[(symmetry + 1) % 8, cell]"),
    (
        "symmetry-turn",
        "        image.board",
        "        image.to_play = 1\n        image.board",
    ),
    ("symmetry-legal", "IMAGE[symmetry, cell]", "cell"),
    (
        "symmetry-apply",
        "        image.board",
        "        image.ply = 1\n        image.board",
    ),
    (
        "symmetry-result",
        "        image.board",
        "        image.winner = 0 if symmetry else state.winner\n        image.board",
    ),
    (
        "symmetry-observe",
        "if state.board[cell] != 0:",
        "if state.board[cell] and cell < 4:",
    ),
    ("symmetry-targets", LAST_PLANE, "= cell < state.board[0]" + THEN),
    (
        "transform-changes-state",
        "        image.board",
        "        state.ply = 1\n        image.board",
    ),
    ("name-not-a-word", "return cell_name(", "return 'my ' + cell_name("),
    ("name-not-a-word", "return cell_name(action // 3, action % 3)", "return action"),
    ("name-not-a-word", "return cell_name(action // 3, action % 3)", "return ''"),
    ("name-not-unique", "cell_name(action // 3, ", "cell_name(0, "),
    ("name-not-read", "cell_name(action // 3, ", "cell_name(0, "),
    (
        "action-name-changes-state",
        "    return cell_name",
        "    state.ply += 1\n    return cell_name",
    ),
    ("action-name-raises", "cell_name(action // 3, ", "cell_name(9 // action, "),
    ("read-action", "", "def read_action(state, words):\n    return -5"),
    (
        "read-action-changes-state",
        "",
        "def read_action(state, words):\n    state.ply += 1",
    ),
    ("read-action-raises", "", "def read_action(state, words):\n    return int(words)"),
    ("choices", "", "def choices(state, action):\n    return ()"),
    (
        "choices-changes-state",
        "",
        "def choices(state, action):\n"
        "    state.ply += 1\n"
        "    return (action_name(state, action),)",
    ),
    ("choices-not-unique", "", "def choices(state, action):\n    return ('a1',)"),
    ("choices-not-in-scene", "label=n, choice=n", "label=n"),
    ("draw", "    return draw_grid(", "    draw_grid("),
    ("draw", "    return draw_grid(", "    return '' and draw_grid("),
    ("draw-changes-state", "    marks = {", "    state.ply += 1\n    marks = {"),
    ("scene", "    return cells + ", "    return (*cells,), "),
    ("scene-changes-state", "    names = [", "    state.ply += 1\n    names = ["),
    (
        "scene-kind",
        "    return cells + ",
        '    return [Shape("star", ((0, 0),), "x")] + cells + ',
    ),
    (
        "scene-role",
        "    return cells + ",
        '    return [Shape("disc", ((0, 0),), "x")] + cells + ',
    ),
    ("scene-points", "square(i // 3", "square(i / 3 * np.nan"),
    ("scene-owner", '"owner": 1', '"owner": 2'),
    ("why-illegal", '"the cell is taken"', "None"),
    (
        "why-illegal-changes-state",
        'return "the cell is taken"',
        'state.ply = 0\n    return "so"',
    ),
    ("reason", "", "def reason(state):\n    return None"),
    (
        "reason-changes-state",
        "",
        "def reason(state):\n    state.ply = 0\n    return 'so'",
    ),
    ("rules", "[board: b2 a1 c1 a2 a3]", "[board: b2 b2]"),
    ("rules", "", "RULES = 3"),
    ("setup", "", "def setup(words):\n    raise KeyError(words)"),
    ("edit", "", "def edit(state, words):\n    raise KeyError"),
]
DEFECTS_OF_ONE = [
    (
        "heuristic-single-player",
        "",
        "@rule\ndef heuristic(state: np.record) -> float:\n    return 0.0",
    ),
    (
        "forcing-single-player",
        "",
        "def forcing(state, actions):\n    return legal(state, actions)",
    ),
    ("to-play-out-of-range", "    state.to_play = 0", "    state.to_play = 1"),
    ("reward-missing", "    return state.pot / 10", "    state.pot / 10"),
    ("reward-not-finite", "state.pot / 10", "np.inf * state.pot"),
    ("reward-missing", "    return 0.0\n", ""),
    ("reward-not-finite", "    return 0.0\n", "    return np.nan\n"),
    ("chance-count", "return sides", "return"),
    ("chance-empty", "return sides", "return 0"),
    ("chance-too-many", "return sides", "return 7"),
    ("chance-raises", "range(sides)", "range(7)"),
    ("chance-not-probability", "= 1 / sides", "= face - 1.5"),
    ("chance-not-probability", "= 1 / sides", "= np.nan"),
    ("chance-not-probability", "range(sides)", "range(sides - 1)"),
    ("chance-sum", "= 1 / sides", "= 1 / 7"),
    ("chance-changes-state", "    sides =", "    state.pot += 1\n    sides ="),
    (
        "apply-chance-changes-nothing",
        "    state.pot += outcome",
        "    return 0.0\n    state.pot += outcome",
    ),
    ("apply-chance-not-deterministic", "outcome + 1\n", "np.random.randint(7)\n"),
    ("symmetry-chance", "image.pot = state.pot", "image.rolls = 2 * symmetry"),
    ("outcome-name", 'return f"rolled', 'return 0 and f"rolled'),
    (
        "outcome-name-changes-state",
        '    return f"rolled',
        '    state.pot += 1\n    return f"rolled',
    ),
    ("outcome-name-raises", "{outcome + 1}", "{(1, 2)[outcome]}"),
    ("observe-hides", "state.rolls / 3", "0"),
    ("observe-hides", "state.pot / 18", "0"),
]


def plant(folder: Path, source: str, old: str, new: str) -> Path:
    """Write a game file with one change."""
    assert old in source
    changed = source.replace(old, new, 1) if old else f"{source}\n\n{new}\n"
    path = folder / "planted.py"
    path.write_text(changed, encoding="utf-8")
    return path


def check_planted(
    folder: Path, source: str, old: str, new: str, compiled: bool = False
) -> Report:
    """Check a game with one defect."""
    path = plant(folder, source, old, new)
    return check_game(load_game(str(path), compiled=compiled), games=16)


def assert_named(path: Path, code: str) -> None:
    """Assert that a defect is found: most of them in a few games, all of them in 16."""
    game = load_game(str(path), compiled=False)
    report = check_game(game, games=2)
    if code not in codes(report):
        report = check_game(game, games=16)
    assert code in codes(report), str(report)
    assert not report.ok


def codes(report: Report) -> set[str]:
    """Return what was found."""
    return {finding.code for finding in report.findings}


@pytest.mark.parametrize(("code", "old", "new"), DEFECTS_OF_TWO)
def test_a_planted_defect_is_named(
    tmp_path: Path, code: str, old: str, new: str
) -> None:
    assert_named(plant(tmp_path, TIC_TAC_TOE, old, new), code)


@pytest.mark.parametrize(("code", "old", "new"), DEFECTS_OF_ONE)
def test_a_planted_defect_of_a_game_with_dice_is_named(
    tmp_path: Path, code: str, old: str, new: str
) -> None:
    assert_named(plant(tmp_path, DICE, old, new), code)


def test_every_kind_of_fault_is_planted() -> None:
    planted = {code for code, _, _ in (*DEFECTS_OF_TWO, *DEFECTS_OF_ONE)}
    elsewhere = {"endless", "rules-missing"}  # planted below
    assert set(FAULTS) - planted == elsewhere


def test_a_game_that_tells_no_rules_is_advised_and_ok(tmp_path: Path) -> None:
    dice = tmp_path / "dice.py"
    dice.write_text(DICE, encoding="utf-8")
    report = check_game(load_game(str(dice), compiled=False), games=4)
    assert (codes(report), report.ok) == ({"rules-missing"}, True)
    assert "\n  advice, rules-missing: there is no RULES" in str(report)


def test_healthy_games_are_ok(tmp_path: Path) -> None:
    dice = tmp_path / "dice.py"
    dice.write_text(DICE, encoding="utf-8")
    for spec in ("tic_tac_toe", str(dice)):
        report = check_game(load_game(spec, compiled=False), games=40)
        assert report.ok, str(report)
        assert report.num_games == 64
        assert report.num_positions > 200


def test_the_compiled_game_is_compared_with_the_plain_one() -> None:
    report = check_game("tic_tac_toe", games=300, seed=1)
    assert report.ok, str(report)
    assert report.num_games > 300
    assert str(report).startswith("tic_tac_toe: ok; 3")


def test_a_rule_that_differs_when_compiled_is_named(tmp_path: Path) -> None:
    # Plain, int8 times int8 wraps around: 2 * 100 is -56. Numba computes in 64 bits.
    skip = "if state.board[cell] == 0 and (cell or state.ply * np.int8(100) >= 0):"
    old = "if state.board[cell] == 0:"
    report = check_planted(tmp_path, TIC_TAC_TOE, old, skip, compiled=True)
    assert "legal-compiled-differs" in codes(report), str(report)


def test_a_rule_that_numba_cannot_compile_is_one_readable_line(tmp_path: Path) -> None:
    new = "    count = 0 * len(cell_name(0, 0))"
    report = check_planted(tmp_path, TIC_TAC_TOE, "    count = 0", new, compiled=True)
    assert codes(report) == {"legal-does-not-compile"}
    line = str(report.findings[0])
    assert "\n" not in line
    assert "legal does not compile: TypingError: Untyped global name" in line
    assert "'cell_name'" in line


def test_a_game_that_never_ends_is_found_at_full_speed(tmp_path: Path) -> None:
    endless = TIC_TAC_TOE.replace("MAX_PLIES = 9", "MAX_PLIES = 0")
    again = "state.board[:] = 0\n        state.ply = state.winner = 0"
    path = plant(tmp_path, endless, "state.to_play = OVER", again)
    report = check_game(load_game(str(path)), games=1)
    assert codes(report) == {"endless"}
    assert len(report.findings[0].history) == 99_999


def test_a_finding_tells_the_way_to_its_place(tmp_path: Path) -> None:
    broken = "cell // 3, cell % 3] = np.inf if state.ply == 3 else 1"
    path = plant(tmp_path, TIC_TAC_TOE, "cell // 3, cell % 3] = 1", broken)
    game = load_game(str(path), compiled=False)
    (finding,) = check_game(game, games=3).findings
    assert finding.code == "observe-not-finite"
    assert State.replay(game, finding.history).raw.ply == 3
    assert f"step 3, history: {' '.join(map(str, finding.history))}" in str(finding)


def test_all_faults_of_a_file_are_listed_once(tmp_path: Path) -> None:
    two = TIC_TAC_TOE.replace("cell % 3] = 1", "cell % 3] = 1e6")
    path = plant(tmp_path, two, "return cell_name(", "return 'my ' + cell_name(")
    report = check_game(load_game(str(path), compiled=False), games=5)
    found = [finding.code for finding in report.findings]
    assert sorted(found) == ["name-not-a-word", "observe-huge"]


def test_the_same_seed_finds_the_same(tmp_path: Path) -> None:
    path = plant(tmp_path, TIC_TAC_TOE, "float(state.winner)", "state.winner / 2")
    game = load_game(str(path), compiled=False)
    one, two, other = (check_game(game, games=5, seed=seed) for seed in (7, 7, 8))
    assert one.findings == two.findings != other.findings


@pytest.mark.parametrize("name", quick(game_files(), "tic_tac_toe"))
def test_a_game_of_ours_keeps_the_contract(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ludens.check.THOROUGH_S", 0.8)  # users have 2 s
    report = check_game(name, games=1000)
    assert report.ok, str(report)
    assert report.num_games > 1000


@pytest.mark.parametrize(
    "spec", [play.spec for play in PLAYTHROUGHS if ":" in play.spec]
)
def test_a_variant_of_ours_keeps_the_contract(spec: str) -> None:
    report = check_game(load_game(spec, compiled=False), games=2)
    assert report.ok, str(report)


def test_the_checker_is_public() -> None:
    assert ludens.check_game is check_game


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        ("    def deep(n): return deep(n - 1)\n    deep(0)", "NotImplementedError"),
        ("    assert action < 0, 'never'", "AssertionError: never"),
    ],
    ids=["numba-fails", "rule-fails"],
)
def test_what_fails_without_numba_naming_a_line_is_named_by_line(
    tmp_path: Path, line: str, telling: str
) -> None:
    old = "    state.board[action] = mark"
    path = plant(tmp_path, TIC_TAC_TOE, old, f"{line}\n{old}")
    start = 1 + TIC_TAC_TOE.splitlines().index(old)
    game = load_game(str(path))
    with pytest.raises((AssertionError, CompilerError)) as raised:
        game.rules.apply(game.new().raw, 0)
    said = one_line(raised.value)
    assert telling in said
    number = int(said.rpartition("(line ")[2].rstrip(")"))
    assert start - 3 <= number <= start


def test_a_rule_that_calls_itself_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a cache it could not find its own address again."""
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))
    deep = "@rule\ndef deep(n: int) -> int:\n    return deep(n - 1) if n else 0\n\n\n"
    source = TIC_TAC_TOE.replace("@rule\ndef legal", f"{deep}@rule\ndef legal")
    path = plant(tmp_path, source, "    count = 0", "    count = deep(3)")
    report = check_game(str(path), games=1)
    assert codes(report) == {"legal-does-not-compile"}
    assert "a rule cannot call itself; write a loop" in str(report)
