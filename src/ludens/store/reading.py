"""What can be read from a run."""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ludens.errors import UserError
from ludens.loading.environments.sources import is_environment
from ludens.selfplay.share import GameRecord
from ludens.store import checkpoints, database
from ludens.store.checksums import (
    IterationTally,
    is_whole,
    read_facts,
    read_tallies,
    select,
)
from ludens.store.games import metrics_of, record_of, with_trace
from ludens.store.workers import MOST_WORKERS, WorkerFigures, figures_of

_CHUNK = 256  # games read at once: a reader must not keep the writer waiting
_BEFORE_ALL = -1


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
    """A run as readers see it; each answer is of a moment, and holds no lock.

    What is damaged is left out and named in `damage`.
    """

    def __init__(self, folder: Path, base: database.Base) -> None:
        self.folder = folder
        self.base = base
        self.damage: list[str] = []
        """A sentence for each thing that was found damaged so far."""
        self.on_damage: Callable[[str], None] = lambda sentence: None
        """Who is told of each at once."""

    @property
    def name(self) -> str:
        """The name of the run: that of its folder."""
        return self.folder.absolute().name

    def facts(self) -> dict[str, str]:
        """Return what was written down when the run was made."""
        with database.one_line(self.folder, "read"):
            return read_facts(self.base)

    @property
    def newest_iteration(self) -> int | None:
        """The newest iteration whose net was learned; the next goes on after it."""
        [(number,)] = self._rows("SELECT max(number) FROM iterations")
        return number if number is None else int(number)

    @property
    def next_number(self) -> int:
        """The number after those of all games."""
        [numbers] = self._rows(
            "SELECT (SELECT max(number) FROM games),"
            " (SELECT max(number) FROM unfinished)"
        )
        return 1 + max((n for n in numbers if isinstance(n, int)), default=-1)

    def tallies(self) -> list[IterationTally]:
        """Return what each iteration has played, in order."""
        with database.one_line(self.folder, "read"):
            return read_tallies(self.base, self.note)

    def totals(self, until: int | None = None) -> Totals:
        """Count iterations, games, positions and seconds, of all or until one."""
        newest = self.newest_iteration if until is None else until
        done = [t for t in self.tallies() if t.iteration <= (newest or 0)]
        return Totals(
            newest or 0,
            sum(tally.games for tally in done),
            sum(tally.positions for tally in done),
            sum(tally.seconds for tally in done),
        )

    def pending(self) -> Pending | None:
        """Return the iteration that has games but no net yet, if there is one."""
        for row in self._rows(select("pending", "")):
            number, _, seconds, _, _ = row
            [tally] = [t for t in self.tallies() if t.iteration == number]
            counts = tally.games, tally.positions
            metrics = self._metrics(row)
            if metrics is None:
                return Pending(number, 0.0, {}, *counts)
            return Pending(number, seconds, metrics, *counts)
        return None

    def metrics(self) -> list[dict[str, Any]]:
        """Return the metrics of each iteration, with its number and times."""
        rows = self._rows(select("iterations", "ORDER BY number"))
        found = [(row, self._metrics(row)) for row in rows]
        return [
            {"iteration": row[0], "began": row[1], "seconds": row[2]} | metrics
            for row, metrics in found
            if metrics is not None
        ]

    def _metrics(self, row: Any) -> dict[str, Any] | None:
        """Return the metrics of a row of iterations, None if it is damaged."""
        number, *times, text = row[:4]
        try:
            if is_whole(row) and all(type(seconds) is float for seconds in times):
                return metrics_of(text)
        except ValueError:
            pass
        self.note(f"iteration {number} is damaged: its metrics are left out")
        return None

    def workers(self) -> list[WorkerFigures]:
        """Return what workers did in the newest iteration that a cluster played."""
        [(newest,)] = self._rows("SELECT max(iteration) FROM workers")
        if not isinstance(newest, int):
            return []
        which = "WHERE number BETWEEN ? AND ? ORDER BY number"
        first = newest * MOST_WORKERS
        ends = first, first + MOST_WORKERS - 1
        rows = self._rows(select("workers", which), ends)
        return [one for row in rows for one in self._figures(row)]

    def _figures(self, row: Any) -> list[WorkerFigures]:
        """Return the figures of a row of workers, nothing if it is damaged."""
        try:
            if not is_whole(row):
                raise ValueError("its checksum is wrong")
            return [figures_of(row[:-1])]
        except ValueError as error:
            self.note(f"figures of a worker are damaged and left out: {error}")
            return []

    def results(self) -> tuple[int, int, int]:
        """Count the games that player 0 won, drew and lost."""
        found = self.tallies()
        return (
            sum(tally.wins for tally in found),
            sum(tally.draws for tally in found),
            sum(tally.losses for tally in found),
        )

    def newest_mean_result(self) -> float:
        """Return the mean result, or score, of the games of the newest iteration."""
        means = [tally.score / tally.games for tally in self.tallies() if tally.games]
        return means[-1] if means else 0.0

    def games(self, from_number: int = 0) -> Iterator[GameRecord]:
        """Give the committed games, those of an iteration in order of their numbers."""
        for tally in self.tallies():
            yield from self._games(tally, from_number - 1)

    def game(self, number: int) -> GameRecord:
        """Return a committed game by its number."""
        for row in self._rows(select("games", "WHERE number = ?"), (number,)):
            for played in self._played(row, row[:-1]):
                return played
        [(last,)] = self._rows("SELECT max(number) FROM games")
        what = f"{self.folder} has no finished game {number:,}"
        raise UserError(what if last is None else f"{what}; the last is {last:,}")

    def newest_games(self, count: int) -> Iterator[GameRecord]:
        """Give so many games with the highest numbers, which may have gaps."""
        which = "SELECT number FROM games ORDER BY number DESC LIMIT 1 OFFSET ?"
        found = self._rows(which, (count - 1,))
        return self.games(found[0][0] if found else 0)

    def games_after(self, number: int) -> Iterator[GameRecord]:
        """Give the games that come after one of the run in that order."""
        home = self._rows("SELECT iteration FROM games WHERE number = ?", (number,))
        if not home:
            raise UserError(f"run {self.folder} is damaged: game {number} is missing")
        for tally in self.tallies():
            if tally.iteration >= home[0][0]:
                is_home = tally.iteration == home[0][0]
                yield from self._games(tally, number if is_home else _BEFORE_ALL)

    def last_games(self, num_positions: int) -> Iterator[GameRecord]:
        """Give the fewest newest games that have so many positions, oldest first."""
        newest, missing = list[IterationTally](), num_positions
        for tally in reversed(self.tallies()):
            if missing > 0:
                newest.append(tally)
                missing -= tally.positions
        surplus = -missing
        for tally in reversed(newest):
            for played in self._games(tally, _BEFORE_ALL):
                if surplus < played.num_positions:
                    surplus = -1  # here they begin
                    yield played
                surplus -= played.num_positions if surplus >= 0 else 0

    def _games(self, tally: IterationTally, after: int) -> Iterator[GameRecord]:
        """Give the games of an iteration whose numbers come after one."""
        num_found, is_all = 0, after == _BEFORE_ALL
        which = f"WHERE iteration = ? AND number > ? ORDER BY number LIMIT {_CHUNK}"
        while True:
            rows = self._rows(select("games", which), (tally.iteration, after))
            num_found += len(rows)
            for row in rows:
                after = row[0]
                yield from self._played(row, row[:-1])
            if len(rows) < _CHUNK:
                break
        if is_all and num_found != tally.games:
            self.note(f"iteration {tally.iteration} has lost games")

    def unfinished(self) -> list[GameRecord]:
        """Return the games in progress when self-play last ended."""
        rows = self._rows(select("unfinished", "ORDER BY slot"))
        wanted = self.tallies()[-1:]
        if any(tally.unfinished not in (len(rows), -1) for tally in wanted):
            self.note("games in progress are missing")
        return [played for row in rows for played in self._played(row, row[1:-1])]

    def _played(self, row: Any, columns: Any) -> list[GameRecord]:
        """Return the game of a row, nothing if it is damaged."""
        try:
            if not is_whole(row):
                raise ValueError("its checksum is wrong")
            played = record_of(columns)
            return [self._traced(played) if self._has_traces else played]
        except ValueError as error:
            self.note(f"game {columns[0]} is damaged and left out: {error}")
            return []

    @cached_property
    def _has_traces(self) -> bool:
        """Whether the run is of an environment."""
        return is_environment(self.facts().get("game", ""))

    def _traced(self, played: GameRecord) -> GameRecord:
        """Return a game with what its environment showed; ValueError if damaged."""
        for row in self._rows(select("traces", "WHERE number = ?"), (played.number,)):
            if not is_whole(row):
                raise ValueError("the checksum of its trace is wrong")
            return with_trace(played, row[1])
        raise ValueError("its trace is missing")

    def note(self, sentence: str) -> None:
        """Remember, and tell, what is damaged."""
        if sentence not in self.damage:
            self.damage.append(sentence)
            self.on_damage(sentence)

    def nets(self, among: Container[int] | None = None) -> dict[int, Path]:
        """Return the files of the nets that are kept, of all or some iterations."""
        with database.one_line(self.folder, "read"):
            named = list(checkpoints.named_files(self.base, "net"))
        for net in named:
            if not net.is_known:
                self.note(f"iteration {net.iteration} is damaged: its net is left out")
        files = {
            net.iteration: self.folder / net.file
            for net in reversed(named)
            if net.is_checkpoint and (among is None or net.iteration in among)
        }
        return {n: path for n, path in files.items() if not path.is_symlink()}

    def last(self) -> checkpoints.Checkpoint | None:
        """Return the newest checkpoint that is whole; None if there was never one."""
        with database.one_line(self.folder, "read"):
            return checkpoints.find_last(self.folder, self.base)

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with database.one_line(self.folder, "read"):
            return self.base.rows(sql, values)

    def close(self) -> None:
        """Let the database go."""
        self.base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
