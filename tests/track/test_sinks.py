import sys

import pytest

from ludens.errors import UserError
from ludens.track.mlflow import _public
from ludens.track.sinks import Guarded, make_sinks


class Failing:
    """A sink that fails when an iteration is told."""

    def __init__(self):
        self.heard = []

    def say(self, line):
        self.heard.append(line)

    def progress(self, phase, done, total, rates):
        self.heard.append(phase)

    def iteration(self, metrics):
        raise OSError(28, "No space\nleft")

    def close(self):
        self.heard.append("closed")


def test_a_failing_sink_is_switched_off_and_said_in_one_line():
    said, sink = [], Failing()
    guarded = Guarded("disk", lambda: sink, said.append)
    guarded.say("hello")
    guarded.progress("play", 1, 2, "")
    for _ in range(2):
        guarded.iteration({})
    guarded.say("unheard")
    guarded.close()
    assert sink.heard == ["hello", "play"]
    [line] = said
    assert line == "disk failed and is switched off: [Errno 28] No space left"


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
