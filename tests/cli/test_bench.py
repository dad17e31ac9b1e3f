"""`ludens bench`: the tables are printed; their numbers are for people to judge."""

import os
from collections.abc import Iterator

import pytest

from ludens.bench.rules import copy_ns
from ludens.loading.game import game_files, load_game


@pytest.fixture
def _compiled(monkeypatch: pytest.MonkeyPatch, ludens) -> Iterator[None]:
    """Run compiled, and give back the cores that a measurement leaves."""
    cores = os.sched_getaffinity(0)
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    yield
    os.sched_setaffinity(0, cores)


@pytest.mark.usefixtures("_compiled")
def test_rules_are_measured_next_to_peers(ludens):
    ran = ludens("bench", "rules", "tic_tac_toe", "--seconds", 0.01, "--rounds", 1)
    head, ours, *others = ran.out.splitlines()
    assert head.split() == [
        "game",
        "engine",
        "games/s",
        "steps/s",
        "copy",
        "ours",
        "is",
    ]
    assert ours.split()[:2] == ["tic_tac_toe", "ludens"]
    assert others[0].split()[:2] == ["tic_tac_toe", "open_spiel"]
    assert others[0].endswith("x")


@pytest.mark.usefixtures("_compiled")
def test_solver_is_measured_by_stage(ludens, monkeypatch):
    monkeypatch.setattr("ludens.bench.solver.CASES", (("tic_tac_toe", (3, 0)),))
    ran = ludens("bench", "solver", "--positions", 2)
    assert [line.split()[:3] for line in ran.out.splitlines()[2:]] == [
        ["tic_tac_toe", "3", "2/2"],
        ["tic_tac_toe", "0", "2/2"],
    ]


@pytest.mark.usefixtures("_compiled")
def test_replay_is_measured_by_game(ludens):
    ran = ludens("bench", "replay", "--positions", 500, "--batch-size", 8)
    names = [line.split()[0] for line in ran.out.splitlines()[2:]]
    assert names == ["connect_four", "gomoku:size=9"]


@pytest.mark.usefixtures("_compiled")
def test_selfplay_is_measured_with_the_net_of_a_preset(ludens):
    briefly = ("--seconds", 0.01, "--rounds", 1)
    ran = ludens("bench", "selfplay", "tic_tac_toe", "--preset", "gpu", *briefly)
    head, what, bare, *_ = ran.out.splitlines()
    assert head.startswith("Gumbel, 256 games")
    assert what.startswith("tic_tac_toe, 4 blocks x 64 channels, 32 simulations")
    assert bare.split()[:2] == ["bare", "network"]


@pytest.mark.parametrize("name", sorted(game_files()))
def test_a_copy_of_a_state_takes_less_than_100_ns(name: str):
    assert min(copy_ns(load_game(name)) for _ in range(3)) < 100
