"""Games that are played to their ends: as many as wanted, however they are cut."""

from typing import Any

import numpy as np
import pytest

from ludens.game import Planes
from ludens.loading.game import load_game
from ludens.search.config import SearchConfig
from ludens.search.model import Evaluation
from ludens.selfplay import share as shares
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import cut_games
from ludens.selfplay.worker import play_games
from ludens.store.arrays import FORMAT, arrays_of, save_games
from ludens.store.games import row_of

GAME = load_game("tic_tac_toe")
SEARCH = SearchConfig(sims=4, root="gumbel")


def evaluate(planes: Planes) -> Evaluation:
    """Like some moves better, by what is on the board."""
    count = len(planes)
    sums = planes.reshape(count, -1).sum(1)
    logits = np.sin(sums[:, None] + np.arange(GAME.num_actions)).astype(np.float32)
    return Evaluation(logits, np.tanh(np.sin(sums)).astype(np.float32))


def play(num_games: int, threads: int = 1) -> list[Any]:
    config = SelfplayConfig(threads=threads)
    played = play_games(GAME, SEARCH, config, evaluate, cut_games(num_games, 3, 0))
    return [one for share in played for one in share.games]


def rows(games: list[Any]) -> list[Any]:
    return [row_of(one, 0) for one in sorted(games, key=lambda one: one.number)]


def test_as_many_games_are_played_as_wanted_each_to_its_end() -> None:
    games = play(37)
    assert sorted(one.number for one in games) == list(range(37))
    assert all(one.is_over for one in games)
    assert all(one.num_positions > 0 for one in games)


@pytest.mark.parametrize(("num_shares", "threads"), [(1, 1), (5, 2), (1000, 2)])
def test_games_do_not_depend_on_how_they_are_cut(
    monkeypatch: pytest.MonkeyPatch, num_shares: int, threads: int
) -> None:
    usual = rows(play(20))
    monkeypatch.setattr(shares, "SHARES", num_shares)
    assert rows(play(20, threads)) == usual


def test_games_are_kept_as_arrays(tmp_path) -> None:
    games = play(5)
    save_games(games, GAME.num_actions, tmp_path / "a.safetensors", {"game": "x"})
    found, texts = FORMAT.read(tmp_path / "a.safetensors")
    assert texts == {"game": "x"}
    assert found["policies"].shape == (found["num_plies"].sum(), 9)
    assert found["history"].shape == (found["num_steps"].sum(),)
    first = found["history"][: found["num_steps"][0]]
    np.testing.assert_array_equal(first, games[0].history)
    assert arrays_of([], 9)["policies"].shape == (0, 9)
