"""Runs as a page sees them, games of users, records by name."""

import json
from pathlib import Path

import pytest

from faults.made_runs import commit, make_game, make_run
from ludens.formats.record import Record, save_record
from ludens.loading.game import game_files, load_game
from ludens.store.moment import Moment, forget_now, write_now
from ludens.store.workers import WorkerFigures, sum_up
from ludens.web.library import Library
from served import Page, sent, serve


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_runs_are_listed_without_their_paths(runs):
    make_run(runs / "small", 2).close()
    (runs / "broken").mkdir()
    with serve() as served, served.page() as page:
        answer = page.ask("runs")
        found = {run["name"]: run for run in answer["runs"]}
        assert found["small"]["iteration"] == 2
        assert found["small"]["game"] == "tic_tac_toe"
        assert found["small"]["is_known"]
        assert not found["small"]["is_live"]
        assert found["broken"]["trouble"]
        assert str(runs) not in json.dumps(answer)


def test_a_run_is_watched_while_it_grows(runs):
    run = make_run(runs / "small", 2)
    with serve() as served, served.page() as page:
        number = page.send("run", name="small", num_games=4)
        first = page.hear()
        assert first["event"] == "run"
        assert [row["iteration"] for row in first["metrics"]] == [1, 2]
        assert first["is_live"]
        assert first["totals"]["games"] == 20
        assert first["config"]["seed"] == 7
        assert first["net"]["parameters"] > 0
        assert len(first["games"]) == 4
        assert first["games"][0]["number"] == 29
        assert len(first["games"][0]["values"]) == 5
        assert first["now"] == ""
        write_now(run.folder, Moment(3, "play", 10, {"evals_per_s": 1000.0}))
        assert page.hear()["now"] == "iteration 3, playing, 1,000 evaluations/s"
        forget_now(run.folder)
        assert page.hear()["now"] == ""
        commit(run, 3)
        second = page.hear()
        assert [row["iteration"] for row in second["metrics"]] == [3]
        assert second["games"][0]["number"] == 39
        run.close()
        assert not page.hear()["is_live"]
        page.send("stop", of=number)
        assert page.hear() == {"id": number, "ok": True, "stopped": True}


def test_the_workers_of_a_cluster_are_a_table(runs):
    with make_run(runs / "small", 1) as run:
        workers = [WorkerFigures("far", 2, 3, evals=800, busy_s=6.0, waited_s=2.0)]
        sums = sum_up(workers, num_twice=1)
        run.commit_games(2, [make_game(50)], [], sums, workers)
        run.commit_net(2, None, None, sums)
    with serve() as served, served.page() as page:
        page.send("run", name="small")
        heard = page.hear()
        assert heard["cluster"] == "1 worker, 75% busy, 1 share twice"
        head, row = heard["workers"]
        found = dict(zip(head, row, strict=True))
        assert (found["worker"], found["evaluations/s"]) == ("far", "200")


def test_a_game_of_a_run_can_be_shown_and_its_net_asked(runs):
    make_run(runs / "small", 1).close()
    with serve() as served, served.page() as page:
        page.send("run", name="small")
        game = page.hear()["games"][0]["game"]
        assert game["spec"] == "tic_tac_toe"
        at = {"spec": "tic_tac_toe", "history": game["history"][:2]}
        assert page.ask("position", game=at)["position"]["num_plies"] == 2
        about = page.ask("describe", game={"spec": "tic_tac_toe"})
        assert about["nets"] == ["", "muzero", "small"]
        agent = "net:weights=small,sims=20"
        assert page.ask("move", game={"spec": "tic_tac_toe"}, agent=agent)["ok"]
        late = "net:weights=small@9,sims=20"
        answer = page.ask("move", game={"spec": "tic_tac_toe"}, agent=late)
        assert answer["error"].startswith("run small has no net of iteration 9")


def test_a_game_file_of_a_user_gets_all_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    own = tmp_path / "my_game.py"
    own.write_text(game_files()["tic_tac_toe"].read_text(encoding="utf-8"), "utf-8")
    with serve(Library([own])) as served, served.page() as page:
        names = [game["name"] for game in page.ask("games")["games"]]
        assert names == [*game_files(), "my_game.py"]
        at = page.position("my_game.py", "b2")
        assert at["spec"] == "my_game.py"
        assert page.ask("move", game=sent(at), agent="mcts:sims=20")["ok"]
        record = page.ask("record", game=sent(at))["record"]
        assert record["game"] == "my_game"
        back = page.ask("read", text=json.dumps(record))
        assert back["position"]["history"] == at["history"]
        assert str(tmp_path) not in json.dumps(at)


def test_saved_games_are_read_by_name(tmp_path):
    state = load_game("pyrga", compiled=False).new()
    state.apply(state.legal_actions()[0])
    save_record(Record.of(state, ("human", "mcts")), tmp_path / "mine.json")
    with serve(Library([], [tmp_path / "mine.json"])) as served, served.page() as page:
        assert page.ask("games")["records"] == ["mine"]
        read = page.ask("read", name="mine")
        assert read["position"]["history"] == state.history
        assert read["players"] == ["human", "mcts"]
        assert "there is no saved game" in page.ask("read", name="../mine")["error"]


def test_levels_go_from_weak_to_strong(page: Page):
    for game in page.ask("games")["games"]:
        levels = game["levels"]
        assert [level["level"] for level in levels] == list(range(1, len(levels) + 1))
        known = [level["elo"] for level in levels if level["elo"] is not None]
        assert known == sorted(known), game["name"]
    about = page.ask("describe", game={"spec": "connect_four"})
    agent = about["levels"][0]["agent"]
    assert page.ask("move", game=sent(about["position"]), agent=agent)["ok"]
