"""Where runs are kept, and a list of them."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ludens.errors import UserError, nearest
from ludens.files import is_plain
from ludens.formats.words import printable
from ludens.store import database
from ludens.store.run import Run
from ludens.store.summary import summarise


@dataclass(frozen=True)
class Listed:
    """A run in short."""

    name: str
    path: Path
    age_s: float
    """Seconds since it was last written."""
    game: str = ""
    iteration: int | None = None
    games: int = 0
    positions: int = 0
    elo: float | None = None
    trouble: str = ""
    """Why it cannot be read, if so."""


def runs_folder() -> Path:
    """Return where runs are that have a name only."""
    chosen = os.environ.get("LUDENS_RUNS")
    if chosen:
        return Path(chosen)
    return Path(platformdirs.user_data_dir("ludens", appauthor=False)) / "runs"


def run_folder(run: str) -> Path:
    """Return the folder of a run, there or not, given its name or a path."""
    is_name = Path(run).name == run and run not in ("", "..")
    return runs_folder() / run if is_name else Path(run)


def find_run(run: str) -> Path:
    """Return the folder of a run that is there, given its name or a path."""
    for folder in (run_folder(run), Path(run)):
        if is_plain(folder / database.FILE):
            return folder
    names = [folder.name for folder in _folders()]
    raise UserError(f"there is no run {run!r}{nearest(run, names)}")


def list_runs() -> list[Listed]:
    """Return what runs there are, the one written last first."""
    return sorted(map(_listed, _folders()), key=lambda listed: listed.age_s)


def _folders() -> list[Path]:
    root = runs_folder()
    if not root.is_dir():
        return []
    with database.one_line(root, "list"):
        return [path for path in root.iterdir() if path.is_dir()]


def _listed(folder: Path) -> Listed:
    """Sum up a run; one that cannot be read hides no other."""
    age_s = _age_s(folder)
    try:
        with Run.open(folder) as run:
            found = summarise(run)
            return Listed(
                name=folder.name,
                path=folder,
                age_s=age_s,
                game=found.game,
                iteration=found.iteration,
                games=found.totals.games,
                positions=found.totals.positions,
                elo=found.strength.elo,
            )
    except Exception as error:  # whatever a stranger's run brings about
        return Listed(folder.name, folder, age_s, trouble=printable(str(error)))


def _age_s(folder: Path) -> float:
    with suppress(OSError):
        file = folder / database.FILE
        written_s = (file if is_plain(file) else folder).stat().st_mtime
        return max(0.0, time.time() - written_s)
    return 0.0
