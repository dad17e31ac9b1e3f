"""Matches that a page watches."""

import json

import pytest

from ludens.arena.match import Contest
from ludens.formats.record import Record
from ludens.formats.registry import read_text
from ludens.loading.game import load_game
from served import Page

TERMS = {"spec": "tic_tac_toe", "agents": ["greedy", "random"], "games": 6, "seed": 3}


def test_a_match_is_told_board_by_board(page: Page) -> None:
    *events, answer = page.follow(page.send("match", **TERMS))
    assert answer["ok"]
    finished = [game for event in events for game in event["finished"]]
    assert [game["number"] for game in finished] == [1, 2, 3, 4, 5, 6]
    last = events[-1]["standing"]
    assert events[-1]["done"] == 6 == last["wins"] + last["draws"] + last["losses"]
    assert last["score"]["low"] <= last["score"]["value"] <= last["score"]["high"]
    scenes: dict[int, list] = {}
    for board in (board for event in events for board in event["boards"]):
        scene = scenes.setdefault(board["number"], [])
        for shape in board["frame"]["gone"]:
            scene.remove(shape)
        scene.extend(board["frame"]["added"])
    game = load_game("tic_tac_toe", compiled=False)
    for one in finished:
        state = Record.model_validate(one["record"]).replay(game)
        assert state.is_over
        roles = [shape["role"] for shape in scenes[one["number"]]]
        assert roles.count("cross") + roles.count("ring") == state.num_plies


def test_a_page_gets_the_games_of_the_command(page: Page) -> None:
    events = list(page.follow(page.send("match", **TERMS)))[:-1]
    seen = [game["record"]["history"] for event in events for game in event["finished"]]
    game = load_game("tic_tac_toe", compiled=False)
    contest = Contest(game, TERMS["agents"], seed=3)
    played = [one.state.history for pair in contest.play(3) for one in pair]
    assert seen == played


def test_saved_games_are_read_again_line_by_line(page: Page) -> None:
    events = list(page.follow(page.send("match", **TERMS)))[:-1]
    records = [game["record"] for event in events for game in event["finished"]]
    text = "\n".join(json.dumps(record) for record in records)
    assert [record.written() for record in read_text(text)] == records
    read = page.ask("read", text=text, number=2)
    assert read["num_games"] == 6
    assert read["position"]["history"] == records[1]["history"]


def test_a_match_can_be_stopped(page: Page) -> None:
    agents = ["mcts:sims=20000", "mcts:sims=20000"]  # for minutes
    terms = {"spec": "connect_four", "agents": agents, "games": 1000}
    number = page.send("match", **terms)
    answers = page.follow(number)
    assert next(answers)["event"] == "match"
    page.send("stop", of=number)
    [*_, answer] = answers
    assert answer["stopped"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"agents": ["greedy", "nobody"]}, "there is no agent 'nobody'"),
        ({"agents": ["greedy", "mcts:sims=20001"]}, "sims can be at most 20,000"),
        ({"games": 1001}, "games"),
        ({"agents": ["greedy"]}, "agents"),
        ({"agents": ["greedy", "engine:cmd=true"]}, "there is no agent 'engine'"),
    ],
)
def test_a_match_that_cannot_be_is_refused(page: Page, changes, complaint) -> None:
    assert complaint in page.ask("match", **TERMS | changes)["error"]
