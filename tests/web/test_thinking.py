"""Agents that move, analyses that stream and stop, pages that share the threads."""

import threading
import time
import weakref
from contextlib import contextmanager

import pytest

from ludens.state import State
from ludens.web.leaving import Gone, working_for
from ludens.web.thinking import Crew, Job
from served import PATIENCE_S, Page, Served, sent

WIN_IN_ONE = ("1", "7", "2", "7", "3", "7")
"""Connect four: the first player wins by 4."""


@pytest.mark.parametrize("agent", ["random", "greedy", "mcts:sims=50", "solver"])
def test_an_agent_moves(page: Page, agent):
    at = page.position("tic_tac_toe", "b2")
    found = page.ask("move", game=sent(at), agent=agent)
    assert found["position"]["history"] == [4, found["action"]]
    assert found["num_new"] == 1


def test_agents_see_what_wins(page: Page):
    at = page.position("connect_four", *WIN_IN_ONE)
    for agent in ("mcts:sims=200", "net:sims=50", "greedy", "solver"):
        assert page.ask("move", game=sent(at), agent=agent)["name"] == "4", agent


def test_for_a_solver_at_a_loss_the_net_plays_and_says_so(page: Page):
    at = page.position("connect_four")
    found = page.ask("move", game=sent(at), agent="solver", seconds=0.3)
    assert found["note"] == "not solved within 0.3 s: net chose this move"
    assert found["analysis"]["agent"] == "net"
    assert found["position"]["num_plies"] == 1


def test_an_analysis_streams_and_ends(page: Page):
    at = page.position("connect_four", "4")
    number = page.send("analyse", game=sent(at), agent="mcts:sims=1", seconds=1.5)
    # the seconds do not lift a number of simulations that was named
    assert [*page.follow(number)][-1]["ok"]
    for seconds in (1, 10, 60):  # a busy machine takes its time
        number = page.send("analyse", game=sent(at), agent="mcts", seconds=seconds)
        *events, answer = page.follow(number)
        assert answer == {"id": number, "ok": True}
        if len(events) >= 3:
            break
    assert len(events) >= 3
    sims = [event["sims"] for event in events]
    assert sims == sorted(sims)
    assert [event["is_done"] for event in events] == [False] * (len(events) - 1) + [
        True
    ]
    best = events[-1]["moves"][0]
    assert {move["name"] for move in events[-1]["moves"]} == set("1234567")
    assert best["line"][0] == best["name"]
    assert len(best["line"]) > 2
    low, high = best["interval"]
    assert low <= best["winrate"] <= high
    assert events[-1]["sims_per_s"] > 0


def test_a_proof_is_told_and_ends_the_search(page: Page):
    at = page.position("connect_four", *WIN_IN_ONE)
    number = page.send("analyse", game=sent(at), agent="mcts:sims=100000")
    *events, _ = page.follow(number)
    assert events[-1]["proof"] == "win"
    assert events[-1]["moves"][0]["proof"] == "win"


def test_the_network_alone_has_its_view(page: Page):
    at = page.position("connect_four", "4")
    number = page.send("analyse", game=sent(at), agent="policy")
    *_, event, answer = page.follow(number)
    assert answer["ok"]
    assert sum(move["prior"] for move in event["moves"]) == pytest.approx(1)


def thinkers_rest(served: Served) -> bool:
    """Tell whether no job is left, now or soon."""
    end_s = time.monotonic() + PATIENCE_S
    while served.desk.crew.num_jobs and time.monotonic() < end_s:
        time.sleep(0.01)
    return served.desk.crew.num_jobs == 0


def test_stopping_ends_an_analysis_at_once(served: Served, page: Page):
    at = page.position("connect_four", "4")
    number = page.send("analyse", game=sent(at), agent="mcts", seconds=100)
    assert page.hear()["event"] == "analysis"
    page.send("stop", of=number)
    [*_, answer] = page.follow(number)
    assert answer == {"id": number, "ok": True, "stopped": True}
    assert thinkers_rest(served)
    assert page.ask("stop", of=number)["ok"]  # a second time does no harm


def test_a_new_analysis_ends_the_old_one(served: Served, page: Page):
    at = page.position("connect_four", "4")
    old = page.send("analyse", game=sent(at), agent="mcts", seconds=100)
    assert page.hear()["event"] == "analysis"
    new = page.send("analyse", game=sent(at), agent="mcts", seconds=100)
    [*_, answer] = page.follow(old)
    assert answer["stopped"]
    events = [page.hear() for _ in range(3)]
    assert {event["id"] for event in events} == {new}
    assert served.desk.crew.num_jobs <= 1


def test_a_page_that_goes_away_leaves_no_thinking_behind(served: Served):
    with served.page() as page:
        at = page.position("connect_four", "4")
        page.send("analyse", game=sent(at), agent="mcts", seconds=100)
        assert page.hear()["event"] == "analysis"
    assert thinkers_rest(served)
    with served.page() as page:
        page.send("solve", game=sent(page.position("connect_four")), seconds=100)
        page.position("connect_four")
    assert thinkers_rest(served)


def test_a_page_that_goes_away_leaves_no_replay_behind(served: Served, monkeypatch):
    reached, is_left, ended = (threading.Event() for _ in range(3))
    asked, steps = [], []
    apply_step = State.apply_step

    def wait(state: State, step: int) -> None:
        steps.append(step)
        if len(steps) == 2:
            reached.set()
            assert is_left.wait(60)
        apply_step(state, step)

    @contextmanager
    def watch(is_gone):
        asked.append(is_gone)
        try:
            with working_for(is_gone):
                yield
        except Gone:
            ended.set()
            raise

    monkeypatch.setattr(State, "apply_step", wait)
    monkeypatch.setattr("ludens.web.connection.working_for", watch)
    with served.page() as page:
        game = {"spec": "tic_tac_toe", "history": [0, 1, 2, 3, 4]}
        page.send("position", game=game)
        assert reached.wait(60)
    while not asked[-1]():
        time.sleep(0.01)
    is_left.set()
    assert ended.wait(60)
    assert steps == [0, 1]


