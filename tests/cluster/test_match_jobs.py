"""Matches as jobs: the same games from others, and only those that can be."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from played_shares import GAME, tiny_net

from ludens.arena.match import Contest
from ludens.arena.openings import Opening
from ludens.arena.play import Played
from ludens.cluster.jobs import sha256
from ludens.cluster.matches import RoundsTask, make_task, tell_agents
from ludens.cluster.wire import pack, unpack
from ludens.cluster.worker import Worker

FIGURES = {"seconds": 1.0}


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Contest:
    """Return a match of a net that others have to be given."""
    file = tmp_path_factory.mktemp("nets") / "a.safetensors"
    file.write_bytes(tiny_net().to_bytes())
    agents = (f"net:weights={file},sims=4,precision=f32", "random")
    return Contest(GAME, agents, seed=3, threads=1)


def cut(contest: Contest, num_rounds: int = 3) -> list[RoundsTask]:
    """Return the tasks of a match, an opening each."""
    found: list[RoundsTask] = []

    def spread(
        one: Contest, openings: Iterable[Opening], num_rounds: int
    ) -> Iterator[Any]:
        told = tell_agents(one)
        found.extend(make_task(one, *told, [opening]) for opening in openings)
        return iter(())

    spreading = Contest(GAME, contest.agents, seed=3, threads=1, spread=spread)
    assert list(spreading.play(num_rounds)) == []
    return found


def said(games: Iterable[tuple[Played, ...]]) -> list[Any]:
    every = (game for games_of_one in games for game in games_of_one)
    return [(g.number, g.seating, g.state.history, g.points(0)) for g in every]


def test_a_worker_plays_the_games_that_are_played_here(contest: Contest) -> None:
    worker, played = Worker("cpu", "f32", 1), []
    for task in cut(contest):
        answer = worker.play(task.to_bytes(), *task.nets.values())
        games, figures = task.read(answer)
        played += games
        assert figures["games"] == 2
    assert said(played) == said(contest.play(3))


def test_nets_travel_by_their_hash(contest: Contest) -> None:
    [task] = cut(contest, 1)
    content = tiny_net().to_bytes()
    assert dict(task.nets) == {sha256(content): content}
    wrong = Worker("cpu", "f32", 1).play(task.to_bytes(), content[:-1] + b"x")
    assert "damaged" in unpack(wrong)[0]["error"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda h: h[:1], "another number of games"),
        (lambda h: [[*h[0], 0], h[1]], "after its end"),
        (lambda h: [h[0][:-1], h[1]], "not one from its opening"),
        (lambda h: [[*h[0][:-1], h[0][0]], h[1]], "game 1"),
        (lambda h: [h[1][::-1], h[1]], "game 1"),
        (lambda h: [["a"] * 9, h[1]], "moves that are none"),
        (lambda h: [None, h[1]], "a game that is none"),
        (lambda h: None, "another number of games"),
    ],
)
def test_games_that_cannot_have_been_played_are_refused(
    contest: Contest, change: Callable[[Any], Any], why: str
) -> None:
    [task] = cut(contest, 1)
    [games] = contest.play(1)
    honest = [[int(step) for step in game.state.history] for game in games]
    with pytest.raises(ValueError, match=why):
        task.read(pack({"histories": change(honest), "figures": FIGURES}))


def test_a_game_file_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludens.cluster.jobs import portable_spec
    from ludens.loading.game import load_game

    source = Path(str(GAME.path)).read_text(encoding="utf-8")
    (tmp_path / "own.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert portable_spec(load_game("own.py")) == str(tmp_path / "own.py")
