"""A run of training: a folder with its database, its nets and its log."""

import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from ludens.errors import NoRoom, UserError
from ludens.files import Tensors, append_text, is_plain, make_folder, write_text
from ludens.nets.weights import Net, save_net
from ludens.selfplay.share import GameRecord
from ludens.store import checkpoints, database
from ludens.store.checksums import (
    delete,
    insert,
    recount,
    upgrade,
    write_facts,
    write_tally,
)
from ludens.store.games import row_of, text_of, trace_row_of
from ludens.store.guard import FOLDERS, Lock, check_files, who_writes
from ludens.store.origin import FILE as ORIGIN
from ludens.store.origin import Origin
from ludens.store.reading import Reading
from ludens.store.workers import WorkerFigures, rows_of

CONFIG, LOG = "config.toml", "log.txt"
_MADE_BEFORE_THE_DATABASE = {"lock", "writer", CONFIG, LOG, ORIGIN, *FOLDERS}


class Run(Reading):
    """One run, open for reading or, by one process at a time, for writing."""

    def __init__(
        self,
        folder: Path,
        base: database.Base,
        lock: Lock | None = None,
    ) -> None:
        super().__init__(folder, base)
        self._lock = lock
        self._began_s = time.monotonic()
        self.keeps = checkpoints.Keeps()
        """What stays of earlier iterations."""

    @classmethod
    def start(
        cls,
        folder: Path,
        config: str,
        facts: Mapping[str, str],
        origin: Origin | None = None,
    ) -> Self:
        """Open a run for writing, or make it, with its origin, if it is new."""
        if not database.is_run(folder):
            try:
                return cls.create(folder, config, facts, origin)
            except UserError:
                if not database.is_run(folder):  # else another has just made it
                    raise
        return cls.open(folder, write=True, facts=facts)

    @classmethod
    def create(
        cls,
        folder: Path,
        config: str,
        facts: Mapping[str, str],
        origin: Origin | None = None,
    ) -> Self:
        """Make a run, open for writing, in a folder that is new or empty."""
        with database.one_line(folder, "make"):
            _check_free(folder)
            make_folder(folder)
        run = cls._connect(folder, write=True)
        try:
            run._fill(config, facts, origin)
        except BaseException:
            run.close()
            raise
        return run

    @classmethod
    def open(
        cls, folder: Path, write: bool = False, facts: Mapping[str, str] | None = None
    ) -> Self:
        """Open a run; its facts must be those given, such as its game and seed."""
        if not is_plain(folder / database.FILE):
            raise UserError(f"{folder} is not a run: it has no {database.FILE}")
        run = cls._connect(folder, write)
        try:
            with database.one_line(folder, "open"):
                found = database.check_format(run.base, folder)
                _compare(folder, run.facts(), facts or {})
                if write:
                    upgrade(run.base)
                    checkpoints.sweep(folder, run.base)
                else:
                    database.stand_in(run.base, found)
        except BaseException:
            run.close()
            raise
        return run

    @classmethod
    def _connect(cls, folder: Path, write: bool) -> Self:
        with database.one_line(folder, "open"):
            check_files(folder)
        lock = Lock(folder) if write else None
        try:
            with database.one_line(folder, "open"):
                for part in FOLDERS if write else ():
                    make_folder(folder / part)
                return cls(folder, database.connect(folder, write), lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def _fill(
        self, config: str, facts: Mapping[str, str], origin: Origin | None
    ) -> None:
        """Make the tables, after all else: a run that has them is complete."""
        with database.one_line(self.folder, "make"):
            if database.is_ours(self.base):
                raise UserError(
                    f"another process has just made the run {self.folder};"
                    " the same command goes on with it"
                )
            if not database.is_blank(self.base):
                raise UserError(f"{self.folder} has a {database.FILE} of another kind")
            if origin is not None:
                save_net(origin.net, self.folder / ORIGIN)
                facts = {**facts, **origin.facts()}
            write_text(self.folder / CONFIG, config)
            created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            with database.transaction(self.base):
                database.make_tables(self.base)
                made = {**facts, "config": config, "created": created}
                write_facts(self.base, made)

    def save_config(self, config: str) -> None:
        """Keep a changed configuration."""
        with database.one_line(self.folder, "write"):
            with database.transaction(self.base):
                write_facts(self.base, {"config": config})
            write_text(self.folder / CONFIG, config)

    def commit_games(
        self,
        number: int,
        games: Sequence[GameRecord],
        unfinished: Sequence[GameRecord],
        metrics: Mapping[str, Any],
        workers: Sequence[WorkerFigures] = (),
    ) -> None:
        """Keep what self-play brought, or nothing of it; the iteration is pending.

        A game that was committed before is not counted again. `unfinished` are the
        games that the next iteration goes on with, `workers` those of a cluster.
        """
        self._check_next(number)
        began, seconds = self._lap_s(0.0)
        rows = [row_of(game, number) for game in games]
        open_rows = [(i, *row_of(game, number)) for i, game in enumerate(unfinished)]
        with (
            database.one_line(self.folder, "write"),
            database.transaction(self.base),
        ):
            insert(self.base, "games", rows)
            self._replace_traces([*games, *unfinished])
            delete(self.base, "unfinished")
            insert(self.base, "unfinished", open_rows)
            row = (number, began, seconds, text_of(metrics))
            insert(self.base, "pending", [row])
            insert(self.base, "workers", rows_of(number, workers))
            self._seal(number, seconds)
        self._began_s = time.monotonic()

    def _replace_traces(self, games: Sequence[GameRecord]) -> None:
        """Keep what environments showed in games, instead of in the unfinished ones."""
        old = "SELECT number FROM unfinished"
        self.base.execute(f"DELETE FROM traces WHERE number IN ({old})")
        self.base.execute(
            f"DELETE FROM checksums WHERE part = 'traces' AND number IN ({old})"
        )
        traced = [trace_row_of(game) for game in games if game.trace is not None]
        insert(self.base, "traces", traced)

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
        began, seconds = self._lap_s(before_s)
        try:
            with database.one_line(self.folder, "write"):
                files = self._write_files(number, net, learner_tensors)
                with database.transaction(self.base):
                    row = (number, began, seconds, text_of(metrics), *files)
                    insert(self.base, "iterations", [row])
                    delete(self.base, "pending")
                    checkpoints.forget_old(self.base, self.keeps)
                    self._seal(number, seconds)
                self._began_s = time.monotonic()
        finally:  # after a failure, too: half an iteration is in the way on a full disk
            with suppress(sqlite3.Error, OSError):
                checkpoints.sweep(self.folder, self.base)

    def _check_next(self, number: int) -> None:
        assert self._lock is not None, "the run is open for reading only"
        newest = self.newest_iteration
        assert newest is None or number > newest, f"iteration {number} is committed"

    def _lap_s(self, before_s: float) -> tuple[float, float]:
        """Return when an iteration began and how long it took, with what was before."""
        seconds = before_s + time.monotonic() - self._began_s
        return time.time() - seconds, seconds

    def leave_out(self, seconds: float) -> None:
        """Do not count a time in which nothing could be done."""
        self._began_s += seconds

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

    def _seal(self, number: int, seconds: float) -> None:
        """Write the sums of an iteration, and which iterations there are."""
        [(unfinished,)] = self.base.rows("SELECT count(slot) FROM unfinished")
        write_tally(self.base, recount(self.base, number, unfinished, seconds))
        write_facts(self.base, {})

    def log(self, line: str, level: str = "info") -> None:
        """Add a line, with time and level, to the log of the run, if there is room."""
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        with suppress(NoRoom), database.one_line(self.folder, "write"):
            append_text(self.folder / LOG, f"{stamp} {level:<7} {line}\n")

    def close(self) -> None:
        """Let the run go; another process may write it now."""
        super().close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _check_free(folder: Path) -> None:
    """Refuse a folder with anything in it but what a killed `create` leaves."""
    if database.is_run(folder):
        if writer := who_writes(folder):
            raise UserError(f"run {folder} is in use by {writer}")
        raise UserError(f"{folder} is a run already")
    why = _why_taken(folder)
    if why and (writer := who_writes(folder)):  # who makes a run of it this moment
        raise UserError(f"run {folder} is in use by {writer}")
    if why:
        raise UserError(f"{folder} {why}; name another folder")


def _why_taken(folder: Path) -> str:
    """Say what a folder holds already, "" if nothing."""
    if any(any((folder / part).glob("*")) for part in FOLDERS):
        return "has checkpoints but no games"
    if is_plain(folder / database.FILE) or not folder.exists():
        return ""
    for path in folder.iterdir():
        is_draft = path.name.startswith((f".{CONFIG}.", f".{ORIGIN}."))
        if path.name not in _MADE_BEFORE_THE_DATABASE and not is_draft:
            return "is not empty and not a run"
    return ""


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
