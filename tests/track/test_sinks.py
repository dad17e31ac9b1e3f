import sys
from dataclasses import replace
from threading import Event

import pytest

from ludens.errors import UserError
from ludens.store.moment import Moment
from ludens.track.mlflow import _public
from ludens.track.sinks import Guarded, make_sinks
from ludens.training.progress import Silent

MOMENT = Moment(1, "learn", 10, {"loss": 2.5})


class Failing(Silent):
    """A sink that fails when an iteration is told."""

    def __init__(self):
        self.heard = []

    def moment(self, moment):
        self.heard.append(moment.step)

    def iteration(self, metrics):
        self.heard.append(metrics)
        raise OSError(28, "No space\nleft")

    def close(self):
        self.heard.append("closed")


class Slow(Failing):
    """A sink that waits for something at each moment."""

    def __init__(self):
        super().__init__()
        self.may_go_on = Event()

    def moment(self, moment):
        self.may_go_on.wait()
        super().moment(moment)

    def iteration(self, metrics):
        self.heard.append(metrics)


def test_a_failing_sink_is_switched_off_and_said_in_one_line():
    said, sink = [], Failing()
    guarded = Guarded("disk", lambda: sink, said.append)
    guarded.moment(MOMENT)
    for _ in range(2):
        guarded.iteration({})
    guarded.moment(MOMENT)
    guarded.close()
    assert sink.heard == [10, {}]
    [line] = said
    assert line == "disk failed and is switched off: [Errno 28] No space left"


def test_nobody_waits_for_a_slow_sink_and_moments_may_be_missed_but_no_iteration():
    sink = Slow()
    guarded = Guarded("disk", lambda: sink, [].append)
    for step in (1, 2, 3):
        guarded.moment(replace(MOMENT, step=step))
    guarded.iteration({})
    sink.may_go_on.set()
    guarded.close()
    assert sink.heard == [1, {}, "closed"]


def test_a_sink_that_cannot_start_is_switched_off():
    said = []
    guarded = Guarded("disk", lambda: 1 / 0, said.append)
    guarded.iteration({})
    assert said == ["disk failed and is switched off: division by zero"]


def test_failures_go_to_the_log_of_the_run(run, config):
    (run.folder / "tensorboard").write_text("in the way")
    make_sinks("tensorboard", run, config)
    assert "tensorboard failed" in (run.folder / "log.txt").read_text()


def test_no_sinks_are_none(run, config):
    assert make_sinks("", run, config) == []


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("tensorbord", "there is no sink 'tensorbord'; did you mean 'tensorboard'?"),
        ("mlflow,mlflow", "mlflow is wanted twice; name each sink once"),
        ("tensorboard:x", "tensorboard has no address; write tensorboard"),
        (
            "mlflow:store",
            "mlflow has no store at 'store';"
            " write mlflow:http://HOST:PORT or mlflow:sqlite:///FILE",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run, config, wanted, words):
    with pytest.raises(UserError) as error:
        make_sinks(wanted, run, config)
    assert str(error.value) == words


def test_a_missing_extra_is_named(run, config, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(UserError, match=r"-m pip install 'mlflow>=3\.11'"):
        make_sinks("mlflow", run, config)


def test_no_password_is_kept_in_a_run():
    assert _public("https://me:secret@host:1/x") == "https://host:1/x"
