"""Which sinks a training has, and what happens when one fails."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from ludens.errors import UserError, nearest, require_extra, tool
from ludens.loading.game import Game
from ludens.store.moment import Moment
from ludens.store.run import Run
from ludens.track.naming import EVENTS
from ludens.training.config import Config
from ludens.training.progress import Watcher

NAMES = ("tensorboard", "mlflow")


class Sink(Watcher, Protocol):
    """A watcher that holds something open."""

    def close(self) -> None:
        """Write what is left and let go."""


class Guarded:
    """A sink that cannot stop a training: after its first failure it is left alone.

    It writes in a thread of its own, so the training does not wait for it either.
    """

    def __init__(
        self, name: str, make: Callable[[], Sink], say: Callable[[str], None]
    ) -> None:
        self.name = name
        self._say = say
        self._sink: Sink | None = None
        self._writing: list[Future[None]] = []
        self._has_failed = False
        self._thread = ThreadPoolExecutor(1, "sink")
        try:
            self._sink = make()
        except Exception as error:
            self._switch_off(error)

    def say(self, line: str) -> None:
        """Ignore a sentence: no sink has a place for it."""

    def warn(self, line: str) -> None:
        """Ignore a warning, too."""

    def progress(self, phase: str, done: int, total: int, rates: str) -> None:
        """See whether the sink has failed meanwhile."""
        self._settle()

    def moment(self, moment: Moment) -> None:
        """Pass on figures from within an iteration, unless the sink is behind."""
        self._settle()
        if not self._writing:
            self._pass_on(lambda sink: sink.moment(moment))

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Pass on the metrics of an iteration."""
        self._pass_on(lambda sink: sink.iteration(metrics))

    def close(self) -> None:
        """Let the sink write what is left."""
        self._thread.shutdown()
        self._settle()
        try:
            if self._sink is not None:
                self._sink.close()  # which reads the run, as only this thread may
        except Exception as error:
            self._switch_off(error)
        self._sink = None

    def _pass_on(self, act: Callable[[Sink], None]) -> None:
        """Let the sink do something when it has done what came before."""
        self._settle()
        if self._sink is not None:
            self._writing.append(self._thread.submit(self._write, act, self._sink))

    def _write(self, act: Callable[[Sink], None], sink: Sink) -> None:
        """Let the sink do something, unless it has failed before."""
        if not self._has_failed:
            self._has_failed = True
            act(sink)
            self._has_failed = False

    def _settle(self) -> None:
        """Forget what was written; the first failure ends it."""
        while self._writing and self._writing[0].done():
            error = self._writing.pop(0).exception()
            if error is not None and self._sink is not None:
                self._switch_off(error)

    def _switch_off(self, error: BaseException) -> None:
        self._sink = None
        why = " ".join(str(error).split())[:200] or type(error).__name__
        self._say(f"{self.name} failed and is switched off: {why}")


def make_sinks(
    wanted: str,
    run: Run,
    config: Config,
    say: Callable[[str], None] | None = None,
    game: Game | None = None,
) -> Sequence[Guarded]:
    """Return the sinks of a text such as "tensorboard,mlflow:http://localhost:5000".

    What fails in them is said to `say`, by default to the log of the run. `game` is the
    game of the run, for its report.
    """
    return [
        Guarded(name, _maker(name, address, run, config, game), say or run.log)
        for name, address in check_sinks(wanted)
    ]


def opening_lines(wanted: str, run: Run) -> list[str]:
    """Return what opens each sink: a command for the shell, or an address."""
    lines = []
    for name, address in check_sinks(wanted):
        if name == "tensorboard":
            folder = str((run.folder / EVENTS).absolute())
            lines.append(tool(name, "tensorboard.main", "--logdir", folder))
        else:
            from ludens.track.mlflow import opening_line

            lines.append(opening_line(address))
    return lines


def check_sinks(wanted: str) -> list[tuple[str, str]]:
    """Return names and addresses of sinks, or say what is wrong with the text."""
    chosen = [_read(word.strip()) for word in wanted.split(",") if word.strip()]
    names = [name for name, _ in chosen]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{name} is wanted twice; name each sink once")
    return chosen


def _read(word: str) -> tuple[str, str]:
    """Return the name of a sink and its address, or say what is wrong."""
    name, _, address = word.partition(":")
    if name not in NAMES:
        raise UserError(f"there is no sink {name!r}{nearest(name, NAMES)}")
    if address and name != "mlflow":
        raise UserError(f"{name} has no address; write {name}")
    if address and ":" not in address and address != "databricks":
        raise UserError(
            f"mlflow has no store at {address!r};"
            " write mlflow:http://HOST:PORT or mlflow:sqlite:///FILE"
        )
    require_extra(name, "tracking")
    return name, address


def _maker(
    name: str, address: str, run: Run, config: Config, game: Game | None
) -> Callable[[], Sink]:
    def make() -> Sink:
        if name == "tensorboard":
            from ludens.track.tensorboard import TensorBoard

            return TensorBoard(run, config)
        from ludens.track.mlflow import MLflow

        return MLflow(run, config, address, game)

    return make
