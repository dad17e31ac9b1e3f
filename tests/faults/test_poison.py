"""A poisoned learner is never kept: learning goes back, or stops with the reason."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faults import poison
from faults.made_runs import commit_games, make_net, make_run, make_state
from ludens.learn.losses import TrainingFailed, why_spoiled
from ludens.nets.weights import Net
from ludens.store.run import Run


def test_poisoned_learners_end_in_the_bytes_of_healthy_ones() -> None:
    assert poison.run(6, seed=1).failures == []


def test_poison_that_is_not_seen_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.training.resuming.why_spoiled", lambda tensors: "")
    assert len(poison.run(2, seed=1).failures) == 2


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("weights/stem", np.nan, "weights of stem is not finite"),
        ("ema/stem", 1e7, "ema of stem has numbers beyond 1e"),
        ("exp_avg/stem", -np.inf, "exp_avg of stem is not finite"),
        ("exp_avg_sq/stem", -1e-9, "exp_avg_sq of stem has squares below 0"),
        ("scaler", np.nan, "scaler of the learner is not finite"),
    ],
)
def test_what_is_spoiled_is_named(name: str, value: float, complaint: str) -> None:
    assert why_spoiled({name: np.ones(3), "num_steps": np.array([10**9])}) == ""
    assert why_spoiled({name: np.array([1.0, value])}).startswith(complaint)


def test_a_poisoned_state_on_disk_is_not_used_but_the_one_before(
    tmp_path: Path,
) -> None:
    state = make_state(2)
    state["weights"][3, 3] = np.nan
    with make_run(tmp_path / "run", 1) as run:
        commit_games(run, 2)
        run.commit_net(2, make_net(2), state, {})
        found = run.last()
    assert found is not None
    assert found.iteration == 1
    assert found.notes[0].endswith("has numbers that are not finite (weights)")


class Absurd(poison.Silent):
    """A watcher that gathers what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, line: str) -> None:
        self.said.append(line)


@pytest.fixture
def _absurd_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each net that is learned be absurd."""
    net_of = poison.Training._publish.__globals__["Learner"].ema_net

    def absurd_net(self: object, iteration: int) -> Net:
        net = net_of(self, iteration)
        loud = {name: tensor + 1e5 for name, tensor in net.tensors.items()}
        return replace(net, tensors=loud)

    monkeypatch.setattr("ludens.learn.learner.Learner.ema_net", absurd_net)
    more = (*poison.SETTINGS[:-1], "budget.iterations=9")
    monkeypatch.setattr(poison, "SETTINGS", more)


@pytest.mark.usefixtures("_absurd_nets")
def test_absurd_nets_leave_the_good_state_and_the_fourth_stops(tmp_path: Path) -> None:
    watcher = Absurd()
    with pytest.raises(TrainingFailed, match="4 nets in a row were absurd"):
        poison.train(tmp_path / "run", watcher)
    assert sum("goes back to the last good" in line for line in watcher.said) == 3
    assert set(poison.kept(tmp_path / "run")) == {
        "nets/000000.safetensors",
        "state/000000.safetensors",
    }
    with Run.open(tmp_path / "run") as run:
        assert run.newest_iteration == 4
        assert len({game.net for game in run.games()}) == 1


def test_after_absurd_nets_a_run_ends_in_the_same_bytes_in_one_session_or_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absurd(net: Net, planes: object) -> str:
        return "it is the second" if net.card.iteration == 2 else ""

    monkeypatch.setattr("ludens.training.loop.why_absurd", absurd)
    ends = []
    for session, iterations in (("one", (3,)), ("two", (2, 3))):
        for budget in iterations:
            sets = (*poison.SETTINGS[:-1], f"budget.iterations={budget}")
            monkeypatch.setattr(poison, "SETTINGS", sets)
            poison.train(tmp_path / session / "run", poison.Silent())
        ends.append(poison.kept(tmp_path / session / "run"))
    assert ends[0] == ends[1]
    assert "nets/000003.safetensors" in ends[0]
    assert "state/000002.safetensors" not in ends[0]
