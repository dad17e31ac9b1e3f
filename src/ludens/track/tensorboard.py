"""Metrics as TensorBoard's event files, without TensorFlow or PyTorch."""

import time
from collections.abc import Mapping
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.types_pb2 import DT_STRING
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from ludens.store.moment import Moment
from ludens.store.run import Run
from ludens.track.naming import EVENTS, ended_s, live_scalars, scalars
from ludens.training.config import Config, to_toml
from ludens.training.progress import Silent

_SUFFIX = ".ludens"


class TensorBoard(Silent):
    """A folder of events inside the run.

    Each session writes all that the run has kept anew and removes the files of earlier
    ones: no step is there twice and none is missing, however a session ended.
    Figures from within iterations are not kept by the run: a folder of their own has
    those of all sessions.
    """

    def __init__(self, run: Run, config: Config) -> None:
        folder = run.folder / EVENTS
        old = list(folder.glob(f"events.out.tfevents.*{_SUFFIX}"))
        # The number keeps a session that begins in the same second from another's file.
        suffix = f".{len(old)}{_SUFFIX}"
        self._writer = EventFileWriter(str(folder), filename_suffix=suffix)
        self._live: dict[str, EventFileWriter] = {}
        self._folder = folder
        # Tells one who is looking already to forget the steps read so far.
        self._add(0, session_log=SessionLog(status=SessionLog.START))
        self._add(0, summary=_text("config", f"```toml\n{to_toml(config)}```"))
        for metrics in run.metrics():
            self._write(metrics)
        self._writer.flush()
        for path in old:
            path.unlink()

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Write the numbers of an iteration, to be seen at once."""
        self._write(metrics)
        self._writer.flush()

    def moment(self, moment: Moment) -> None:
        """Write figures from within an iteration, of each phase by its own steps."""
        if moment.phase not in self._live:
            folder = self._folder / f"live-{moment.phase}"
            self._live[moment.phase] = EventFileWriter(str(folder))
            # What a session did after what the run has kept, is done again in this one.
            begin = Event(step=moment.all_points[0][0], wall_time=time.time())
            begin.session_log.status = SessionLog.START
            self._live[moment.phase].add_event(begin)
        for step, figures in moment.all_points:
            summary = _numbers(live_scalars(figures))
            event = Event(wall_time=time.time(), step=step, summary=summary)
            self._live[moment.phase].add_event(event)
        self._live[moment.phase].flush()

    def close(self) -> None:
        """Finish the files."""
        for writer in (self._writer, *self._live.values()):
            writer.close()

    def _write(self, metrics: Mapping[str, Any]) -> None:
        when_s = ended_s(metrics, time.time())
        summary = _numbers(scalars(metrics))
        self._add(metrics["iteration"], when_s, summary=summary)

    def _add(self, step: int, when_s: float | None = None, **what: Any) -> None:
        wall_time = time.time() if when_s is None else when_s
        self._writer.add_event(Event(wall_time=wall_time, step=step, **what))


def _numbers(figures: Mapping[str, float]) -> Summary:
    """Return numbers by their tags."""
    values = [Summary.Value(tag=tag, simple_value=x) for tag, x in figures.items()]
    return Summary(value=values)


def _text(tag: str, text: str) -> Summary:
    """Return a text in Markdown as TensorBoard's text plugin wants it."""
    plugin = SummaryMetadata.PluginData(plugin_name="text")
    tensor = TensorProto(dtype=DT_STRING, string_val=[text.encode()])
    metadata = SummaryMetadata(plugin_data=plugin)
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata, tensor=tensor)])
