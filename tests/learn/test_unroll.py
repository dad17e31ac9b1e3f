"""Unrolled samples say what a literal replay of the games says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from literal_unroll import Literal, Step
from played_games import load, play, play_line, positions

from ludens import Game, State, load_game
from ludens.learn.config import ReplayConfig
from ludens.learn.tables import Unrolled
from ludens.learn.window import Window
from ludens.selfplay.share import GameRecord

WALK = str(Path(__file__).with_name("lucky_walk.py"))
PUZZLE = "triangle:columns=7,playable=0-7/0-7/0-7,over_reward=-1,line_features=false"
K = 5


def shorten(game: Game, played: GameRecord, num_plies: int, ending: str) -> GameRecord:
    """Return the first plies of a game that was cut or resigned then."""
    num_plies = min(num_plies, len(played.kinds) - 1)
    before = positions(game, played.history.tolist())[num_plies][0]
    result = played.result if ending == "cut" else 2.0 * before.to_play - 1.0
    return replace(
        played,
        history=np.array(before.history, np.int32),
        kinds=played.kinds[:num_plies],
        policies=played.policies[:num_plies],
        values=played.values[:num_plies],
        result=result,
        is_over=False,
        ending=ending,
    )


def varied(game: Game, count: int, kinds: tuple[int, ...]) -> list[GameRecord]:
    """Return games that were played to the end, cut and resigned."""
    games = []
    for number in range(count):
        played = play(game, number, kinds)
        if number % 4 == 1:
            played = shorten(game, played, 3, "cut")
        if number % 4 == 2 and game.num_players == 2:
            played = shorten(game, played, 4, "resigned")
        games.append(played)
    return games


def whole(
    window: Window, symmetry: int, alternates: bool
) -> tuple[Unrolled, np.ndarray]:
    """Return all rows of a window that may be drawn, unrolled."""
    contents = window._contents()
    rows = np.flatnonzero(contents.samples.of_rows >= 0).astype(np.int32)
    rng = np.random.default_rng(1)
    symmetries = np.full(len(rows), symmetry)
    choices = rng.integers(window.game.num_actions, size=(K, len(rows)))
    steps = contents.follow(rows, symmetries, choices.copy(), alternates)
    indices = contents.samples.of_rows[rows].astype(np.int64)
    weights = rng.uniform(0.5, 1, len(rows)).astype(np.float32)
    made = contents.unrolled(indices, weights, symmetries, steps, True)
    assert np.isin(made.value_weights[0], weights).all()
    return made, rows


def assert_shows_the_end(
    made: Unrolled, k: int, i: int, step: Step, end: State | None
) -> None:
    """Check what an unrolled sample says of how the game ended, for the player."""
    has_end = end is not None and step.value is not None
    is_told = made.has_ownership[k, i] and made.value_weights[k, i] > 0
    assert is_told == has_end
    if has_end:
        assert end is not None
        assert step.player is not None
        expected = end.targets() * (1 - 2 * step.player)
        np.testing.assert_array_equal(made.ownership[k, i], expected)


def assert_says(made: Unrolled, k: int, i: int, step: Step, game: Game) -> None:
    """Check all that an unrolled sample says of a step."""
    weight = made.value_weights[0, i]
    if k > 0 and step.choice is not None:
        assert made.choices[k - 1, i] == step.choice
    elif k > 0:
        assert 0 <= made.choices[k - 1, i] < game.num_actions
    facts = {
        "policy": (made.policies, step.policy),
        "value": (made.values, step.value),
        "reward": (made.rewards, step.reward),
        "turn": (made.turns, step.turn),
        "chance": (made.chances, step.outcome),
        "position": (made.planes, step.planes),
    }
    for name, (array, expected) in facts.items():
        said = getattr(made, f"{name}_weights")[k, i]
        assert said == (0 if expected is None else weight), (name, k)
        if expected is not None:
            np.testing.assert_allclose(
                array[k, i], expected, atol=2e-3 / K, err_msg=name
            )
    if step.legal is not None:
        assert set(np.flatnonzero(made.legal[k, i])) == step.legal
    if step.value is not None and game.num_players == 2:
        win, draw, loss = made.outcomes[k, i]
        np.testing.assert_allclose(draw, step.draw, atol=1e-5)
        np.testing.assert_allclose(win - loss, step.value, atol=1e-5)


CASES = {
    "tic_tac_toe": ("tic_tac_toe", 12, (0, 1, 2, 2, 2), {}),
    "all searched": ("tic_tac_toe", 12, (1, 2), {"q_share": 0.25}),
    "not merged": ("tic_tac_toe", 8, (1, 2), {"merge": False}),
    "chance": (WALK, 24, (1, 2), {"q_share": 0.5}),
    "one player": (PUZZLE, 6, (1, 2), {"discount": 0.9}),
}


@pytest.mark.parametrize("case", CASES)
def test_unrolled_samples_are_those_of_a_literal_replay(case: str) -> None:
    spec, count, kinds, settings = CASES[case]
    game = load(spec) if spec == "tic_tac_toe" else load_game(spec, compiled=False)
    games = varied(game, count, kinds)
    config = ReplayConfig(unroll=K, **settings)
    free = Literal(game, config, games)
    held_out = [free.plies[g][p].state for g, p in free.places[3::9]]
    literal = Literal(game, config, games, held_out)
    window = Window(game, config, np.array([s.raw for s in held_out], game.plain.STATE))
    window.add(games)
    has_chance = game.plain.MAX_OUTCOMES > 0
    for symmetry in range(1 if has_chance else game.plain.NUM_SYMMETRIES):
        alternates = bool(symmetry % 2)
        made, rows = whole(window, symmetry, alternates)
        assert len(rows) < len(literal.places)
        for i, row in enumerate(rows):
            expected = literal.unroll(*literal.places[row], symmetry, alternates)
            played = games[literal.places[row][0]]
            end = State.replay(game, played.history.tolist()).transformed(symmetry)
            for k, step in enumerate(expected):
                assert_says(made, k, i, step, game)
                assert_shows_the_end(made, k, i, step, end if end.is_over else None)


def test_any_game_that_has_the_position_is_followed() -> None:
    game = load("tic_tac_toe")
    lines = ["b2 a1 c3", "b2 a1 a3 c1", "b2 c1 a1 c3"]
    window = Window(game, ReplayConfig(unroll=2))
    window.add([play_line(game, line, n) for n, line in enumerate(lines)])
    made = window.unroll(4000, np.random.default_rng(1))
    assert len(made.values) == 3
    first = made.plies_left + made.planes[0].sum((1, 2, 3))
    starts = made.planes[0].sum((1, 2, 3)) == 0
    assert 0 < starts.mean() < 1
    _, counts = np.unique(first[starts], return_counts=True)
    np.testing.assert_allclose(counts / starts.sum(), [1 / 3, 2 / 3], atol=0.1)
    again = window.unroll(4000, np.random.default_rng(1))
    assert all(np.array_equal(a, b) for a, b in zip(made, again, strict=True))


def test_each_sample_is_seen_through_one_symmetry_unless_there_is_chance() -> None:
    game = load("tic_tac_toe")
    window = Window(game, ReplayConfig(unroll=4))
    played = play_line(game, "a1 b1 c2 b3 a2")
    window.add([played])
    made = window.unroll(800, np.random.default_rng(2), all_planes=False)
    assert made.planes.shape[0] == 1
    starts = made.plies_left == 5
    actions = [action for _, action in positions(game, played.history.tolist())]
    transform = game.plain.transform_action
    images = {tuple(transform(a, k) for a in actions[:4]) for k in range(8)}
    assert set(map(tuple, made.choices.T[starts].tolist())) == images
    chancy = load_game(PUZZLE, compiled=False)
    window = Window(chancy, ReplayConfig(unroll=2))
    window.add([play(chancy, 1, (2,))])
    seen = window.unroll(40, np.random.default_rng(2)).planes[0]
    assert len(np.unique(seen, axis=0)) <= window.num_samples


def test_chance_is_learned_as_often_as_it_came() -> None:
    game = load_game(WALK, compiled=False)
    games = [play(game, number, (2,)) for number in range(60)]
    only_two = [
        replace(g, kinds=(np.arange(len(g.kinds)) < 2) * g.kinds) for g in games
    ]
    window = Window(game, ReplayConfig(unroll=1))
    window.add(only_two)
    made = window.unroll(5000, np.random.default_rng(3))
    starts = made.planes[0].sum((1, 2, 3)) == 0
    threw = starts & (made.choices[0] == 1)
    shares = np.bincount(made.chances[1, threw], minlength=3) / threw.sum()
    came = np.bincount([g.history[1] for g in games if g.history[0] == 1], minlength=3)
    assert (came > 0).all()
    np.testing.assert_allclose(shares, came / came.sum(), atol=0.1)


def test_games_that_leave_the_window_take_their_steps_along() -> None:
    game = load("tic_tac_toe")
    games = [play(game, number) for number in range(20)]
    config = ReplayConfig(window_start=40, window_max=40)
    window, at_once = Window(game, config), Window(game, config)
    for played in games:
        window.add([played])
    at_once.add(games)
    ours, theirs = (w.unroll(64, np.random.default_rng(1)) for w in (window, at_once))
    assert window.num_games < 20
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    assert len(window._columns.steps) <= 9 * window.num_games