def test_one_long_word_holds_up_nobody(served: Served, page: Page):
    with served.page() as rude:
        for text in ("x" * 150_000, "b2" * 70_000, "b2 " * 50_000):
            answer = rude.ask("read", spec="tic_tac_toe", text=text)
            assert len(answer["error"]) < 200
    assert page.ask("games")["ok"]


def test_a_page_stays_responsive_while_others_think(served: Served):
    with served.page() as one, served.page() as two, served.page() as three:
        at = one.position("connect_four", "4")
        for page in (one, two):
            page.send("analyse", game=sent(at), agent="mcts", seconds=100)
            page.hear()
        assert three.ask("move", game=sent(at), agent="mcts:sims=200")["ok"]


def test_the_threads_are_shared_fairly_among_pages():
    counts = {"greedy page": 0, "modest page": 0}
    is_over = threading.Event()

    def work(job):
        while not is_over.is_set():
            counts[job.page] += 1
            if sum(counts.values()) > 400:
                is_over.set()
            yield None
        return {}

    crew = Crew(1)
    ended = threading.Semaphore(0)
    names = ("greedy page", "greedy page", "greedy page", "modest page")
    jobs = [Job(name, work, print, lambda _: ended.release()) for name in names]
    for job in jobs:
        crew.submit(job)
    for _ in jobs:
        assert ended.acquire(timeout=60)
    crew.close()
    assert counts["modest page"] == pytest.approx(counts["greedy page"], rel=0.1)


def test_a_review_finds_the_mistake(page: Page):
    at = page.position("connect_four", *WIN_IN_ONE, "5")  # 4 would have won
    number = page.send("review", game=sent(at), agent="mcts", sims=500)
    *events, answer = page.follow(number)
    assert answer["ok"]
    assert [event["step"] for event in events] == list(range(7))
    assert events[-1]["best"] == "4"
    assert events[-1]["drop"] > 0.1
    assert max(event["drop"] for event in events) == events[-1]["drop"]


def test_the_refill_after_a_move_is_not_its_mistake(page: Page):
    at = page.position("triangle", seed=4)
    for _ in range(3):
        step = at["legal"][0]["action"]
        at = page.ask("play", game=sent(at), step=step)["position"]
    *played, _, _, _ = at["history"]

    def last_of(refill: list[int]) -> dict:
        game = {"spec": "triangle", "seed": 4, "history": [*played, *refill]}
        number = page.send("review", game=game, agent="mcts", sims=300)
        *events, _ = page.follow(number)
        assert events[1]["score"] > events[0]["score"] == 0.0
        return {key: events[-1][key] for key in ("drop", "played_winrate")}

    assert last_of([0, 0, 0]) == last_of([20, 20, 20])


def test_a_position_is_solved(page: Page):
    at = page.position("connect_four", *WIN_IN_ONE)
    found = page.ask("solve", game=sent(at))
    assert found["outcome"] == 1
    assert found["words"] == "win in 1 ply"
    assert found["best_names"] == ["4"]
    hard = page.ask("solve", game=sent(page.position("connect_four")), seconds=0.3)
    assert hard["error"] == "not solved within 0.3 s"
    one = page.ask("solve", game={"spec": "triangle"})
    assert "is for one player" in one["error"]


def test_stopping_ends_the_solver_at_once(served: Served, page: Page):
    at = page.position("connect_four")
    number = page.send("solve", game=sent(at), seconds=100)
    page.send("stop", of=number)
    [*_, answer] = page.follow(number)
    assert answer == {"id": number, "ok": True, "stopped": True}
    assert thinkers_rest(served)


def test_a_tree_opens_node_by_node(page: Page):
    game = sent(page.position("connect_four", "4"))
    tree = page.ask("tree", game=game, agent="mcts", sims=300, depth=1)["tree"]
    assert tree["visits"] == 301
    child = tree["children"][0]
    assert child["children"] == []
    assert child["num_hidden"] > 0
    assert not child["is_leaf"]
    again = page.ask("tree", game=game, agent="mcts", sims=300, path=[child["choice"]])[
        "tree"
    ]
    assert again["visits"] == child["visits"]
    assert again["title"] == child["title"]
    assert again["children"]
    last = min(again["children"], key=lambda node: node["visits"])
    assert last["is_leaf"] == (last["num_hidden"] == 0 and last["children"] == [])
    error = page.ask("tree", game=game, agent="mcts", sims=300, path=[99])["error"]
    assert error == "the tree has no node at 99 of the path"
    assert "grows no tree" in page.ask("tree", game=game, agent="random")["error"]


def test_a_finished_game_needs_no_thinking(page: Page):
    at = page.position("tic_tac_toe", "b2", "a1", "c1", "a2", "a3")
    for do in ("move", "analyse"):
        answer = page.ask(do, game=sent(at), agent="mcts")
        assert answer["error"] == "the game is over in this position"


def test_a_job_that_is_left_lets_go_of_what_thought_and_of_whom_it_told():
    held = {"tree": threading.Event()}
    gone = weakref.ref(held["tree"])

    def work(tree):
        yield tree and None

    def begin(job):
        job.on_stop = held["tree"].set
        return work(held.pop("tree"))

    told = threading.Event()
    listener = weakref.ref(told)
    job = Job("page", begin, lambda _, told=told: told, lambda _, told=told: told)
    del told
    job.stop()
    assert not job.advance()
    assert gone() is None
    assert listener() is None
