"""Positions are those of the games, and what they teach is what was found in play."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from played_games import SIX, last_state, load, play, play_line, positions

from ludens import State, UserError, load_game
from ludens.learn.config import ReplayConfig
from ludens.learn.positions import replay_games
from ludens.learn.tables import WHOLE
from ludens.learn.window import Window, capacity

RACE = str(Path(__file__).parents[1] / "search" / "dice_race.py")
SPLIT_WIN = "1122334"  # connect four: the first player wins with the last move


@pytest.mark.parametrize("spec", SIX)
def test_positions_are_rebuilt_by_the_rules(spec):
    game = load(spec)
    games = [play(game, number) for number in range(4)]
    columns = replay_games(game, ReplayConfig(), games)
    row = 0
    for index, played in enumerate(games):
        end = last_state(game, played)
        assert columns.ends[index].tobytes() == end.raw.tobytes()
        for ply, (state, _) in enumerate(positions(game, played.history.tolist())):
            if played.kinds[ply]:
                fact = columns.facts[row]
                assert columns.states[row].tobytes() == state.raw.tobytes()
                assert fact.end == index
                assert fact.plies_left == len(played.kinds) - ply
                assert fact.teaches == (played.kinds[ply] == 2)
                shares = columns.policies[row] / WHOLE
                assert np.allclose(shares, played.policies[ply], atol=1e-5)
                row += 1
    assert row == len(columns.states)


@pytest.mark.parametrize("spec", ["connect_four", "triangle"])
def test_history_that_breaks_the_rules_is_refused(spec):
    game = load(spec)
    good = play(game, 7)
    window = Window(game, ReplayConfig())
    half = good.history[: len(good.history) // 2]
    for history in (half, np.append(good.history, 0), good.history + 1000):
        with pytest.raises(UserError, match="game 7 does not follow the rules"):
            window.add([replace(good, history=history.astype(np.int32))])
    assert window.num_seen == window.num_positions == 0


def test_foul_ends_a_game():
    game = load_game("gomoku:size=15,rule=renju", compiled=False)
    foul = "h8 a1 h9 a3 j10 a5 k10 a7"
    played = play_line(game, foul)
    last = game.new()
    last.apply_moves(foul)
    history = [*played.history.tolist(), last.read_action("h10")]
    last.apply("h10", allow_foul=True)
    assert last.is_over
    fouled = replace(
        played,
        history=np.array(history, np.int32),
        kinds=np.full(len(history), 2, np.uint8),
        policies=np.zeros((len(history), game.num_actions), np.float16),
        values=np.zeros(len(history), np.float32),
    )
    columns = replay_games(game, ReplayConfig(), [fouled])
    assert columns.ends[0].tobytes() == last.raw.tobytes()
    assert columns.facts["has_end"].all()


def test_value_mixes_result_and_root_value_for_the_mover():
    game = load("connect_four")
    played = play_line(game, SPLIT_WIN, values=np.float32([0.5, -0.5, 0, 0, 0, 0, 1]))
    assert played.result == 1
    facts = replay_games(game, ReplayConfig(q_share=0.75), [played]).facts
    expected = [0.625, -0.625, 0.25, -0.25, 0.25, -0.25, 1]
    assert facts["value"].tolist() == expected
    assert not facts["draw"].any()


def literal_values(game, played, q_share, n_steps, discount):
    """Return the value and the draw of each searched position, by the definition."""
    found = positions(game, played.history.tolist())
    movers = [state.to_play for state, _ in found]
    roots = [ply for ply, kind in enumerate(played.kinds) if kind]
    share, pairs = (1.0 if played.ending == "cut" else q_share), []
    for ply in roots:
        result = played.result if movers[ply] == 0 else -played.result
        ahead = [root for root in roots if root >= ply + n_steps]
        if played.ending == "cut":
            ahead = ahead or roots[-1:]
        if ahead:
            sign = 1 if movers[ahead[0]] == movers[ply] else -1
            seen = sign * float(played.values[ahead[0]]) * discount ** (ahead[0] - ply)
        else:
            seen = result * discount ** (len(movers) - ply)
        drawn = (1 - share + share * (not ahead)) * (1 - abs(result))
        pairs.append(((1 - share) * result + share * seen, drawn))
    return pairs


@pytest.mark.parametrize("n_steps", [1, 2, 5, 100])
@pytest.mark.parametrize("ending", ["played", "cut"])
def test_two_players_learn_from_a_root_some_plies_later(n_steps, ending):
    """Dice are thrown between the plies, and some of them were not searched."""
    game = load_game(RACE, compiled=False)
    config = ReplayConfig(n_steps=n_steps, q_share=0.75, discount=0.9)
    for number in range(6):
        played = replace(play(game, number, kinds=(0, 1, 2)), ending=ending)
        facts = replay_games(game, config, [played]).facts
        expected = literal_values(game, played, 0.75, n_steps, 0.9)
        pairs = list(zip(facts["value"], facts["draw"], strict=True))
        np.testing.assert_allclose(pairs, expected, atol=1e-6)


def test_a_root_some_plies_later_counts_for_its_player():
    game = load("connect_four")
    played = play_line(game, SPLIT_WIN, values=np.float32([0.5, -0.5, 0, 0, 0.3, 0, 1]))
    facts = replay_games(game, ReplayConfig(q_share=1.0, n_steps=3), [played]).facts
    expected = [0, -0.3, 0, -1, 1, -1, 1]
    np.testing.assert_allclose(facts["value"], expected, atol=1e-6)


def test_draw_counts_as_a_draw():
    game = load("tic_tac_toe")
    drawn = play_line(game, "a1 b1 c1 b2 a2 c2 b3 a3 c3", values=np.float32([0.4] * 9))
    assert drawn.is_over
    assert drawn.result == 0
    window = Window(game, ReplayConfig(q_share=0.75))
    window.add([drawn])
    batch = window.sample(32, np.random.default_rng(1))
    assert np.allclose(batch.values, 0.3)
    assert np.allclose(batch.outcomes, [0.75 * 0.7, 0.25, 0.75 * 0.3])


def test_result_of_a_cut_game_says_nothing():
    game = load("connect_four")
    cut = play_line(game, "1122", values=np.float32([0.5, -0.5, 0.25, 0]))
    facts = replay_games(game, ReplayConfig(q_share=0.1), [cut]).facts
    assert facts["value"].tolist() == [0.5, -0.5, 0.25, 0]
    assert not facts["has_end"].any()
    resigned = replace(cut, ending="resigned", result=-1.0)
    facts = replay_games(game, ReplayConfig(q_share=0), [resigned]).facts
    assert facts["value"].tolist() == [-1, 1, -1, 1]
    assert not facts["has_end"].any()


def rewards_of(game, played, discount):
    """Return what each action brought; what chance does is a move later."""
    state, rewards = State(game), []
    for step in played.history.tolist():
        was_chance, before = state.is_chance, state.score
        state.apply_step(step)
        if not was_chance:
            rewards.append(state.score - before)
        elif rewards:
            rewards[-1] += discount * (state.score - before)
    return rewards


def rewarded(num_plies, discount=1.0):
    """Return the first plies of a game of triangle, and what each brought."""
    game = load("triangle")
    whole = play(game, 3, kinds=(2,))
    found = positions(game, whole.history.tolist())
    cut = replace(
        whole,
        history=np.array(found[num_plies][0].history, np.int32),
        kinds=whole.kinds[:num_plies],
        policies=whole.policies[:num_plies],
        values=np.float32([10, 20, 30, 40, 50, 60])[:num_plies],
        is_over=False,
        ending="cut",
    )
    return game, whole, cut, rewards_of(game, whole, discount)


def test_score_is_learned_from_rewards_and_a_root_value_some_steps_later():
    game, _, cut, r = rewarded(4, discount=0.5)
    config = ReplayConfig(n_steps=2, discount=0.5)
    facts = replay_games(game, config, [cut]).facts
    expected = [
        r[0] + 0.5 * r[1] + 0.25 * 30,
        r[1] + 0.5 * r[2] + 0.25 * 40,
        r[2] + 0.5 * 40,  # the game was cut: its last root stands for the rest
        40,
    ]
    assert np.allclose(facts["value"], expected)
    unsearched = replace(cut, kinds=np.uint8([2, 2, 0, 2]))
    facts = replay_games(game, config, [unsearched]).facts
    later = r[0] + 0.5 * r[1] + 0.25 * r[2] + 0.125 * 40
    assert np.allclose(facts["value"], [later, expected[1], 40])


def test_score_is_learned_from_all_rewards():
    game, whole, cut, r = rewarded(4)
    facts = replay_games(game, ReplayConfig(), [cut]).facts
    assert np.allclose(facts["value"], [r[0] + r[1] + r[2] + 40, r[1] + r[2] + 40,
                                        r[2] + 40, 40])  # fmt: skip
    facts = replay_games(game, ReplayConfig(), [whole]).facts
    assert np.isclose(facts["value"][0], whole.result)
    assert np.allclose(facts["value"][:-1] - facts["value"][1:], r[:-1], atol=1e-4)


def test_window_grows_ever_more_slowly():
    config = ReplayConfig(window_start=1000, window_max=5000)
    assert capacity(config, 10) == capacity(config, 1000) == 1000
    assert capacity(config, 2000) == int(1000 * (1 + 0.4 * (2**0.75 - 1) / 0.75))
    assert capacity(config, 10**9) == 5000


def test_whole_games_leave_oldest_first():
    game = load("tic_tac_toe")
    games = [play(game, number, kinds=(1, 2)) for number in range(30)]
    config = ReplayConfig(window_start=60, window_max=60)
    window = Window(game, config)
    for at in range(0, 30, 5):
        window.add(games[at : at + 5])
        stays = window.state()["games"]
        assert stays.tolist() == list(range(at + 5))[-len(stays) :]
        sizes = [len(games[number].kinds) for number in stays]
        assert window.num_positions == sum(sizes) <= 60
        if stays[0] > 0:
            assert sum(sizes) + len(games[stays[0] - 1].kinds) > 60
    assert window.num_seen == sum(len(played.kinds) for played in games)
    at_once = Window(game, config)
    at_once.add(games)
    ours, theirs = (w.sample(64, np.random.default_rng(1)) for w in (window, at_once))
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_game_longer_than_the_window_stays():
    game = load("tic_tac_toe")
    window = Window(game, ReplayConfig(window_start=2, window_max=2))
    window.add([play(game, number, kinds=(2,)) for number in range(3)])
    assert window.state()["games"].tolist() == [2]


def test_restored_window_is_the_same():
    game = load("connect_four")
    games = [play(game, number) for number in range(20)]
    config = ReplayConfig(window_start=100, window_max=100, prioritised=True)
    window, other = Window(game, config), Window(game, config)
    window.add(games)
    batch = window.sample(32, np.random.default_rng(1))
    window.update(batch.indices, np.linspace(0, 5, 32, dtype=np.float32))
    other.restore(window.state(), games[::-1])
    for one in (window, other):
        one.add([play(game, 21)])
    ours, theirs = (w.sample(64, np.random.default_rng(2)) for w in (window, other))
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_a_window_is_restored_without_the_games_that_are_lost():
    game = load("connect_four")
    games = [play(game, number) for number in range(6)]
    window, other = Window(game, ReplayConfig()), Window(game, ReplayConfig())
    window.add(games)
    other.restore(window.state(), [*games[:2], *games[3:]])
    assert other.state()["games"].tolist() == [0, 1, 3, 4, 5]
    assert other.num_positions < window.num_positions
    assert other.sample(8, np.random.default_rng(1)).values.shape == (8,)
