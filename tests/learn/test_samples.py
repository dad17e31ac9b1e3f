"""Samples: what is drawn is what was found, seen through a symmetry of the game."""

import numpy as np
import pytest
from played_games import SIX, last_state, load, play, play_line, positions

from ludens import load_game
from ludens.learn.config import ReplayConfig
from ludens.learn.window import Window

RNG_SEED = 5


def turned(game, policy, symmetry):
    """Return a policy as seen through a symmetry."""
    image = np.zeros(game.num_actions, np.float32)
    for action, share in enumerate(policy.astype(np.float32)):
        image[game.plain.transform_action(action, symmetry)] = share
    return image / max(image.sum(), 1e-9)


def agrees(game, batch, i, seen, symmetry):
    """Tell whether a sample is this one (state, policy, reply, end), turned."""
    state, policy, reply, end = seen
    if not np.array_equal(batch.planes[i], state.transformed(symmetry).observe()):
        return False
    ownership = end.transformed(symmetry).targets() * (1 - 2 * state.to_play)
    return (
        np.allclose(batch.policies[i], turned(game, policy, symmetry), atol=1e-3)
        and np.allclose(batch.replies[i], turned(game, reply, symmetry), atol=1e-3)
        and np.array_equal(batch.ownership[i], ownership)
    )


def teachings(game, games):
    """Return state, policy, reply and end of each position that was searched."""
    found = []
    nothing = np.zeros(game.num_actions, np.float16)
    for played in games:
        end = last_state(game, played)
        taught = [
            p if kind == 2 else nothing
            for p, kind in zip(played.policies, played.kinds, strict=True)
        ]
        for ply, (state, _) in enumerate(positions(game, played.history.tolist())):
            reply = taught[ply + 1] if ply + 1 < len(taught) else nothing
            if played.kinds[ply]:
                found.append((state, taught[ply], reply, end))
    return found


@pytest.mark.parametrize("spec", SIX)
def test_all_of_a_sample_is_seen_through_one_symmetry(spec):
    game = load(spec)
    games = [play(game, number) for number in range(3)]
    window = Window(game, ReplayConfig(merge=False))
    window.add(games)
    seen = teachings(game, games)
    batch = window.sample(16, np.random.default_rng(RNG_SEED))
    for i, index in enumerate(batch.indices):
        _, policy, reply, _ = seen[index]
        symmetries = range(game.plain.NUM_SYMMETRIES)
        assert any(agrees(game, batch, i, seen[index], k) for k in symmetries)
        assert batch.policy_weights[i] == policy.any()
        assert batch.has_reply[i] == reply.any()
        assert batch.has_ownership[i]
    assert batch.value_weights.tolist() == [1] * 16


@pytest.mark.parametrize("spec", ["connect_four", "tic_tac_toe"])
def test_every_symmetry_is_drawn(spec):
    game = load(spec)
    window = Window(game, ReplayConfig())
    moves = {"connect_four": "1123", "tic_tac_toe": "a1 c2 b3 a2"}[spec]
    window.add([play_line(game, moves, kinds=np.uint8([0, 0, 0, 2]))])
    batch = window.sample(400, np.random.default_rng(RNG_SEED))
    _, counts = np.unique(batch.planes, axis=0, return_counts=True)
    assert len(counts) == game.plain.NUM_SYMMETRIES
    assert counts.min() > 0.5 * 400 / len(counts)


def test_identical_positions_become_one():
    game = load("connect_four")
    window = Window(game, ReplayConfig())
    window.add([play_line(game, "112"), play_line(game, "1134", 1)])
    assert (window.num_positions, window.num_samples) == (7, 4)
    assert np.isclose(window.merged_share, 3 / 7)


def made(game, first_policy, first_value, kind=2, number=0):
    """Return a game of one searched position, the start of connect four."""
    return play_line(
        game,
        "12",
        number,
        kinds=np.uint8([kind, 0]),
        values=np.float32([first_value, 0]),
        policies=np.float16([first_policy, [0] * 7]),
    )


def test_averages_are_over_all_values_and_over_taught_policies():
    game = load("connect_four")
    window = Window(game, ReplayConfig(q_share=1))
    middle, spread = [0, 0, 0, 1, 0, 0, 0], [0.25, 0, 0, 0.5, 0, 0, 0.25]
    window.add([made(game, middle, 0.5), made(game, spread, 0.1, number=1)])
    window.add([made(game, [1, 0, 0, 0, 0, 0, 0], 0.9, kind=1, number=2)])
    batch = window.sample(8, np.random.default_rng(RNG_SEED))
    expected = [0.125, 0, 0, 0.75, 0, 0, 0.125]
    assert np.allclose(batch.policies, expected, atol=1e-4)
    assert np.allclose(batch.values, 0.5)
    assert batch.policy_weights.tolist() == [1] * 8
    assert window.num_samples == 1
    apart = Window(game, ReplayConfig(q_share=1, merge=False))
    apart.add([made(game, middle, 0.5), made(game, spread, 0.1, number=1)])
    assert apart.num_samples == 2


