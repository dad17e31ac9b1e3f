"""Runs of training as a client sees them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ludens.loading.game import split_spec
from ludens.selfplay.share import GameRecord
from ludens.store.guard import has_writer
from ludens.store.moment import Moment, read_now
from ludens.store.reading import Reading
from ludens.store.run import Run
from ludens.store.stage import GameSeen, read_stage
from ludens.store.summary import Listed, list_runs, summarise
from ludens.store.workers import shown, words
from ludens.web.library import Library

Facts = dict[str, Any]


def list_all(library: Library) -> list[Facts]:
    """Return the runs in short, the one written last first."""
    return [_in_short(listed, library) for listed in list_runs()]


def _in_short(listed: Listed, library: Library) -> Facts:
    spec = library.spec_of_run(listed)
    facts = {k: v for k, v in vars(listed).items() if k != "path"}
    name = Path(split_spec(listed.game)[0]).name
    trouble = "it cannot be read" if listed.trouble else ""
    known = {"is_known": spec is not None, "is_live": has_writer(listed.path)}
    return facts | {"game": spec or name, "trouble": trouble} | known


class Watched:
    """A run that a client watches: what is new in it since the last look."""

    def __init__(self, library: Library, name: str, num_games: int) -> None:
        self._listed = library.run(name)
        self._spec = library.spec_of_run(self._listed)
        self._num_games = num_games
        self._seen: tuple[int, bool, Moment | None] | None = None

    def look(self) -> Facts | None:
        """Return the run with the metrics of new iterations, None if all is as it was.

        While it is trained, it also says how far the iteration is.
        """
        folder = self._listed.path
        with Run.open(folder) as run:
            is_live = has_writer(folder)
            moment = read_now(folder) if is_live else None
            now = (run.newest_iteration or 0, is_live, moment)
            if now == self._seen:
                return None
            before = self._seen[0] if self._seen else 0
            self._seen = now
            new = [row for row in run.metrics() if row["iteration"] > before]
            words = moment.words() if moment else ""
            live = {"is_live": is_live, "now": words}
            stage = read_stage(folder) if is_live else []
            return self._facts(run, stage) | {"metrics": new} | live

    def _facts(self, run: Run, stage: Sequence[GameSeen]) -> Facts:
        found = summarise(run)
        net = found.describe_net()
        known = {"seed": found.seed, "created": found.created}
        return {
            "event": "run",
            "name": self._listed.name,
            "game": self._spec or Path(split_spec(found.game)[0]).name,
            "is_known": self._spec is not None,
            "facts": {name: text for name, text in known.items() if text},
            "config": found.settings,
            "totals": asdict(found.totals),
            "results": found.results,
            "nets": list(found.nets),
            "net": net and {"words": net[0], "parameters": net[1]},
            "size_bytes": sum(
                f.stat().st_size for f in run.folder.rglob("*") if f.is_file()
            ),
            "cluster": words(found.metrics),
            "workers": shown(found.workers),
            "games": [
                *(self._played_now(game) for game in stage[: self._num_games]),
                *(self._game(*one) for one in self._newest(run, bool(stage))),
            ],
        }

    def _played_now(self, game: GameSeen) -> Facts:
        """Return a game that is played now."""
        sent = {"spec": self._spec, "history": list(game.history)}
        facts = {**asdict(game), "game": sent, "is_live": True}
        end = {"ending": "", "result": None, "is_over": False, "is_finished": False}
        return {k: v for k, v in facts.items() if k != "history"} | end

    def _newest(
        self, run: Reading, has_live: bool
    ) -> Iterator[tuple[GameRecord, bool]]:
        """Give the newest games, then some that go on; whether they are finished.

        If games are seen as they are played, those of the last iteration are old.
        """
        newest = list(run.last_games(40 * self._num_games))
        half = (self._num_games + 1) // 2
        ongoing = [] if has_live else run.unfinished()[: self._num_games - half]
        finished = newest[::-1][: self._num_games - len(ongoing)]
        yield from zip(finished, itertools.repeat(True))
        yield from zip(ongoing, itertools.repeat(False))

    def _game(self, played: GameRecord, is_finished: bool) -> Facts:
        return {
            "number": played.number,
            "net": played.net,
            "game": {"spec": self._spec, "history": played.history.tolist()},
            "values": [round(float(value), 4) for value in played.values],
            "kinds": played.kinds.tolist(),
            "ending": played.ending if is_finished else "",
            "result": played.result if is_finished else None,
            "is_over": played.is_over,
            "is_finished": is_finished,
            "is_live": False,
        }
