"""The loop, in this process: what it tells, keeps, publishes and leaves untouched."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from small_trainings import WITH_CHANCE, Witness, begin, load, open_tiny, train_tiny

from ludens.loading.game import game_files
from ludens.state import State
from ludens.store.moment import Pulse, read_now
from ludens.store.run import Run
from ludens.store.stage import GameSeen, read_stage, write_stage

GAME = load("tic_tac_toe")
FULL = ("evaluate.every=1", "evaluate.gate=true", "evaluate.gate_games=4")
FULL = (*FULL, "evaluate.solved_positions=8", "evaluate.gate_share=0")
ALWAYS = {
    *("iteration", "positions", "games", "evals", "next_number", "window"),
    *("seconds", "seconds_selfplay", "evals_per_s", "positions_per_s", "games_per_s"),
    *("batch_mean", "plies_mean", "first_wins", "drawn"),
    *("loss", "loss_policy", "loss_value", "lr", "steps", "skipped", "seconds_learn"),
    *("samples_per_s", "merged_share", "published"),
}
EXAMINED = {
    *("matches", "elo", "elo_low", "elo_high", "score_random", "score_mcts"),
    *("truth_net", "truth_search", "lost_net", "lost_search", "seconds_evaluate"),
}


@pytest.fixture(scope="module")
def unhurt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Witness]:
    """Return a run of two iterations in one go, and what was told."""
    folder = tmp_path_factory.mktemp("unhurt") / "run"
    return folder, train_tiny(folder, "tic_tac_toe", 2, FULL)


def kept(run: Run) -> list[object]:
    """Return what a run has learned and played."""
    checkpoint = run.last()
    assert checkpoint is not None
    assert checkpoint.net is not None
    assert checkpoint.tensors is not None
    arrays = {**checkpoint.net.tensors, **checkpoint.tensors}
    games = [(g.number, g.history.tolist(), g.result) for g in run.games()]
    unfinished = [(g.number, g.history.tolist()) for g in run.unfinished()]
    weights = {name: array.tobytes() for name, array in arrays.items()}
    return [run.newest_iteration, games, unfinished, weights]


def test_every_iteration_tells_finite_metrics(unhurt):
    _, witness = unhurt
    assert [m["iteration"] for m in witness.iterations] == [1, 2]
    for metrics in witness.iterations:
        assert set(metrics) >= ALWAYS | EXAMINED
        numbers = [v for v in metrics.values() if isinstance(v, (int, float))]
        assert all(map(math.isfinite, numbers))
        assert metrics["positions"] >= 150
        assert 0 < metrics["drawn"] + metrics["first_wins"] <= 1
    assert [m["examined"] for m in witness.iterations] == [1, 2]
    opponents = [match[1] for match in witness.iterations[1]["matches"]]
    assert opponents == ["random", "mcts", "net 1"]


def test_the_run_keeps_what_was_told(unhurt):
    folder, witness = unhurt
    with Run.open(folder) as run:
        assert run.totals().games == sum(m["games"] for m in witness.iterations)
        assert [m["iteration"] for m in run.metrics()] == [0, 1, 2]
        for told, stored in zip(witness.iterations, run.metrics()[1:], strict=True):
            assert told["loss"] == stored["loss"]
        numbers = [game.number for game in [*run.games(), *run.unfinished()]]
        assert sorted(numbers) == list(range(witness.iterations[-1]["next_number"]))
        assert set(run.nets()) == {0, 1, 2}
        assert {game.net for game in run.games()} == {0, 1}


def test_phases_come_in_order_with_their_progress(unhurt):
    _, witness = unhurt
    phases = [phase for phase, _, _ in witness.progressed]
    turns = [p for p, before in zip(phases, ["", *phases], strict=False) if p != before]
    assert turns == ["play", "learn", "gate", "examine"] * 2
    learning = [(done, total) for p, done, total in witness.progressed if p == "learn"]
    assert learning[0][0] == 0
    assert learning[-1][0] == learning[-1][1]


def test_solved_positions_are_never_learned_from(unhurt):
    folder, _ = unhurt
    with Run.open(folder, write=True) as run:
        training = begin(run)
        window = training._window
        learned = window._columns.states[window.build().rows]
        assert len(learned) == window.num_samples > 50
        images = training.truth.images(GAME)
        assert len(training.truth) == 8
        assert not images & {state.tobytes() for state in learned}
        played = {state.tobytes() for state in window._columns.states}
        assert images & played, "else this test says nothing"


@pytest.mark.parametrize("phase", ["play", "learn", "gate", "examine"])
def test_stopped_in_a_phase_the_last_iteration_stays_and_goes_on(
    tmp_path, unhurt, phase
):
    witness = Witness()

    def should_stop() -> bool:
        begun = [told for told in witness.progressed if told[:2] == (phase, 0)]
        return len(begun) == 2 and witness.phase == phase

    with open_tiny(tmp_path, GAME, [*FULL, "budget.iterations=2"]) as run:
        training = begin(run, witness, should_stop)
        training.train()
        assert witness.phase == phase
        before = kept(run)
        assert before[0] == training.iteration == 1
        assert (run.pending() is None) == (phase == "play")
    with Run.open(tmp_path, write=True) as run:
        assert kept(run) == before
        begin(run).train()
        with Run.open(unhurt[0]) as wanted:
            assert kept(run) == kept(wanted)


def test_an_absurd_net_is_not_published(tmp_path):
    sets = ("learn.lr=10", "learn.warmup_steps=0", "learn.clip_norm=0")
    # After a few such steps all numbers are huge; after many the net is dead.
    early = ("net.blocks=3", "learn.uses=0.5", "learn.ema_decay=0")
    witness = train_tiny(tmp_path, "tic_tac_toe", 2, [*sets, *early])
    assert "net 1 is not published: it says logits beyond 10000" in witness.said
    assert [m["published"] for m in witness.iterations] == [False, False]
    with Run.open(tmp_path) as run:
        assert set(run.nets()) == {0}
        assert {game.net for game in run.games()} == {0}


def test_a_net_that_fails_at_the_gate_is_not_published_but_learns_on(tmp_path):
    sets = ("evaluate.gate=true", "evaluate.gate_games=4", "evaluate.gate_share=1")
    witness = train_tiny(tmp_path, "tic_tac_toe", 2, [*sets, "evaluate.every=1"])
    assert [m["published"] for m in witness.iterations] == [False, False]
    assert all(0 <= m["gate_score"] < 1 for m in witness.iterations)
    # The net that stays is examined once.
    assert [m.get("examined") for m in witness.iterations] == [0, None]
    with Run.open(tmp_path) as run:
        assert set(run.nets()) == {0}
        checkpoint = run.last()
        steps = sum(m["steps"] for m in witness.iterations)
        assert checkpoint.tensors["num_steps"] == [steps]


@pytest.mark.parametrize(
    "sets",
    [
        ("replay.prioritised=true",),
        ("search.root=puct", "search.noise_fraction=0.25", "search.forced=2"),
        ("selfplay.fast_share=0.5", "selfplay.fast_sims=2"),
        ("selfplay.resign_below=0.2", "selfplay.resign_plies=1"),
        ("net.trunk=mlp", "net.policy=dense", "replay.merge=false"),
        ("net.blocks=0", "net.layers=1", "net.heads=2", "net.value=scalar"),
        (
            *(
                "learn.optimizer=sgd",
                "learn.schedule=steps",
                "learn.entropy_weight=0.1",
            ),
            *("replay.n_steps=3", "replay.q_share=1", "search.max_batch=3"),
            *("selfplay.temperature_final=0.2", "selfplay.temperature_shape=linear"),
        ),
    ],
    ids=lambda sets: sets[0],
)
def test_other_ways_to_train_work_and_resume_to_the_same(tmp_path, sets):
    told = train_tiny(tmp_path / "whole", "tic_tac_toe", 2, sets)
    assert [m["published"] for m in told.iterations] == [True, True]
    assert all(np.isfinite(m["loss"]) for m in told.iterations)
    with open_tiny(tmp_path / "parts", GAME, [*sets, "budget.iterations=2"]) as run:
        begin(run)._iterate()
        begin(run).train()
        with Run.open(tmp_path / "whole") as whole:
            assert kept(run) == kept(whole)


@pytest.mark.parametrize("spec", WITH_CHANCE)
def test_chance_and_games_for_one_are_trained(tmp_path, spec):
    sets = ("evaluate.every=1", "selfplay.positions=200", "selfplay.max_plies=25")
    (metrics,) = train_tiny(tmp_path, spec, 1, sets).iterations
    assert metrics["published"]
    alone = load(spec).num_players == 1
    assert {"played_score", "score_mean"} & set(metrics) == (
        {"played_score", "score_mean"} if alone else set()
    )
    assert ("elo" in metrics) != alone


def test_figures_are_told_within_an_iteration_too(tmp_path, monkeypatch):
    seen: list[GameSeen] = []

    def note(folder: Path, games: Sequence[GameSeen]) -> None:
        write_stage(folder, games)
        assert read_stage(folder) == list(games)
        seen.extend(games)

    monkeypatch.setattr("ludens.training.loop.Pulse", partial(Pulse, every_s=0.0))
    monkeypatch.setattr("ludens.training.loop.write_stage", note)
    monkeypatch.setattr("ludens.selfplay.worker.LOOK_S", 0.0)  # however fast it plays
    told = train_tiny(tmp_path / "run", "tic_tac_toe", 2).moments
    assert seen
    for one in seen:  # as it stood while it was played
        state = State.replay(load("tic_tac_toe"), one.history)
        assert len(one.values) == len(one.kinds)
        assert len(one.kinds) >= state.num_plies
    assert read_stage(tmp_path / "run") == []
    for phase, name in (("play", "evals_per_s"), ("learn", "loss_policy")):
        of_phase = [moment for moment in told if moment.phase == phase]
        assert {moment.iteration for moment in of_phase} == {1, 2}
        assert all(np.isfinite(moment.figures[name]) for moment in of_phase)
        steps = [moment.step for moment in of_phase]
        assert steps == sorted(steps)
        assert steps[-1] > steps[0]
    assert read_now(tmp_path / "run") is None  # it is over


@pytest.mark.parametrize("limit", ["games=20", "positions=200", "steps=9"])
def test_the_last_net_of_any_budget_is_examined(tmp_path, limit):
    sets = ["evaluate.every=1000", "selfplay.positions=100", f"budget.{limit}"]
    told = train_tiny(tmp_path, "tic_tac_toe", 1000, sets)
    examined = ["examined" in metrics for metrics in told.iterations]
    assert examined == [False] * (len(examined) - 1) + [True]
    if limit == "steps=9":
        assert sum(metrics["steps"] for metrics in told.iterations) == 9


def test_a_game_in_a_file_of_the_user_is_trained(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    path = tmp_path / "noughts.py"
    path.write_text(game_files()["tic_tac_toe"].read_text(encoding="utf-8"))
    sets = ("selfplay.positions=20", "selfplay.games=2", "search.sims=2")
    (metrics,) = train_tiny(tmp_path / "run", str(path), 1, sets).iterations
    assert metrics["published"]


def test_settings_may_change_between_sessions(tmp_path):
    with open_tiny(tmp_path, GAME, ["budget.iterations=1"]) as run:
        training = begin(run)
        training.train()
        assert training.share_spent() == 1.0
        run.save_config(run.facts()["config"].replace("iterations = 1", "iterations=4"))
        again = begin(run)
        assert again.share_spent() == 0.25
        assert again.spent().games == run.totals().games
