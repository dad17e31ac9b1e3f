"""A user's mistake is one line on stderr and exit code 2; ours would be a traceback."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from faults.sessions import PATIENCE_S
from ludens.games import tic_tac_toe

COMMAND = [sys.executable, "-m", "ludens"]
RULES = Path(tic_tac_toe.__file__).read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("play tic_tac", "there is no game 'tic_tac'; did you mean 'tic_tac_toe'?"),
        ("play gomoku:siz=9", "gomoku has no option 'siz'; did you mean 'size'?"),
        ("play gomoku:size=99", "size cannot be '99'; allowed: "),
        ("play gomoku:size", "cannot read option 'size' in 'gomoku:size'; write"),
        ("play none.py", "there is no game file none.py"),
        ("play tic_tac_toe --vs rndom", "there is no agent 'rndom'; did you mean"),
        ("play tic_tac_toe --side third", "there is no side 'third'; known: 0, 1,"),
        ("play tic_tac_toe --seed -1", "Invalid value for '--seed': "),
        ("play tic_tac_toe --seconds 0", "--seconds cannot be 0; it is a time above"),
        ("play tic_tac_toe --setup x", "tic_tac_toe has no set-up to choose"),
        ("play tic_tac_toe --web --load a.json", "--load and --save are for a game"),
        ("play tic_tac_toe --watch --save a.json", "--load and --save are for a game"),
        ("play tic_tac_toe --sed 1", "No such option: --sed"),
        ("games chess", "there is no game 'chess'; known: connect_four,"),
        ("games gomoku:rule=renjuu", "rule cannot be 'renjuu'; did you mean"),
        ("check chess", "there is no game 'chess'; known: connect_four,"),
        ("check tic_tac_toe --games 0", "Invalid value for '--games': "),
        ("play", "Missing argument 'GAME'."),
        ("paly", "No such command 'paly'. Did you mean 'play'?"),
    ],
)
def test_a_mistake_is_one_line(ludens, arguments, complaint):
    ran = ludens(*arguments.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ludens: {complaint}")
    assert len(ran.err.splitlines()) == 1


def test_completion_without_a_home_is_one_line(ludens, monkeypatch):
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    ran = ludens("--install-completion", "bash")
    assert (ran.code, ran.out) == (2, "")
    [line] = ran.err.splitlines()
    assert line.startswith("ludens: cannot install completion: ")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("def legal(", "def illegal(", " does not define legal"),
        ("def legal(", "def legal((", ":{} does not load: SyntaxError: "),
        ("STATE = ", "import no_such_thing\nSTATE = ", ":{} does not load: ModuleNotF"),
        ('("to_play", "i1")', '("turn", "i1")', ": STATE must be a NumPy dtype with"),
        ("    marks = {0", "    marks = {}[3]; {0", ":{}: KeyError: 3"),
        (
            "STATE = ",
            "raise SystemExit(0)\nSTATE = ",
            ":{} does not load: SystemExit: 0",
        ),
        ("    marks = {0", "    quit(); marks = {0", ":{}: SystemExit: "),
    ],
)
def test_a_broken_game_file_is_one_line(ludens, tmp_path, old, new, complaint):
    path = tmp_path / "my_game.py"
    path.write_text(RULES.replace(old, new))
    line = 1 + RULES[: RULES.index(old)].count("\n")
    ran = ludens("play", path, lines="a1")
    assert ran.code == 2
    assert ran.err.startswith(f"ludens: {path}{complaint.format(line)}")
    assert len(ran.err.splitlines()) == 1
    assert [*tmp_path.iterdir()] == [path]


def test_rules_that_do_not_compile_are_one_line(ludens, tmp_path, monkeypatch):
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "my_untyped_game.py"
    path.write_text(RULES.replace("    count = 0", '    count = "none" + 1'))
    ran = ludens("play", path, lines="a1")
    announced, complaint = ran.err.splitlines()
    assert announced == f"Compiling {path} (once) ..."
    assert complaint.startswith(f"ludens: {path} does not compile: TypingError: ")
    line = 1 + RULES[: RULES.index("    count = 0")].count("\n")
    assert complaint.endswith(f"(line {line})")
    assert ran.code == 2


@pytest.mark.parametrize(
    "wrong", ["state.plies += 1", "state.plies = 1", "count = state.plies"]
)
def test_a_field_that_is_not_there_is_named_with_its_line(
    ludens, tmp_path, monkeypatch, wrong
):
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "my_game_of_plies.py"
    path.write_text(RULES.replace("state.ply += 1", wrong))
    ran = ludens("play", path, lines="a1")
    line = 1 + RULES[: RULES.index("state.ply += 1")].count("\n")
    complaint = ran.err.splitlines()[-1]
    assert complaint.startswith(f"ludens: {path} does not compile: ")
    assert "apply: there is no field 'plies'" in complaint
    assert complaint.endswith(f"(line {line})")


def test_check_finds_a_fault_and_says_so_by_its_exit_code(ludens, tmp_path):
    path = tmp_path / "my_unfair_game.py"
    path.write_text(RULES.replace("return float(state.winner)", "return 3.0"))
    ran = ludens("check", path, "--games", 3)
    assert ran.code == 2
    summary, finding = ran.out.splitlines()
    assert summary.startswith(f"{path}: 1 finding")
    assert "result" in finding


def test_check_of_a_sound_game_is_one_line(ludens):
    ran = ludens("check", "tic_tac_toe", "--games", 3, "--seed", 1)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("tic_tac_toe: ok; ")


def test_a_reader_that_leaves_early_is_no_error():
    games = subprocess.Popen(
        [*COMMAND, "games"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert games.stdout is not None
    games.stdout.close()
    assert games.stderr is not None
    with games.stderr:
        assert games.stderr.read() == b""
    assert games.wait() == 1


def test_an_interrupted_command_leaves_without_a_traceback(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text("import time\nprint('here', flush=True)\ntime.sleep(600)\n")
    slow = subprocess.Popen(
        [*COMMAND, "check", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert slow.stdout is not None
    assert slow.stdout.readline() == b"here\n"
    slow.send_signal(signal.SIGINT)
    _, err = slow.communicate(timeout=PATIENCE_S)
    assert (slow.returncode, err) == (130, b"")