def test_policy_of_the_one_full_search_is_kept():
    game = load("connect_four")
    window = Window(game, ReplayConfig())
    middle = [0, 0, 0, 1, 0, 0, 0]
    window.add([made(game, middle, 0.5), made(game, [0] * 7, 0.1, 1, number=1)])
    batch = window.sample(4, np.random.default_rng(RNG_SEED))
    assert batch.policies.tolist() == [middle] * 4


def test_positions_that_differ_are_never_merged():
    game = load("tic_tac_toe")
    window = Window(game, ReplayConfig())
    games = [play(game, number, kinds=(2,)) for number in range(200)]
    window.add(games)
    distinct = {
        state.raw.tobytes()
        for played in games
        for state, _ in positions(game, played.history.tolist())
    }
    assert window.num_samples == len(distinct)


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", pytest.param("triple_triad", marks=pytest.mark.slow)]
)
def test_positions_held_out_are_never_drawn_in_any_image(spec):
    game = load(spec)
    games = [play(game, number, kinds=(2,)) for number in range(60)]
    seen = teachings(game, games)
    kept_away = [state for state, *_ in seen[::7]]
    held_out = np.array([state.raw for state in kept_away], game.plain.STATE)
    window = Window(game, ReplayConfig(), held_out)
    window.add(games)
    batch = window.sample(2000, np.random.default_rng(RNG_SEED))
    symmetries = range(game.plain.NUM_SYMMETRIES)
    images = {
        s.transformed(k).observe().tobytes() for s in kept_away for k in symmetries
    }
    assert not images & {planes.tobytes() for planes in batch.planes}
    free = Window(game, ReplayConfig())
    free.add(games)
    assert 0 < window.num_samples < free.num_samples


def test_policies_of_positions_held_out_are_no_replies_either():
    game = load("tic_tac_toe")
    played = play_line(game, "b2 a1 c3 c1 b1")
    _, (second, _), *_ = positions(game, played.history.tolist())
    held_out = np.array([second.transformed(3).raw], game.plain.STATE)
    window = Window(game, ReplayConfig(), held_out)
    window.add([played])
    batch = window.sample(100, np.random.default_rng(RNG_SEED))
    before = batch.plies_left == 5
    assert before.any()
    assert not batch.has_reply[before].any()
    assert not batch.replies[before].any()
    assert batch.has_reply[batch.plies_left == 3].all()


@pytest.mark.parametrize("prioritised", [False, True])
def test_same_generator_draws_the_same(prioritised):
    game = load("connect_four")
    window = Window(game, ReplayConfig(prioritised=prioritised))
    window.add([play(game, number) for number in range(10)])
    first, again, other = (
        window.sample(64, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first.planes, other.planes)


def test_uncompiled_kernels_draw_the_same():
    batches = []
    for compiled in (True, False):
        game = load_game("tic_tac_toe", compiled=compiled)
        window = Window(game, ReplayConfig(), game.states(1))
        window.add([play(game, number) for number in range(10)])
        batches.append(window.sample(64, np.random.default_rng(RNG_SEED)))
    assert all(np.allclose(a, b) for a, b in zip(*batches, strict=True))


def test_surprising_positions_are_drawn_more_often_and_count_less():
    game = load("connect_four")
    config = ReplayConfig(prioritised=True, priority_power=1, priority_floor=0.1)
    window = Window(game, config)
    window.add([play(game, 1, kinds=(2,))])
    size = window.num_samples
    errors = np.full(size, 0.9, np.float32)
    errors[3] = 8.9
    window.update(np.arange(size), errors)
    batch = window.sample(20_000, np.random.default_rng(RNG_SEED), importance=1.0)
    share = (batch.indices == 3).mean()
    assert np.isclose(share, 9 / (9 + size - 1), atol=0.005)
    assert np.allclose(batch.value_weights[batch.indices == 3], 1 / 9)
    assert np.allclose(batch.value_weights[batch.indices != 3], 1)
    mild = window.sample(1000, np.random.default_rng(RNG_SEED), importance=0.5)
    assert np.allclose(mild.value_weights[mild.indices == 3], 1 / 3)


def test_new_positions_come_with_the_highest_priority():
    game = load("connect_four")
    config = ReplayConfig(prioritised=True, priority_power=1, priority_floor=0.001)
    window = Window(game, config)
    window.add([play(game, 1, kinds=(2,))])
    size = window.num_samples
    window.update(np.arange(size), np.r_[5.0, np.zeros(size - 1)].astype(np.float32))
    window.add([play_line(game, "4", 2, kinds=np.uint8([2]))])
    drawn = window.sample(1000, np.random.default_rng(RNG_SEED)).indices
    assert (drawn == window.num_samples - 1).mean() > 0.4
