"""Matches that a page watches."""

import json
from pathlib import Path
from typing import Any

import pytest

from ludens.arena.match import Contest
from ludens.errors import UserError
from ludens.formats.books import Book, BookOpening, save_book
from ludens.formats.record import Record
from ludens.formats.registry import read_text
from ludens.loading.game import load_game
from ludens.solver.exact import Solver
from ludens.state import State
from ludens.web.library import Library
from served import Page, serve

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


def begun(events: list[dict[str, Any]]) -> set[tuple[int, ...]]:
    """Return the first two moves of all games that were played."""
    records = [one["record"] for event in events for one in event["finished"]]
    return {tuple(record["history"][:2]) for record in records}


def test_a_match_begins_from_a_book_that_the_server_offers(tmp_path: Path) -> None:
    book = tmp_path / "corners.json"
    pages = [BookOpening(history=[0, 8]), BookOpening(history=[2, 6])]
    save_book(Book.of(load_game("tic_tac_toe"), pages), book, "json")
    with serve(Library(books=[book])) as served, served.page() as page:
        for spec, books in (("tic_tac_toe", ["corners"]), ("connect_four", [])):
            described = page.ask("describe", game={"spec": spec})
            assert described["books"] == books
        asked = TERMS | {"book": "corners", "openings": 3}
        *events, answer = page.follow(page.send("match", **asked))
        assert answer["ok"]
        assert begun(events) == {(0, 8), (2, 6)}
        other = page.ask("match", **TERMS | {"book": "corner"})
        assert "there is no book 'corner' for tic_tac_toe" in other["error"]
        assert "did you mean 'corners'" in other["error"]
        other = page.ask("match", **TERMS | {"book": "corners", "spec": "connect_four"})
        assert "there is no book 'corners' for connect_four" in other["error"]


def test_a_file_that_is_no_book_is_refused_when_the_server_starts(tmp_path) -> None:
    (tmp_path / "book.txt").write_text("?")
    with pytest.raises(UserError, match=r"book\.txt: it is not a book of openings"):
        Library(books=[tmp_path / "book.txt"])


def test_a_match_may_begin_from_positions_that_are_even(page: Page) -> None:
    *events, answer = page.follow(page.send("match", **TERMS, even=True))
    assert answer["ok"]
    assert events[0]["note"].endswith("even positions found")
    game = load_game("tic_tac_toe")
    solver = Solver(game)
    for moves in begun(events):
        assert solver.solve(State.replay(game, moves)).value.outcome == 0
    alone = page.ask("match", **TERMS | {"spec": "triangle", "even": True})
    assert "triangle is for one player: no position of it is even" in alone["error"]
