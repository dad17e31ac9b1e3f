import json
import shutil
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest
from mlflow import MlflowClient

from ludens.store.finding import runs_folder
from ludens.store.moment import Moment
from ludens.store.run import Run
from ludens.track.mlflow import opening_line, store_address
from ludens.track.sinks import make_sinks
from ludens.training.progress import BudgetConfig

# What MLflow itself asks of SQLAlchemy.
pytestmark = pytest.mark.filterwarnings("ignore:The ``noload`` loader strategy")


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory):
    """Return the database of a store: MLflow takes seconds to make one."""
    path = tmp_path_factory.mktemp("store") / "mlflow.db"
    MlflowClient(tracking_uri=f"sqlite:///{path}").search_experiments()
    return path


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch, empty_store):
    """Let the user's data folder be elsewhere, and so the current one."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(empty_store, folder)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *a, **k: str(folder))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def session(run, config, iterate):
    """Return a function that trains some iterations with the sink watching."""

    def train(first, last, wanted="mlflow", config=config):
        said = []
        [sink] = make_sinks(wanted, run, config, said.append)
        for number in range(first, last + 1):
            sink.iteration(iterate(number))
        sink.close()
        assert said == []

    return train


def find(address):
    """Return a client of a store and the only run of ours in it."""
    client = MlflowClient(tracking_uri=address)
    experiment = client.get_experiment_by_name("ludens tic_tac_toe")
    [found] = client.search_runs([experiment.experiment_id])
    return client, found


def steps(client, found, name):
    history = client.get_metric_history(found.info.run_id, name)
    return sorted(metric.step for metric in history)


def test_a_run_is_taken_up_again(session, config, data_folder, iterate):
    session(1, 2)
    iterate(3)  # kept, and then the process died before the sink heard of it
    session(4, 5, config=replace(config, budget=BudgetConfig(iterations=9)))
    client, found = find(f"sqlite:///{data_folder}/mlflow.db")
    assert found.info.run_name == "one"
    assert found.info.status == "FINISHED"
    assert found.data.params["game"] == "tic_tac_toe"
    assert float(found.data.params["learn.lr"]) > 0
    assert found.data.tags["now.budget.iterations"] == "9"
    assert steps(client, found, "loss/total") == [1, 2, 3, 4, 5]
    assert steps(client, found, "strength/elo") == [1, 3, 4, 5]
    history = client.get_metric_history(found.info.run_id, "loss/total")
    assert {m.step: m.value for m in history}[5] == pytest.approx(1 / 5)


def test_figures_from_within_iterations_are_there(run, config, data_folder):
    [sink] = make_sinks("mlflow", run, config)
    losses = [(69, {"loss": 0.6}), (70, {"loss": 0.5})]
    sink.moment(Moment(1, "learn", 70, {"loss": 0.5, "queue": 7}, losses))
    sink.close()
    client, found = find(f"sqlite:///{data_folder}/mlflow.db")
    assert steps(client, found, "live/loss") == [69, 70]
    assert steps(client, found, "live/queue") == [70]


def test_nets_and_report_are_artifacts(session, run, data_folder, tmp_path):
    session(1, 2)
    client, found = find(f"sqlite:///{data_folder}/mlflow.db")
    number = found.info.run_id
    nets = [file.path for file in client.list_artifacts(number, "nets")]
    assert nets == ["nets/000001.safetensors", "nets/000002.safetensors"]
    page = client.download_artifacts(number, "report.html", str(tmp_path))
    assert "<!DOCTYPE html>" in Path(page).read_text(encoding="utf-8")
    assert (data_folder / "mlflow").is_dir()
    assert not (tmp_path / "mlruns").exists()


def test_nets_come_when_they_are_published_and_all_else_at_the_ends(
    run, config, data_folder, iterate, tmp_path
):
    [sink] = make_sinks("mlflow", run, config)
    client, found = find(f"sqlite:///{data_folder}/mlflow.db")
    number = found.info.run_id

    def files(folder=""):
        return [file.path for file in client.list_artifacts(number, folder)]

    assert files() == ["config.toml"]
    sink.iteration(iterate(1))
    sink._thread.submit(int).result()  # when it has written
    assert files("nets") == ["nets/000001.safetensors"]
    sink.close()
    assert files() == ["config.toml", "games.sqlite", "nets", "report.html", "state"]
    assert files("state") == ["state/000001.safetensors"]
    folder = Path(client.download_artifacts(number, "", str(tmp_path / "all")))
    with Run.open(folder) as copy:
        assert copy.metrics()[-1]["loss"] == 1.0


def test_one_root_has_the_runs_and_the_store(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDENS_HOME", str(tmp_path / "home"))
    assert runs_folder() == tmp_path / "home" / "runs"
    assert store_address() == f"sqlite:///{tmp_path}/home/mlflow.db"
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path / "elsewhere"))
    assert runs_folder() == tmp_path / "elsewhere"
    assert opening_line("http://me:secret@host:5000") == "http://host:5000"


def test_the_store_can_be_another(session, run, tmp_path, empty_store):
    address = f"sqlite:///{shutil.copy(empty_store, tmp_path / 'other.db')}"
    session(1, 1, f"mlflow:{address}")
    client, found = find(address)
    assert steps(client, found, "loss/total") == [1]
    kept = json.loads((run.folder / "mlflow.json").read_text())
    assert list(kept.values()) == [found.info.run_id]


def test_a_server_that_is_away_is_said_once(run, config, iterate):
    said = []
    [sink] = make_sinks("mlflow:http://127.0.0.1:9", run, config, said.append)
    sink.iteration(iterate(1))
    sink.close()
    assert len(said) == 1
    assert said[0].startswith("mlflow failed and is switched off: ")
    assert "\n" not in said[0]
