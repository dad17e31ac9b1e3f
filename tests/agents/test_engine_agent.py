"""`engine:cmd=...` plays by another program; whatever that does costs it one game."""

import sys
from pathlib import Path

import pytest

from ludens import load_game
from ludens.agents import AGENTS, agent_maker, make_agent, runs_commands
from ludens.agents.gomocup import EngineAgent
from ludens.arena.match import Contest
from ludens.cluster.rounds import RoundsJob, play_rounds
from ludens.errors import Forfeit, UserError
from ludens.loading.game import parse_spec
from ludens.state import State

GAME = load_game("gomoku:size=5", compiled=False)
TOY = Path(__file__).parent / "toy_brain.py"


def toy(fault: str = "none", **settings: object) -> str:
    given = "".join(f",{name}={value}" for name, value in settings.items())
    return f"engine:cmd={sys.executable} -S {TOY} {fault}{given}"


def played(agent: str, moves: str) -> str:
    """Return what an agent plays after some moves, or why it has lost."""
    state = GAME.new()
    state.apply_moves(moves)
    engine = make_agent(agent, GAME, 0)
    try:
        return state.action_name(engine.choose(state))
    except Forfeit as error:
        return str(error)
    finally:
        engine.close()


def test_the_command_may_have_a_script_and_the_settings_follow():
    name, given = parse_spec("engine:cmd=python brain.py --deep,seconds=2")
    assert (name, given) == (
        "engine",
        {"cmd": "python brain.py --deep", "seconds": "2"},
    )


@pytest.mark.parametrize(("moves", "answer"), [("", "a1"), ("a1 b1", "c1")])
def test_a_program_begins_or_is_told_the_position(moves: str, answer: str):
    assert played(toy(), moves) == answer


def test_a_suggestion_is_accepted():
    assert played(toy("suggest"), "b2") == "a1"


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("exit", "it has ended with exit code 1: out of ideas"),
        ("hang", "it has not answered in time"),
        ("nonsense", "its answer 'I resign' is no move"),
        ("occupied", "it plays c3 illegally (the point is taken)"),
        ("refuse", "it answers START 5 with 'ERROR too small'"),
    ],
)
def test_each_fault_has_its_line(fault: str, line: str):
    limits = {"seconds": 0.05, "grace": 0.05} if fault == "hang" else {}
    assert played(toy(fault, **limits), "c3") == line


def test_a_fault_is_a_loss_and_the_match_goes_on():
    contest = Contest(GAME, (toy("exit"), "random"), threads=1)
    [(first, second)] = contest.play(1)
    assert first.forfeit.endswith("game 1: it has ended with exit code 1: out of ideas")
    assert [first.points(0), second.points(0)] == [0, 0]
    assert [first.result, second.result] == [-1, 1]


def test_whole_games_are_played_move_by_move():
    contest = Contest(GAME, (toy(), "random"), threads=1)
    [games] = contest.play(1)
    assert [game.forfeit for game in games] == ["", ""]
    assert all(game.state.is_over for game in games)


def test_a_move_that_was_taken_back_begins_anew():
    engine = make_agent(toy(), GAME, 0)
    state = GAME.new()
    state.apply(engine.choose(state))
    state.apply("c3")
    state.apply(engine.choose(state))
    assert state.history == [0, 12, 1]
    state = State.replay(GAME, [0, 12, 24])
    assert state.action_name(engine.choose(state)) == "b1"
    engine.close()


@pytest.mark.parametrize(
    ("agent", "line"),
    [
        (toy("refuse"), f"{toy('refuse')}: it answers START 5 with 'ERROR too small'"),
        (toy("mute", start=0.05), "it has not answered in time"),
        ("engine:cmd=./nowhere", "there is no program './nowhere' that can be run"),
        ("engine:cmd='", 'cannot read the command "\'": No closing quotation'),
        ("engine", "engine needs a command, such as engine:cmd=./pbrain-foo"),
    ],
)
def test_a_program_that_does_not_start_ends_the_match_at_once(agent: str, line: str):
    with pytest.raises(UserError) as found:
        Contest(GAME, (agent, "random"), threads=1)
    assert str(found.value).endswith(line)


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", "gomoku:size=5,row=4", "gomoku:size=5,opening=swap2"]
)
def test_other_games_are_refused(spec: str):
    with pytest.raises(UserError, match="engine plays gomoku with five in a row"):
        agent_maker(toy(), load_game(spec, compiled=False))


def test_the_program_and_its_children_are_gone_with_its_folder():
    engine = make_agent(toy("child"), GAME, 0)
    assert isinstance(engine, EngineAgent)
    engine.open()
    program = engine._program
    assert program is not None
    assert list(program.folder.iterdir()) == []
    engine.close()
    assert not program.folder.exists()
    # Whoever has its output would keep the threads that read it waiting.
    assert not any(thread.is_alive() for thread in program._threads)


def test_only_an_engine_runs_commands():
    assert [name for name in AGENTS if runs_commands(f"{name}:cmd=x")] == ["engine"]


def test_a_worker_of_a_cluster_runs_no_command():
    [player, _] = Contest(GAME, (toy(), "random"), threads=1).players
    assert player.text == ""  # by which it would be sent to one
    job = RoundsJob("gomoku:size=5", [["x", toy(), ""]] * 2, 0, None, 0, [])
    with pytest.raises(UserError, match="engine runs only where it is named"):
        play_rounds(job, GAME, {})


def test_our_own_brain_plays_a_short_match(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    brain = f"{sys.executable} -m ludens.protocols.gomocup --agent random"
    contest = Contest(GAME, (f"engine:cmd={brain},grace=60", "random"), threads=1)
    [games] = contest.play(1)
    assert [game.forfeit for game in games] == ["", ""]
    assert all(game.state.is_over for game in games)
