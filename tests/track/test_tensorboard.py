import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ludens.store.moment import Moment
from ludens.track.sinks import make_sinks
from ludens.track.tensorboard import TensorBoard
from ludens.training.config import to_toml


@pytest.fixture
def track(run, config, iterate):
    """Return a function that trains some iterations with the sink watching."""

    def session(first, last, close=True):
        [sink] = make_sinks("tensorboard", run, config)
        for number in range(first, last + 1):
            sink.iteration(iterate(number))
        if close:
            sink.close()

    return session


def read(run, part=""):
    events = EventAccumulator(str(run.folder / "tensorboard" / part))
    events.Reload()
    return events


def steps(events, tag):
    return [event.step for event in events.Scalars(tag)]


def test_every_number_is_written_under_a_group(run, track):
    track(1, 3)
    events = read(run)
    assert set(events.Tags()["scalars"]) == {
        "loss/total",
        "loss/policy",
        "speed/evals_per_s",
        "strength/elo",
        "strength/published",
        "time/total",
        "time/learn",
    }
    values = [event.value for event in events.Scalars("loss/total")]
    assert values == pytest.approx([1, 1 / 2, 1 / 3])
    assert steps(events, "loss/total") == [1, 2, 3]


def test_a_number_that_is_not_finite_is_left_out(run, track):
    track(1, 3)
    assert steps(read(run), "strength/elo") == [1, 3]


def test_the_config_is_there_as_text(run, track, config):
    track(1, 1)
    [event] = read(run).Tensors("config")
    assert to_toml(config) in event.tensor_proto.string_val[0].decode()


def test_a_resumed_run_has_each_step_once(run, track):
    track(1, 2)
    track(3, 4)
    assert steps(read(run), "loss/total") == [1, 2, 3, 4]
    assert len(list((run.folder / "tensorboard").iterdir())) == 1


def test_figures_from_within_iterations_have_steps_of_their_own(run, config):
    for session in ((10, 20, 30), (20, 40)):  # the second repeats what was lost
        sink = TensorBoard(run, config)
        for step in session:
            sink.moment(Moment(1, "learn", step, {"loss": 1 / step}))
        sink.close()
    events = read(run, "live-learn")
    assert steps(events, "live/loss") == [10, 20, 40]
    assert "live/loss" not in read(run).Tags()["scalars"]


def test_each_step_is_a_point_and_the_last_has_all_figures(run, config):
    sink = TensorBoard(run, config)
    losses = [(step, {"loss": 1 / step}) for step in (1, 2, 3)]
    sink.moment(Moment(1, "learn", 3, {"loss": 1 / 3, "queue": 7}, losses))
    sink.close()
    events = read(run, "live-learn")
    assert steps(events, "live/loss") == [1, 2, 3]
    assert steps(events, "live/queue") == [3]


def test_a_session_that_was_killed_leaves_no_gap(run, track, iterate):
    track(1, 2, close=False)
    iterate(3)  # kept, and then the process died before the sink heard of it
    track(4, 5)
    assert steps(read(run), "loss/total") == [1, 2, 3, 4, 5]
