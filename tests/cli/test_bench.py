"""`ludens bench`: what is printed; people judge the numbers."""

import json

import pytest


@pytest.fixture
def _compiled(monkeypatch: pytest.MonkeyPatch, ludens) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "1")


@pytest.mark.usefixtures("_compiled")
def test_speed_tells_rules_search_and_selfplay(ludens):
    ran = ludens("bench", "speed", "tic_tac_toe", "--seconds", 0.01)
    head, *lines = ran.out.splitlines()
    assert head.startswith("tic_tac_toe, ")
    assert [line.split()[0] for line in lines] == ["rules", "search", "self-play"]


@pytest.mark.usefixtures("_compiled")
def test_speed_is_told_as_json(ludens):
    ran = ludens("bench", "speed", "tic_tac_toe", "--seconds", 0.01, "--json")
    found = json.loads(ran.out)
    assert found["game"] == "tic_tac_toe"
    rates = ("random_games", "random_steps", "sims", "evaluations", "positions")
    assert all(found[name] > 0 for name in rates)
