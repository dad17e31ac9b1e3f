"""Self-play: games are legal, told as they were played, and follow from their seeds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_iterations import content, digest, hashed, load, play, uniform

from ludens import State, UserError, load_game
from ludens.game import CHANCE
from ludens.loading.game import game_files
from ludens.search.config import SearchConfig
from ludens.selfplay import kernel as selfplay_kernel
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import cut_shares, join_shares
from ludens.selfplay.worker import play_iteration, play_share
from marked import quick

RACE = str(Path(__file__).parents[1] / "search" / "dice_race.py")
GAMES = quick((RACE, *game_files()), RACE, "tic_tac_toe")


def replayed(spec, played):
    """Return the final state, the actions and whether each was legal."""
    game = load(spec)
    state, actions, legal = State(game), [], []
    for entry in played.history.tolist():
        if state.to_play != CHANCE:
            actions.append(entry)
            legal.append(state.legal_actions())
        state.apply_step(entry)
    return state, actions, legal


@pytest.mark.parametrize("spec", GAMES)
def test_games_replay_legally_to_their_results(spec):
    iteration = play(spec, uniform, positions=400, sims=4, max_plies=60)
    assert iteration.games
    for played in iteration.games:
        state, actions, legal = replayed(spec, played)
        assert all(a in some for a, some in zip(actions, legal, strict=True))
        assert played.ending in ("played", "cut")
        assert state.is_over == played.is_over == (played.ending == "played")
        expected = state.score if state.game.num_players == 1 else state.result or 0.0
        assert played.result == expected


@pytest.mark.parametrize("spec", GAMES)
def test_what_was_thought_stands_next_to_each_action(spec):
    iteration = play(spec, positions=200, max_plies=40, opening_share=0.5)
    for played in iteration.games + iteration.unfinished:
        _, actions, legal = replayed(spec, played)
        count = len(actions)
        assert len(played.kinds) == len(played.values) == count
        assert played.policies.shape == (count, load(spec).num_actions)
        is_searched = played.kinds > 0
        sums = played.policies.astype(float).sum(1)
        assert sums[is_searched] == pytest.approx(1.0, abs=0.01)
        assert not sums[~is_searched].any()
        assert not played.values[~is_searched].any()
        for policy, some in zip(played.policies, legal, strict=True):
            assert set(np.flatnonzero(policy)) <= set(some)


def test_the_same_seed_gives_the_same_games_as_ever():
    """These hashes change only when the games of a seed are meant to change."""
    iteration = play(
        "tic_tac_toe", fast_share=0.3, temperature_plies=6, resign_below=0.5
    )
    other = play("connect_four", root="puct", threads=2, temperature=0.7)
    assert digest(iteration.games + iteration.unfinished) == "40efe963c7988cb8"
    assert digest(other.games + other.unfinished) == "bc44271bebe4b441"


def test_random_openings_are_marked_and_no_longer_than_asked():
    iteration = play("connect_four", opening_share=0.5, opening_plies=4, positions=800)
    games = iteration.games + iteration.unfinished
    num_opened = [int((played.kinds == 0).sum()) for played in games]
    assert set(num_opened) == {0, 1, 2, 3, 4}
    assert 0.3 < np.mean(np.array(num_opened) > 0) < 0.7
    for played, count in zip(games, num_opened, strict=True):
        assert not played.kinds[:count].any()
        assert played.kinds[count:].all()


def test_without_openings_every_move_is_searched():
    iteration = play("connect_four", opening_share=0.0)
    assert all(played.kinds.all() for played in iteration.games + iteration.unfinished)


def test_quick_searches_have_the_share_asked_for():
    iteration = play("connect_four", fast_share=0.25, fast_sims=2, positions=1000)
    kinds = np.concatenate(
        [played.kinds for played in iteration.games + iteration.unfinished]
    )
    searched = kinds[kinds > 0]
    assert 0.2 < np.mean(searched == 1) < 0.3
    assert iteration.tally.sims < 8 * iteration.tally.positions


def test_games_are_cut_at_the_limit():
    iteration = play("connect_four", uniform, max_plies=5, opening_share=0.0)
    cut = [played for played in iteration.games if played.ending == "cut"]
    assert cut
    for played in cut:
        assert len(played.kinds) == 5
        assert not played.is_over
        assert played.result == 0.0


def test_temperature_zero_follows_the_search():
    cold = play("connect_four", temperature=0.0, root="puct", opening_share=0.0)
    for played in cold.games:
        chosen = played.policies[np.arange(len(played.history)), played.history]
        assert (chosen == played.policies.max(1)).all()
    warm = play("connect_four", temperature=1.0, root="puct", opening_share=0.0)
    assert digest(cold.games) != digest(warm.games)


def test_different_seeds_differ():
    assert digest(play("tic_tac_toe", seed=1).games) != digest(
        play("tic_tac_toe", seed=2).games
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_a_game_follows_from_its_number_alone(threads):
    """So it does not matter what is played next to it, or when."""
    one = {p.number: content(p) for p in play("connect_four", games=4).games}
    other = play("connect_four", games=9, threads=threads, positions=500).games
    both = [p for p in other if p.number in one]
    assert both
    assert all(content(p) == one[p.number] for p in both)


@pytest.mark.parametrize("spec", quick(["connect_four", "triangle", RACE], RACE))
def test_an_interruption_changes_no_game(spec):
    whole = play(spec, positions=400, max_plies=20, temperature=0.5)
    first = play(spec, positions=200, max_plies=20, temperature=0.5)
    assert first.unfinished
    second = play(
        spec,
        positions=200,
        max_plies=20,
        temperature=0.5,
        first_game=first.next_game,
        unfinished=first.unfinished,
    )
    expected = {p.number: content(p) for p in whole.games}
    parts = {p.number: content(p) for p in first.games + second.games}
    begun_before = {p.number for p in first.unfinished} & expected.keys() & parts.keys()
    assert begun_before
    both = expected.keys() & parts.keys()
    assert all(parts[number] == expected[number] for number in both)


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_are_unique_over_threads_and_iterations(threads):
    numbers, unfinished, first = [], [], 0
    for _ in range(3):
        iteration = play(
            "tic_tac_toe",
            threads=threads,
            positions=120,
            first_game=first,
            unfinished=unfinished,
        )
        numbers += [played.number for played in iteration.games]
        unfinished, first = iteration.unfinished, iteration.next_game
    numbers += [played.number for played in unfinished]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) < first


def test_the_positions_asked_for_are_searched():
    iteration = play("connect_four", positions=300, threads=2)
    kinds = [played.kinds for played in iteration.games + iteration.unfinished]
    assert 300 <= iteration.tally.positions < 300 + 2 * 8
    assert int(sum((k > 0).sum() for k in kinds)) == iteration.tally.positions
    assert iteration.tally.games == len(iteration.games)


def test_a_failing_evaluator_ends_it_with_its_error():
    def failing(game):
        calls = []

        def evaluate(planes):
            calls.append(1)
            if len(calls) > 20:
                raise RuntimeError("no more")
            return hashed(game)(planes)

        return evaluate

    with pytest.raises(RuntimeError, match="no more"):
        play("tic_tac_toe", failing, threads=2)


def test_shares_give_the_same_games_on_any_number_of_threads():
    """An iteration, and the next one that goes on with its unfinished games."""
    digests = set()
    for threads in (1, 2, 3):
        first = play("connect_four", threads=threads, shares=4, positions=300)
        second = play(
            "connect_four",
            threads=threads,
            shares=4,
            positions=300,
            first_game=first.next_game,
            unfinished=first.unfinished,
        )
        games = first.games + second.games + second.unfinished
        digests.add((digest(games), first.next_game, second.next_game))
        assert first.tally.games == len(first.games) > 0
    assert len(digests) == 1


def test_a_share_is_played_alone_as_among_the_others():
    config = SelfplayConfig(positions=200, games=9, shares=3, threads=1)
    game, search = load("tic_tac_toe"), SearchConfig(sims=8)
    how = (game, search, config, hashed(game))
    shares = cut_shares(config, seed=1, net=0)
    assert [share.slots for share in shares] == [3, 3, 3]
    backwards = [play_share(*how, share) for share in reversed(shares)]
    joined = join_shares(reversed(backwards))
    whole = play_iteration(*how, seed=1, net=0)
    assert digest(joined.games) == digest(whole.games)
    assert digest(joined.unfinished) == digest(whole.unfinished)
    assert (joined.tally, joined.next_game) == (whole.tally, whole.next_game)


def test_there_are_never_more_shares_than_games():
    config = SelfplayConfig(positions=10, games=3, shares=8)
    assert [share.slots for share in cut_shares(config, 1, 0)] == [1, 1, 1]
    assert sum(share.quota for share in cut_shares(config, 1, 0)) >= 10


def test_temperature_falls_evenly_with_the_budget():
    config = SelfplayConfig(temperature=1.0, temperature_end=0.2)
    assert config.at(0.0) == replace(config, temperature=1.0)
    assert config.at(0.5).temperature == pytest.approx(0.6)
    assert config.at(1.0).temperature == pytest.approx(0.2)
    assert SelfplayConfig(temperature=0.7).at(0.9).temperature == 0.7
    cosine = replace(config, temperature_schedule="cosine")
    assert cosine.at(0.25).temperature > config.at(0.25).temperature
    assert cosine.at(1.0).temperature == pytest.approx(0.2)
    steps = replace(config, temperature_schedule="steps")
    found = [steps.at(progress).temperature for progress in (0.49, 0.5, 0.74, 0.75)]
    assert found == pytest.approx([1.0, 0.6, 0.6, 0.2])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("step", [1, 1, 1, 1, 0.25, 0.25]),
        ("linear", [1, 0.8125, 0.625, 0.4375, 0.25, 0.25]),
        ("exponential", [1, 2**-0.5, 0.5, 2**-1.5, 0.25, 0.25]),
    ],
)
def test_temperature_goes_down_over_a_game(shape, expected):
    config = SelfplayConfig(
        temperature=1.0,
        temperature_plies=4,
        temperature_final=0.25,
        temperature_shape=shape,
    )
    assert [config.temperature_at(n) for n in range(6)] == pytest.approx(expected)


def test_a_temperature_that_never_gets_there_is_refused():
    with pytest.raises(UserError, match="exponential never reaches 0"):
        SelfplayConfig(temperature_shape="exponential")


def test_each_move_is_sampled_at_its_own_temperature():
    """At next to no temperature the likeliest move is taken, at a high one any."""
    kernel = load_game("tic_tac_toe", compiled=False).kernel(selfplay_kernel)
    policies, rows = np.tile(np.float64([0.4, 0.6]), (2000, 1)), np.arange(2000)
    temperatures = np.where(rows % 2 == 0, 1e-3, 1e3)
    seeds, actions = np.arange(2000).astype(np.uint64), np.zeros(2000, np.int64)
    with np.errstate(over="ignore"):
        kernel.sample_all(policies, temperatures, rows, seeds, actions)
    assert (actions[::2] == 1).all()
    assert 0.4 < actions[1::2].mean() < 0.6
