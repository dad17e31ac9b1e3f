"""A run of training: a folder with its database, its nets and its log."""

import json
import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from ludens.errors import UserError
from ludens.files import Tensors, write_text
from ludens.nets.weights import Net
from ludens.selfplay.record import GameRecord
from ludens.store import checkpoints, database
from ludens.store.games import COLUMNS, PLACES, row_of
from ludens.store.lock import Lock
from ludens.store.reading import Reading

CONFIG, LOG = "config.toml", "log.txt"
_MADE_BEFORE_THE_DATABASE = {"lock", "writer", CONFIG, LOG, *checkpoints.FOLDERS}


class Run(Reading):
    """One run, open for reading or, by one process at a time, for writing."""

    def __init__(
        self,
        folder: Path,
        base: sqlite3.Connection,
        lock: Lock | None = None,
        keep: int = 5,
        keep_every: int = 10,
    ) -> None:
        super().__init__(folder, base)
        self._lock = lock
        self._began_s = time.monotonic()
        self.keep = max(keep, checkpoints.KEPT_STATES)
        """How many of the newest nets stay."""
        self.keep_every = keep_every
        """Nets of iterations that this divides stay, too; 0: no others."""

    @classmethod
    def start(cls, folder: Path, config: str, facts: Mapping[str, str]) -> Self:
        """Open a run for writing, or make it if it is new."""
        if database.is_run(folder):
            return cls.open(folder, write=True, facts=facts)
        return cls.create(folder, config, facts)

    @classmethod
    def create(cls, folder: Path, config: str, facts: Mapping[str, str]) -> Self:
        """Make a run, open for writing, in a folder that is new or empty."""
        with database.one_line(folder, "make"):
            _check_free(folder)
            folder.mkdir(parents=True, exist_ok=True)
        run = cls._connect(folder, write=True)
        try:
            run._fill(config, facts)
        except BaseException:
            run.close()
            raise
        return run

    @classmethod
    def open(
        cls, folder: Path, write: bool = False, facts: Mapping[str, str] | None = None
    ) -> Self:
        """Open a run; its facts must be those given, such as its game and seed."""
        if not (folder / database.FILE).is_file():
            raise UserError(f"{folder} is not a run: it has no {database.FILE}")
        run = cls._connect(folder, write)
        try:
            with database.one_line(folder, "open"):
                database.check_format(run._base, folder)
                _compare(folder, run.facts(), facts or {})
                if write:
                    database.upgrade(run._base)
                    checkpoints.sweep(folder, run._base)
        except BaseException:
            run.close()
            raise
        return run

    @classmethod
    def _connect(cls, folder: Path, write: bool) -> Self:
        lock = Lock(folder) if write else None
        try:
            with database.one_line(folder, "open"):
                for part in checkpoints.FOLDERS if write else ():
                    (folder / part).mkdir(exist_ok=True)
                return cls(folder, database.connect(folder, write), lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def _fill(self, config: str, facts: Mapping[str, str]) -> None:
        """Make the tables, after all else: a run that has them is complete."""
        with database.one_line(self.folder, "make"):
            if database.is_ours(self._base):
                raise UserError(f"{self.folder} is a run already")
            if not database.is_blank(self._base):
                raise UserError(f"{self.folder} has a {database.FILE} of another kind")
            write_text(self.folder / CONFIG, config)
            created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            with database.transaction(self._base):
                database.make_tables(self._base)
                self._set_facts({**facts, "config": config, "created": created})

    def _set_facts(self, facts: Mapping[str, str]) -> None:
        self._base.executemany("REPLACE INTO facts VALUES (?, ?)", facts.items())

    def save_config(self, config: str) -> None:
        """Keep a changed configuration."""
        with database.one_line(self.folder, "write"):
            with database.transaction(self._base):
                self._set_facts({"config": config})
            write_text(self.folder / CONFIG, config)

    def commit_games(
        self,
        number: int,
        games: Sequence[GameRecord],
        unfinished: Sequence[GameRecord],
        metrics: Mapping[str, Any],
    ) -> None:
        """Keep what self-play brought, or nothing of it; the iteration is pending.

        A game that was committed before is not counted again. `unfinished` are the
        games that the next iteration goes on with.
        """
        self._check_next(number)
        row = (number, *self._lap_s(0.0), _as_json(metrics))
        with (
            database.one_line(self.folder, "write"),
            database.transaction(self._base),
        ):
            self._insert(games, number)
            self._insert_unfinished(unfinished, number)
            self._base.execute("INSERT INTO pending VALUES (?, ?, ?, ?)", row)
        self._began_s = time.monotonic()

    def commit_net(
        self,
        number: int,
        net: Net | None,
        learner_tensors: Tensors | None,
        metrics: Mapping[str, Any],
    ) -> None:
        """Keep what was learned in an iteration, or nothing of it; it is complete."""
        self._check_next(number)
        pending = self.pending()
        before_s = pending.seconds if pending else 0.0
        row = (number, *self._lap_s(before_s), _as_json(metrics))
        try:
            with database.one_line(self.folder, "write"):
                files = self._write_files(number, net, learner_tensors)
                with database.transaction(self._base):
                    self._base.execute(
                        "INSERT INTO iterations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        (*row, *files),
                    )
                    self._base.execute("DELETE FROM pending")
                    checkpoints.forget_old(self._base, self.keep, self.keep_every)
                self._began_s = time.monotonic()
        finally:  # after a failure, too: half an iteration is in the way on a full disk
            with suppress(sqlite3.Error, OSError):
                checkpoints.sweep(self.folder, self._base)

    def _check_next(self, number: int) -> None:
        assert self._lock is not None, "the run is open for reading only"
        newest = self.newest_iteration
        assert newest is None or number > newest, f"iteration {number} is committed"

    def _lap_s(self, before_s: float) -> tuple[float, float]:
        """Return when an iteration began and how long it took, with what was before."""
        seconds = before_s + time.monotonic() - self._began_s
        return time.time() - seconds, seconds

    def _write_files(
        self, number: int, net: Net | None, tensors: Tensors | None
    ) -> tuple[str | None, ...]:
        """Write the checkpoint; return names and checksums for the database."""
        files = (
            checkpoints.write_net(self.folder, number, net),
            checkpoints.write_state(self.folder, number, tensors),
        )
        named = [(None, None) if f is None else (f.file, f.sha256) for f in files]
        return tuple(field for pair in named for field in pair)

    def _insert(self, games: Sequence[GameRecord], number: int) -> None:
        self._base.executemany(
            f"INSERT OR IGNORE INTO games ({COLUMNS}) VALUES ({PLACES})",
            (row_of(game, number) for game in games),
        )

    def _insert_unfinished(self, games: Sequence[GameRecord], number: int) -> None:
        self._base.execute("DELETE FROM unfinished")
        self._base.executemany(
            f"INSERT INTO unfinished (slot, {COLUMNS}) VALUES (?, {PLACES})",
            ((slot, *row_of(game, number)) for slot, game in enumerate(games)),
        )

    def log(self, line: str) -> None:
        """Add a line, with the time, to the log of the run."""
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        with (
            database.one_line(self.folder, "write"),
            (self.folder / LOG).open("a", encoding="utf-8") as file,
        ):
            file.write(f"{stamp} {line}\n")

    def close(self) -> None:
        """Let the run go; another process may write it now."""
        super().close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _check_free(folder: Path) -> None:
    """Refuse a folder with anything in it but what a killed `create` leaves."""
    if database.is_run(folder):
        raise UserError(f"{folder} is a run already")
    if any(any((folder / part).glob("*")) for part in checkpoints.FOLDERS):
        raise UserError(f"{folder} has checkpoints but no games; name another folder")
    if (folder / database.FILE).exists() or not folder.exists():
        return
    for path in folder.iterdir():
        is_draft = path.name.startswith(f".{CONFIG}.")
        if path.name not in _MADE_BEFORE_THE_DATABASE and not is_draft:
            raise UserError(f"{folder} is not empty and not a run; name another folder")


def _compare(folder: Path, facts: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    """Refuse to go on with a run of another game, other rules or another seed."""
    for key, value in wanted.items():
        found = facts.get(key, "")
        if found == value:
            continue
        if key == "rules_hash":
            raise UserError(
                f"run {folder} was made with other rules of {facts.get('game')};"
                " start another run"
            )
        what = key.replace("_", " ")
        raise UserError(
            f"run {folder} has {what} {found}, not {value}; start another run"
        )


def _as_json(metrics: Mapping[str, Any]) -> str:
    """Return metrics as JSON, which knows neither NaN nor the numbers of NumPy."""
    return json.dumps({key: _plain(value) for key, value in metrics.items()})


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
