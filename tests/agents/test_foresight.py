"""Agents that look a move or two ahead."""

from pathlib import Path

import numpy as np
import pytest

from ludens import Game, State, UserError, load_game
from ludens.agents import make_agent
from ludens.loading.game import game_files
from marked import quick


@pytest.fixture(scope="module")
def triangle() -> Game:
    return load_game("triangle")


def mean_score(game: Game, spec: str, num_games: int) -> float:
    scores = []
    for seed in range(num_games):
        state = game.new(seed=seed)
        agent = make_agent(spec, game, seed)
        while not state.is_over:
            state.apply(agent.choose(state.copy()))
        scores.append(state.score)
    return float(np.mean(scores))


def nearly_full_row(game: Game, slots: str) -> State:
    """Return a state in which the top row, d1 to l1, lacks only d1."""
    state = game.new(setup="1 1 1", seed=1)
    for column in "efghijkl":
        state.edit(f"toggle {column}1")
    for slot, shape in enumerate(slots.split(), 1):
        state.edit(f"slot {slot} {shape}")
    return state.copy()


def test_greedy_takes_what_clears(triangle: Game) -> None:
    state = nearly_full_row(triangle, "11 1 empty")
    assert state.action_name(make_agent("greedy", triangle, 1).choose(state)) == "2d1"


def test_greedy_leaves_the_most_moves_open(triangle: Game) -> None:
    state = nearly_full_row(triangle, "3 11 empty")
    chosen = make_agent("greedy", triangle, 1).choose(state)
    best = max(reward_and_moves(state, action) for action in state.legal_actions())
    assert reward_and_moves(state, chosen) == best


def reward_and_moves(state: State, action: int) -> tuple[float, int]:
    child = state.copy()
    child.apply(action)
    return round(child.score - state.score, 9), len(child.legal_actions())


def test_lookahead_adds_the_best_reply(triangle: Game) -> None:
    """Two moves ahead nothing is left to chance here."""
    state = nearly_full_row(triangle, "11 1 4")
    sums = {}
    for action in state.legal_actions():
        child = state.copy()
        child.apply(action)
        replies = [reward_and_moves(child, reply) for reply in child.legal_actions()]
        gain, left = max(replies)
        sums[state.action_name(action)] = (child.score - state.score + gain, left)
    agent = make_agent("lookahead", triangle, 1)
    told = {move.move: move.utility for move in agent.analyse(state).moves}
    assert told == pytest.approx({move: gain for move, (gain, _) in sums.items()})
    top = max((round(gain, 6), left) for gain, left in sums.values())
    chosen = sums[state.action_name(agent.choose(state))]
    assert (round(chosen[0], 6), chosen[1]) == top


def test_lookahead_averages_over_refills(triangle: Game) -> None:
    state = nearly_full_row(triangle, "4 empty empty")
    values = {}
    for refills in (1, 1000):
        found = [
            make_agent(f"lookahead:refills={refills}", triangle, seed).analyse(state)
            for seed in range(4)
        ]
        values[refills] = [sorted((m.move, m.utility) for m in a.moves) for a in found]
    one, many = (np.array([[v for _, v in row] for row in values[n]]) for n in values)
    assert np.ptp(one, axis=0).max() > 1
    assert np.ptp(many, axis=0).max() < 1


def test_what_is_drawn_is_not_what_comes(triangle: Game) -> None:
    """An agent of the same seed as the game knows nothing of its dice."""
    state = nearly_full_row(triangle, "4 empty empty")
    agents = [make_agent("lookahead:refills=1", triangle, seed) for seed in range(40)]
    told = np.array([agent.analyse(state).utility for agent in agents])
    truth = []
    for seed in range(40):
        child = state.copy(seed=seed)
        child.apply(agents[seed].choose(state))
        gains = [reward_and_moves(child, reply)[0] for reply in child.legal_actions()]
        truth.append(child.score - state.score + max(gains))
    assert np.std(truth) > 0
    assert np.mean(np.isclose(told, truth)) < 0.5


def test_each_look_further_scores_more(triangle: Game) -> None:
    greedy = mean_score(triangle, "greedy", 60)
    assert 15 < greedy < 35
    assert mean_score(triangle, "lookahead:refills=4", 15) > 1.2 * greedy


@pytest.mark.slow
def test_rules_that_are_not_compiled_give_the_same_choices(triangle: Game) -> None:
    plain = load_game("triangle", compiled=False)
    for spec in ("greedy", "lookahead:refills=2"):
        choices = [
            make_agent(spec, game, 3).choose(nearly_full_row(game, "4 empty 1"))
            for game in (triangle, plain)
        ]
        assert choices[0] == choices[1]


def without_heuristic(folder: Path) -> Game:
    """Return tic-tac-toe as somebody may write it who has no idea how to play."""
    source = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
    path = folder / "blind.py"
    path.write_text(source.replace("def heuristic", "def guess"), encoding="utf-8")
    return load_game(str(path), compiled=False)


def test_lookahead_of_two_players_needs_a_heuristic(tmp_path: Path) -> None:
    words = "is for two players and defines no heuristic"
    with pytest.raises(UserError, match=words):
        make_agent("lookahead", without_heuristic(tmp_path), 0)


def test_greedy_plays_what_the_heuristic_likes(tmp_path: Path) -> None:
    game = load_game("tic_tac_toe", compiled=False)
    chosen = {make_agent("greedy", game, seed).choose(game.new()) for seed in range(9)}
    assert {game.new().action_name(action) for action in chosen} == {"b2"}
    blind = without_heuristic(tmp_path)
    tried = {make_agent("greedy", blind, seed).choose(blind.new()) for seed in range(9)}
    assert len(tried) > 3


def test_greedy_wins_and_parries_before_it_asks_the_heuristic() -> None:
    game = load_game("tic_tac_toe", compiled=False)
    for moves, best in (("a1 a2 b1 b2", "c1"), ("b2 a1 c3 b1", "c1")):
        state = game.new()
        state.apply_moves(moves)
        for agent in ("greedy", "lookahead"):
            chosen = make_agent(agent, game, 1).choose(state)
            assert state.action_name(chosen) == best
    state = game.new()
    state.apply_moves("a1 b2 b1")
    analysis = make_agent("greedy", game, 1).analyse(state)
    assert analysis.moves[0].move == "c1"
    assert [move.utility for move in analysis.moves[1:]] == [-1.0] * 5


def test_lookahead_is_worth_what_the_best_reply_leaves() -> None:
    game = load_game("tic_tac_toe", compiled=False)
    state = game.new()
    state.apply_moves("b2 a1")
    analysis = make_agent("lookahead", game, 1).analyse(state)
    for move in analysis.moves:
        after = state.copy()
        after.apply(move.move)
        replies = []
        for reply in after.legal_actions():
            left = after.copy()
            left.apply(reply)
            replies.append(game.plain.heuristic(left.raw))
        assert move.utility == pytest.approx(min(replies))


@pytest.mark.parametrize(
    "spec", quick(["gomoku:size=9", "connect_four", "pyrga"], "connect_four")
)
def test_compiled_heuristics_choose_as_plain_ones(spec: str) -> None:
    state = load_game(spec, compiled=False).new(seed=1)
    while state.num_plies < 6:
        state.apply(state.legal_actions()[state.num_plies])
    plain = make_agent("greedy", state.game, 1).analyse(state)
    compiled = load_game(spec)
    twin = State.replay(compiled, state.history)
    assert plain.moves == make_agent("greedy", compiled, 1).analyse(twin).moves
