"""What can be read from a run."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ludens.errors import UserError
from ludens.selfplay.record import GameRecord
from ludens.store import checkpoints, database
from ludens.store.games import READ_COLUMNS, record_of

_CHUNK = 256  # games read at once: a reader must not keep the writer waiting


@dataclass(frozen=True)
class Pending:
    """The iteration whose games are kept, but whose net is yet to be learned."""

    number: int
    seconds: float
    """That its self-play took."""
    metrics: dict[str, Any]
    games: int
    positions: int


@dataclass(frozen=True)
class Totals:
    """What the iterations of a run have come to, but for a pending one."""

    iterations: int
    games: int
    positions: int
    seconds: float


class Reading:
    """A run as readers see it; each answer is of a moment, and holds no lock."""

    def __init__(self, folder: Path, base: sqlite3.Connection) -> None:
        self.folder = folder
        self._base = base

    @property
    def name(self) -> str:
        """The name of the run: that of its folder."""
        return self.folder.absolute().name

    def facts(self) -> dict[str, str]:
        """Return what was written down when the run was made."""
        return dict(self._rows("SELECT key, value FROM facts"))

    @property
    def newest_iteration(self) -> int | None:
        """The newest iteration whose net was learned; the next goes on after it."""
        [(number,)] = self._rows("SELECT max(number) FROM iterations")
        return number if number is None else int(number)

    def totals(self) -> Totals:
        """Count iterations, games, positions and seconds."""
        [iterations] = self._rows(
            "SELECT coalesce(max(number), 0), total(seconds) FROM iterations"
        )
        return Totals(
            iterations[0], *self._count("iteration <= ?", iterations[0]), iterations[1]
        )

    def _count(self, which: str, value: int) -> tuple[int, int]:
        """Count some games and their positions."""
        sql = f"SELECT count(*), total(num_positions) FROM games WHERE {which}"
        [(games, positions)] = self._rows(sql, (value,))
        return games, int(positions)

    def pending(self) -> Pending | None:
        """Return the iteration that has games but no net yet, if there is one."""
        for number, seconds, metrics in self._rows(
            "SELECT number, seconds, metrics FROM pending"
        ):
            counts = self._count("iteration = ?", number)
            return Pending(number, seconds, json.loads(metrics), *counts)
        return None

    def metrics(self) -> list[dict[str, Any]]:
        """Return the metrics of each iteration, with its number and times."""
        return [
            {"iteration": number, "began": began, "seconds": seconds}
            | json.loads(metrics)
            for number, began, seconds, metrics in self._rows(
                "SELECT number, began, seconds, metrics FROM iterations ORDER BY number"
            )
        ]

    def results(self) -> tuple[int, int, int]:
        """Count the games that player 0 won, drew and lost."""
        sql = "SELECT total(wins), total(draws), total(losses) FROM results"
        [(wins, draws, losses)] = self._rows(sql)
        return int(wins), int(draws), int(losses)

    def newest_mean_result(self) -> float:
        """Return the mean result, or score, of the games of the newest iteration."""
        sql = "SELECT mean_result FROM results ORDER BY iteration DESC LIMIT 1"
        return float((self._rows(sql) or [(0.0,)])[0][0])

    def games(self, from_number: int = 0) -> Iterator[GameRecord]:
        """Give the committed games, those of an iteration in order of their numbers."""
        return self._games("number >= ?", (from_number,))

    def games_after(self, number: int) -> Iterator[GameRecord]:
        """Give the games that come after one of the run in that order."""
        home = "SELECT iteration, number FROM games WHERE number = ?"
        return self._games(f"(iteration, number) > ({home})", (number,))

    def last_games(self, num_positions: int) -> Iterator[GameRecord]:
        """Give the fewest newest games that have so many positions, oldest first."""
        found, first = 0, (2**62, 0)  # after all of them
        for iteration, number, size in self._rows(
            "SELECT iteration, number, num_positions FROM games"
            " ORDER BY iteration DESC, number DESC"
        ):
            if found >= num_positions:
                break
            found, first = found + size, (iteration, number)
        return self._games("(iteration, number) >= (?, ?)", first)

    def _games(self, which: str, values: tuple[int, ...]) -> Iterator[GameRecord]:
        after = (-1, -1)
        while True:
            rows = self._rows(
                f"SELECT iteration, {READ_COLUMNS} FROM games WHERE {which}"
                " AND (iteration, number) > (?, ?)"
                f" ORDER BY iteration, number LIMIT {_CHUNK}",
                (*values, *after),
            )
            for iteration, *row in rows:
                after = (iteration, row[0])
                yield self._played(row)
            if len(rows) < _CHUNK:
                return

    def unfinished(self) -> list[GameRecord]:
        """Return the games in progress when self-play last ended."""
        sql = f"SELECT {READ_COLUMNS} FROM unfinished ORDER BY slot"
        return [self._played(row) for row in self._rows(sql)]

    def _played(self, row: Any) -> GameRecord:
        try:
            return record_of(row)
        except (TypeError, ValueError) as error:
            raise UserError(
                f"run {self.folder}: game {row[0]} is damaged: {error}"
            ) from None

    def nets(self) -> dict[int, Path]:
        """Return the files of the nets that are kept, by iteration."""
        rows = self._rows(
            "SELECT number, net_file FROM iterations"
            " WHERE net_file IS NOT NULL ORDER BY number"
        )
        named = (checkpoints.Named(number, file, "") for number, file in rows)
        return {n.iteration: self.folder / n.file for n in named if n.is_checkpoint}

    def last(self) -> checkpoints.Checkpoint | None:
        """Return the newest checkpoint that is whole; None if there was never one."""
        with database.one_line(self.folder, "read"):
            return checkpoints.find_last(self.folder, self._base)

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with database.one_line(self.folder, "read"):
            return self._base.execute(sql, values).fetchall()

    def close(self) -> None:
        """Let the database go."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
