"""Programs play on the page if who starts the server names them, and never else."""

import sys
from pathlib import Path

import pytest

from ludens.errors import UserError
from ludens.web.library import Library
from ludens.web.players import name_engines
from served import serve

TOY = Path(__file__).parents[1] / "agents" / "toy_brain.py"
PROGRAM = f"engine:cmd={sys.executable} -S {TOY}"
NAME = Path(sys.executable).stem.replace(".", "-")
GAME = {"spec": "gomoku:size=5"}


@pytest.fixture(autouse=True)
def _plain_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")


def test_a_visitor_starts_no_process(tmp_path: Path):
    planted = tmp_path / "planted"
    agents = ["engine", f"engine:cmd=touch {planted}", NAME]
    with serve() as served, served.page() as page:
        for agent in [*agents, f"engine:seconds=1,cmd=touch {planted}"]:
            for do in ("move", "analyse", "review", "tree"):
                answer = page.ask(do, game=GAME, agent=agent)
                assert "there is no agent" in answer["error"]
        assert "engine" not in [one["name"] for one in page.ask("games")["agents"]]
    assert not planted.exists()


def test_a_named_program_plays_and_its_faults_are_a_line():
    named = name_engines([f"{PROGRAM} none", f"{PROGRAM} nonsense"])
    assert list(named) == [NAME, f"{NAME}-2"]
    with serve(Library(engines=named)) as served, served.page() as page:
        assert set(named) <= {one["name"] for one in page.ask("games")["agents"]}
        assert page.ask("move", game=GAME, agent=NAME)["name"] == "a1"
        failed = page.ask("move", game=GAME, agent=f"{NAME}-2")
        assert failed["error"] == (
            "the engine has lost: its answer 'I resign' is no move"
        )
        told = page.ask("analyse", game=GAME, agent=NAME)
        assert told["error"] == f"{NAME} tells nothing but its moves"


@pytest.mark.parametrize(
    ("agent", "words"),
    [("mcts", "mcts is on the page already"), ("engine:cmd=./no", "no program './no'")],
)
def test_what_cannot_be_offered_is_said(agent: str, words: str):
    with pytest.raises(UserError, match=words):
        name_engines([agent])
