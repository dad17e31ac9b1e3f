"""The engine answers queries in JSON: several at once, streamed, terminated, blamed."""

import json
import queue
from collections.abc import Callable
from typing import Any

import pytest

from ludens import load_game
from ludens.agents import agent_maker
from ludens.loading.game import Game
from ludens.protocols.engine import Engine

PATIENCE_S = 60
AGENT = "mcts:sims=20"


class Client:
    """Sends queries to an engine in this process, and waits for answers."""

    def __init__(self, game: Game, agent: str = AGENT, num_threads: int = 1) -> None:
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        maker = agent_maker(agent, game)
        self.engine = Engine(game, agent, maker, self._answers.put, num_threads)

    def send(self, **query: Any) -> None:
        self.engine.take(json.dumps(query))

    def receive(self) -> dict[str, Any]:
        return self._answers.get(timeout=PATIENCE_S)

    def ask(self, **query: Any) -> dict[str, Any]:
        self.send(**({"id": "q"} | query))
        return self.receive()


@pytest.fixture(scope="module")
def noughts() -> Game:
    return load_game("tic_tac_toe", compiled=False)


@pytest.fixture(scope="module")
def fours() -> Game:
    return load_game("connect_four", compiled=False)


@pytest.fixture
def client(noughts: Game) -> Client:
    return Client(noughts)


def test_it_says_what_it_is(client: Client) -> None:
    found = client.ask(action="query_version")
    assert (found["game"], found["agent"]) == ("tic_tac_toe", AGENT)
    assert (found["numActions"], found["observationShape"]) == (9, [2, 3, 3])


def test_a_position_is_analysed(client: Client) -> None:
    found = client.ask(moves="a1 a2 b1 b2", maxVisits=60)
    assert (found["id"], found["turnNumber"]) == ("q", 4)
    assert found["isDuringSearch"] is False
    assert found["rootInfo"]["currentPlayer"] == 0
    assert found["moveInfos"][0]["move"] == "c1"
    assert found["moveInfos"][0]["proof"] == "win"


@pytest.mark.parametrize(
    "moves", ["a1b2", ["a1", "b2"], [["B", "a1"], ["W", "b2"]], [[0, "a1"], [1, "b2"]]]
)
def test_moves_are_a_text_or_a_list_with_or_without_players(
    client: Client, moves: Any
) -> None:
    assert client.ask(action="legal", moves=moves)["turnNumber"] == 2


def test_several_turns_of_a_game_are_analysed(client: Client) -> None:
    client.send(id="q", moves="b2 a1 c3", analyzeTurns=[0, 3])
    assert [client.receive()["turnNumber"] for _ in range(2)] == [0, 3]


def test_the_policy_has_every_legal_move(client: Client) -> None:
    found = client.ask(moves="b2", includePolicy=True)
    assert found["policy"][4] == -1
    assert sum(p for p in found["policy"] if p >= 0) == pytest.approx(1)


KATAGO = [{"player": "W", "moves": ["c3", "a1"], "untilDepth": 1}]


@pytest.mark.parametrize("allowed", [["C3", "a1"], KATAGO])
@pytest.mark.parametrize("agent", [AGENT, "mcts:root=gumbel", "mcts:max_edges=1"])
def test_a_search_looks_at_allowed_moves_only(
    noughts: Game, agent: str, allowed: Any
) -> None:
    client = Client(noughts, agent)
    found = client.ask(moves="b2", allowMoves=allowed, maxVisits=16, includePolicy=True)
    infos = found["moveInfos"]
    assert {info["move"] for info in infos} == {"a1", "c3"}
    assert [info["order"] for info in infos] == [0, 1]
    assert sum(info["visits"] for info in infos) == found["rootInfo"]["visits"] == 16
    assert [a for a, prior in enumerate(found["policy"]) if prior >= 0] == [0, 8]


def test_agents_without_a_search_list_allowed_moves_only(noughts: Game) -> None:
    found = Client(noughts, "random").ask(moves="a1 a2", allowMoves=["c3", "a3"])
    assert [info["move"] for info in found["moveInfos"]] == ["a3", "c3"]


def test_what_the_allowed_moves_lose_is_not_proven_lost(client: Client) -> None:
    found = client.ask(moves="a1 a2 b1 b2 c3", allowMoves=["a3"], maxVisits=60)
    assert (found["moveInfos"][0]["proof"], found["rootInfo"]["proof"]) == (
        "loss",
        None,
    )


def test_moves_and_ends_are_listed(client: Client) -> None:
    found = client.ask(action="legal", moves="a1 a2 b1 b2")
    assert found["legal"] == ["c1", "c2", "a3", "b3", "c3"]
    assert (found["currentPlayer"], found["isOver"]) == (0, False)
    over = client.ask(action="legal", moves="a1 a2 b1 b2 c1")
    assert (over["legal"], over["isOver"], over["result"]) == ([], True, 1.0)


