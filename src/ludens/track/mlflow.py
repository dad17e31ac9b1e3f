"""Metrics, settings, nets and the report of a run in an MLflow store."""

import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ludens.errors import tool
from ludens.files import write_text
from ludens.loading.game import Game
from ludens.report.page import make_report
from ludens.store.checkpoints import net_name
from ludens.store.database import FILE as DATABASE
from ludens.store.finding import kept_in
from ludens.store.moment import Moment
from ludens.store.run import CONFIG, Run
from ludens.track.naming import ended_s, live_scalars, scalars, settings, tag_of
from ludens.training.config import Config
from ludens.training.progress import Silent

if TYPE_CHECKING:
    from mlflow import MlflowClient

KEPT = "mlflow.json"
"""A file of the run: its id in each MLflow store."""
STATES = "state"
"""The folder for states of the learner, in a run and in a store."""
EVERY_TIME = tag_of("seconds")
"""A metric that each iteration has."""
MOST_METRICS, MOST_PARAMS = 1000, 100
"""The most that MLflow takes in one request."""
_ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
    # A server that is away must not hold up the training: by default seven tries of
    # two minutes each.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
}
"""Read by MLflow; what the user has set stays."""


class MLflow(Silent):
    """One run of MLflow for one run of ours, taken up again when it is resumed."""

    def __init__(
        self, run: Run, config: Config, address: str = "", game: Game | None = None
    ) -> None:
        self._run, self._game = run, game
        address = store_address(address)
        artifacts = _own_files() if address == _own_store() else None
        self._client = _connect(address)
        self._id = self._find_or_begin(config.game, _public(address), artifacts)
        self._write_settings(settings(config))
        steps = self._client.get_metric_history(self._id, EVERY_TIME)
        self._newest = max((metric.step for metric in steps), default=-1)
        self._write(run.metrics())
        self._client.log_artifact(self._id, str(run.folder / CONFIG))
        files = self._client.list_artifacts(self._id, "nets")
        self._nets = {Path(file.path).name for file in files}
        self._add_nets(run.nets().values())

    def moment(self, moment: Moment) -> None:
        """Write figures from within an iteration."""
        from mlflow.entities import Metric

        when_ms = int(1000 * time.time())
        metrics = [
            Metric(name, value, when_ms, step)
            for step, figures in moment.all_points
            for name, value in live_scalars(figures).items()
        ]
        for start in range(0, len(metrics), MOST_METRICS):
            part = metrics[start : start + MOST_METRICS]
            self._client.log_batch(self._id, metrics=part)

    def iteration(self, metrics: Mapping[str, Any]) -> None:
        """Write the numbers of an iteration, and add its net."""
        self._write([metrics])
        self._add_nets([self._run.folder / net_name(metrics["iteration"])])

    def _add_nets(self, paths: Iterable[Path]) -> None:
        """Add nets that are there and were not added yet; old ones may be gone."""
        for path in paths:
            if path.name not in self._nets and path.is_file():
                self._client.log_artifact(self._id, str(path), "nets")
                self._nets.add(path.name)

    def close(self) -> None:
        """Add the learner's state, the games and the report; end the run for now."""
        self._add_nets(self._run.nets().values())
        states = sorted((self._run.folder / STATES).glob("*.safetensors"))
        for newest in states[-1:]:
            self._client.log_artifact(self._id, str(newest), STATES)
        self._client.log_artifact(self._id, str(self._run.folder / DATABASE))
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            page.write_text(make_report(self._run, self._game), encoding="utf-8")
            self._client.log_artifact(self._id, str(page))
        self._client.set_terminated(self._id)

    def _find_or_begin(self, game: str, store: str, artifacts: str | None) -> str:
        """Return the id of our run in a store, where it is marked as running."""
        path = self._run.folder / KEPT
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if store in kept and self._is_there(kept[store]):
            self._client.update_run(kept[store], status="RUNNING")
            return str(kept[store])
        name = f"ludens {game}"
        found = self._client.get_experiment_by_name(name)
        experiment = (
            found.experiment_id
            if found
            else self._client.create_experiment(name, artifact_location=artifacts)
        )
        number = self._client.create_run(experiment, run_name=self._run.name)
        kept[store] = number.info.run_id
        write_text(path, json.dumps(kept))
        return str(kept[store])

    def _is_there(self, number: str) -> bool:
        """Tell whether a store still has a run, which may have been deleted."""
        from mlflow.exceptions import MlflowException

        try:
            return bool(self._client.get_run(number).info.lifecycle_stage == "active")
        except MlflowException as error:
            if error.error_code == "RESOURCE_DOES_NOT_EXIST":
                return False
            raise

    def _write_settings(self, wanted: Mapping[str, str]) -> None:
        """Write settings as parameters; one that has changed since becomes a tag."""
        from mlflow.entities import Param, RunTag

        there = self._client.get_run(self._id).data.params
        new = [
            Param(name, value) for name, value in wanted.items() if name not in there
        ]
        for start in range(0, len(new), MOST_PARAMS):
            self._client.log_batch(self._id, params=new[start : start + MOST_PARAMS])
        changed = [
            RunTag(f"now.{name}", value)
            for name, value in wanted.items()
            if there.get(name, value) != value
        ]
        if changed:
            self._client.log_batch(self._id, tags=changed)

    def _write(self, iterations: Iterable[Mapping[str, Any]]) -> None:
        """Write iterations that are not there yet, many in one request."""
        for batch, newest in self._batches(iterations):
            self._client.log_batch(self._id, metrics=batch)
            self._newest = newest

    def _batches(
        self, iterations: Iterable[Mapping[str, Any]]
    ) -> Iterator[tuple[list[Any], int]]:
        """Give the metrics of whole iterations, and the newest of these."""
        from mlflow.entities import Metric

        batch: list[Any] = []
        newest = self._newest
        for metrics in iterations:
            if metrics["iteration"] <= self._newest:
                continue
            when_ms = int(1000 * ended_s(metrics, time.time()))
            step = metrics["iteration"]
            found = [Metric(k, v, when_ms, step) for k, v in scalars(metrics).items()]
            if len(batch) + len(found) > MOST_METRICS:
                yield batch, newest
                batch = []
            batch, newest = batch + found, step
        if batch:
            yield batch, newest


def store_address(address: str = "") -> str:
    """Return where a store is: as wished, as MLflow's own variable says, or ours."""
    return address or os.environ.get("MLFLOW_TRACKING_URI", "") or _own_store()


def _own_store() -> str:
    return f"sqlite:///{kept_in('mlflow.db').as_posix()}"


def _own_files() -> str:
    """Return the address of the files that belong to our own store."""
    folder = kept_in("mlflow")
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder.as_uri()


def opening_line(address: str = "") -> str:
    """Return the command that shows a store, or the address of its server."""
    address = store_address(address)
    if "@" in urlsplit(address).netloc:
        address = _public(address)
    if address.startswith(("http:", "https:")):
        return address
    return tool("mlflow", "mlflow", "ui", "--backend-store-uri", address)


def _connect(address: str) -> "MlflowClient":
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=address)


def _public(address: str) -> str:
    """Return an address without the name and password that may be in it.

    Of a file it is no address, but the word by which runs know their store.
    """
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
