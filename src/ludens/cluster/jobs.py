"""Jobs as data: what a worker needs to play a share, and what it brings.

A job decides every move that is played for it, so any worker may play it, twice if need
be. Games travel as the rows that a run keeps of them, nets by their SHA-256.
"""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from ludens.cluster.wire import Facts, pack, unpack
from ludens.loading.game import Game
from ludens.search.config import SearchConfig
from ludens.selfplay.config import SelfplayConfig
from ludens.selfplay.share import GameRecord, Share, SharePlayed, Tally
from ludens.settings import read_settings
from ludens.store.games import record_of, row_of, trace_row_of, with_trace

SHARE = "share"
_NUM_PLAIN = 10
"""Values of a game's row that are no bytes; after them come those that are."""


def sha256(content: bytes) -> str:
    """Return the name that contents go by."""
    return hashlib.sha256(content).hexdigest()


def portable_spec(game: Game) -> str:
    """Return the text by which another process finds a game: files by whole paths."""
    if not game.name.endswith(".py"):
        return game.spec
    kind, colon, _ = game.name.rpartition(":")
    return f"{kind}{colon}{game.path.absolute()}{game.spec.removeprefix(game.name)}"


@dataclass(frozen=True)
class ShareJob:
    """A share of self-play with all that decides it."""

    game: str
    net: str
    """The SHA-256 of its bytes."""
    search: SearchConfig
    selfplay: SelfplayConfig
    share: Share

    def to_bytes(self) -> bytes:
        """Return the job as a message."""
        known = {f.name for f in fields(Share)} - {"unfinished"}
        rows, contents = _rows_of(self.share.unfinished)
        facts = {
            "kind": SHARE,
            "game": self.game,
            "nets": [self.net],
            "search": asdict(self.search),
            "selfplay": asdict(self.selfplay),
            "share": {name: getattr(self.share, name) for name in known},
            "unfinished": rows,
        }
        return pack(facts, contents)

    @classmethod
    def of(cls, facts: Facts, contents: Sequence[bytes]) -> "ShareJob":
        """Return the job of a message."""
        unfinished = _records_of(facts["unfinished"], list(contents))
        return cls(
            facts["game"],
            facts["nets"][0],
            read_settings(SearchConfig, facts["search"], "a job"),
            read_settings(SelfplayConfig, facts["selfplay"], "a job"),
            Share(unfinished=unfinished, **facts["share"]),
        )


def pack_played(played: SharePlayed, figures: Facts) -> bytes:
    """Return what a share brought as a message, with what it took to play it."""
    rows, contents = _rows_of([*played.games, *played.unfinished])
    facts = {
        "rows": rows,
        "num_finished": len(played.games),
        "tally": asdict(played.tally),
        "next_game": played.next_game,
        "figures": figures,
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }
    return pack(facts, contents)


def unpack_played(
    message: bytes, most_games: int, num_actions: int
) -> tuple[SharePlayed, Facts]:
    """Return what a share brought, and its figures; ValueError if it is no such thing.

    There may be so many games, each with policies over so many actions. What the same
    zlib has packed as we do need not be packed again.
    """
    facts, contents = unpack(message)
    try:
        rows, num_finished = facts["rows"], facts["num_finished"]
        tally, next_game = Tally(**facts["tally"]), facts["next_game"]
        if len(rows) > most_games:
            raise ValueError(f"it has {len(rows):,} games; {most_games:,} are possible")
        if any(row[_NUM_PLAIN - 1] != num_actions for row in rows):
            raise ValueError("its games have other actions")
        is_ours = facts.get("zlib") == zlib.ZLIB_RUNTIME_VERSION
        records = _records_of(rows, contents, keep_packed=is_ours)
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"it lacks {error}") from None
    counts = [*asdict(tally).values(), num_finished, next_game]
    if not all(type(n) is int and 0 <= n < 2**53 for n in counts):
        raise ValueError("its counts are no counts")
    games, unfinished = records[:num_finished], records[num_finished:]
    return SharePlayed(games, unfinished, tally, next_game), read_figures(facts)


def read_figures(facts: Facts) -> Facts:
    """Return the figures of a message: numbers by name, whatever a stranger wrote."""
    figures = facts.get("figures")
    if not isinstance(figures, dict):
        raise ValueError("it has no figures")
    if not all(type(x) in (int, float) and 0 <= x < 2**53 for x in figures.values()):
        raise ValueError("its figures are no numbers")
    return figures


def _rows_of(games: Sequence[GameRecord]) -> tuple[list[Any], list[bytes]]:
    """Return the plain values of games, and their bytes one after the other."""
    rows: list[Any] = []
    contents: list[bytes] = []
    for played in games:
        row = row_of(played, 0)
        rows.append([*row[:_NUM_PLAIN], played.trace is not None])
        contents += row[_NUM_PLAIN:]
        if played.trace is not None:
            contents.append(trace_row_of(played)[1])
    return rows, contents


def _records_of(
    rows: Any, contents: list[bytes], keep_packed: bool = False
) -> list[GameRecord]:
    """Return the games of plain values and bytes; ValueError if one is damaged."""
    records, left = [], iter(contents)
    for *plain, has_trace in rows:
        blobs = [next(left, b"") for _ in range(4)]
        played = record_of((*plain, *blobs), keep_packed)
        records.append(with_trace(played, next(left, b"")) if has_trace else played)
    if next(left, None) is not None:
        raise ValueError("it has more contents than games")
    return records