def test_a_move_is_chosen_and_a_position_solved(client: Client) -> None:
    found = client.ask(action="genmove", moves="a1 a2 b1 b2", maxVisits=60)
    assert (found["action"], found["move"], found["moveAction"]) == ("genmove", "c1", 2)
    solved = client.ask(action="solve", moves="a1 a2 b1 b2")
    assert (solved["outcome"], solved["plies"], solved["line"]) == (1, 1, ["c1"])


def test_a_history_has_what_chance_gave() -> None:
    client = Client(load_game("triangle:line_features=false", compiled=False), "greedy")
    state = client.engine._game.new(seed=4)
    state.apply(state.legal_actions()[0])
    found = client.ask(action="legal", history=state.history)
    names = [state.action_name(action) for action in state.legal_actions()]
    assert (found["legal"], found["score"]) == (names, state.score)
    moved = client.ask(action="legal", moves=[], seed=4, history=None)
    assert moved["turnNumber"] == 0


def test_what_is_thought_is_told_until_it_is_terminated(fours: Game) -> None:
    client = Client(fours)
    client.send(id="long", maxTime=600, reportDuringSearchEvery=0.001)
    visits = [client.receive()["rootInfo"]["visits"] for _ in range(3)]
    assert visits == sorted(visits)
    client.send(id="waits")
    client.send(id="stop", action="terminate_all")
    answers = [client.receive() for _ in range(3)]
    while not any(a["id"] == "long" and not a["isDuringSearch"] for a in answers[1:]):
        answers.append(client.receive())
    ended = {a["id"]: a for a in answers if a.get("isDuringSearch") is False}
    assert ended["waits"]["noResults"]
    assert ended["long"]["rootInfo"]["visits"] >= visits[-1]


def test_only_the_named_query_is_terminated(fours: Game) -> None:
    client = Client(fours, num_threads=2)
    client.send(id="long", maxTime=600)
    assert client.ask(id="short", maxVisits=5)["id"] == "short"
    stop = client.ask(id="stop", action="terminate", terminateId="long")
    assert stop == {"id": "stop", "action": "terminate", "terminateId": "long"}
    assert client.receive()["id"] == "long"


def test_urgent_queries_come_first(fours: Game) -> None:
    client = Client(fours)
    client.send(id="first", maxTime=600)
    for name, priority in (("low", -1), ("middle", 0), ("high", 5)):
        client.send(id=name, priority=priority, maxVisits=3)
    client.send(id="stop", action="terminate", terminateId="first")
    names = [client.receive()["id"] for _ in range(5)]
    assert [name for name in names if name not in ("stop", "first")] == [
        *("high", "middle", "low")
    ]


def test_all_is_answered_before_it_ends(noughts: Game) -> None:
    answers: list[dict[str, Any]] = []
    write: Callable[[dict[str, Any]], None] = answers.append
    engine = Engine(noughts, AGENT, agent_maker(AGENT, noughts), write, 2)
    engine.run(f'{{"id": "{n}", "maxVisits": 5}}\n' for n in range(6))
    assert sorted(answer["id"] for answer in answers) == list("012345")


@pytest.mark.parametrize(
    ("query", "field", "why"),
    [
        ({"moves": "z9"}, "moves", "'z9' is not a move of tic_tac_toe"),
        ({"moves": "a1 a1"}, "moves", "a1 is not legal here"),
        ({"moves": "a1 a2 b1 b2 c1"}, "moves", "the game is over after 5 moves"),
        ({"history": [0, 0]}, "history", "a1 is not legal here"),
        ({"history": [0], "moves": "a1"}, "history", "one is enough"),
        ({"setup": "x"}, "setup", "has no set-up to choose"),
        ({"maxVisits": 0}, "maxVisits", "greater than or equal to 1"),
        ({"maxTime": "long"}, "maxTime", "valid number"),
        ({"analyzeTurns": [3], "moves": "a1"}, "analyzeTurns", "the game has 1 moves"),
        ({"allowMoves": ["a1"], "moves": "a1"}, "allowMoves", "'a1' is not legal here"),
        ({"allowMoves": [{"moves": ["a1"], "untilDepth": 9}]}, "allowMoves", "1 only"),
        ({"action": "dance"}, "action", "'dance'"),
        ({"action": "terminate"}, "terminateId", "Field required"),
    ],
)
def test_an_error_has_the_id_and_the_field(
    client: Client, query: dict[str, Any], field: str, why: str
) -> None:
    found = client.ask(**query)
    assert (found["id"], found["field"]) == ("q", field)
    assert why in found["error"]


@pytest.mark.parametrize("line", ["{", "[]", "7", "[" * 100_000, '{"id": 5}', "\x00"])
def test_a_line_that_is_no_query_is_answered(client: Client, line: str) -> None:
    client.engine.take(line)
    found = client.receive()
    assert found["id"] is None
    assert found["error"]
    assert client.ask(action="clear_cache") == {"id": "q", "action": "clear_cache"}


def test_what_nobody_reads_is_warned_of(client: Client) -> None:
    client.send(id="q", action="legal", komi=7.5)
    warned = client.receive()
    assert (warned["field"], "komi" in warned["warning"]) == ("komi", True)
    assert "legal" in client.receive()
