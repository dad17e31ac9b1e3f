"""What the files of other programs have in common: cells, rules and who is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ludens.errors import UserError
from ludens.formats.record import Record
from ludens.loading.game import Game, format_spec
from ludens.loading.options import OptionValue

Options = Mapping[str, OptionValue]
Found = Record | UserError
"""A game of a file, or what is wrong with it: others may follow."""
GOMOKU, CONNECT_FOUR, TIC_TAC_TOE = "gomoku", "connect_four", "tic_tac_toe"
RULES = ("freestyle", "standard", "renju", "caro")
SIZE, RULE = 15, RULES[0]
"""Of gomoku, if nothing is said; what is usual is not among the options of a record."""
LEAST_SIDE, MOST_SIDE = 5, 20


@dataclass(frozen=True)
class Asked:
    """The game that a user names, for what a file leaves open; or none."""

    game: str = ""
    options: Options = field(default_factory=dict)

    @classmethod
    def of(cls, game: Game) -> "Asked":
        """Return what is asked for by naming a game."""
        return cls(Path(game.name).stem, game.changed_options)

    def check(self, record: Record) -> None:
        """Refuse the record of another game, or one with other options."""
        if self.game and (record.game, record.options) != (self.game, self.options):
            found = format_spec(record.game, record.options)
            wanted = format_spec(self.game, self.options)
            raise UserError(f"it is a game of {found}, not of {wanted}")

    def gomoku(self, size: int | None, rule: str) -> dict[str, OptionValue]:
        """Return the options of gomoku by what a file says: None or "" is nothing."""
        options = dict(self.options) if self.game == GOMOKU else {}
        said = {"size": size, "rule": rule}
        options |= {name: value for name, value in said.items() if value}
        usual = {"size": SIZE, "rule": RULE}
        return {k: v for k, v in options.items() if usual.get(k) != v}


def side_of(record: Record) -> int:
    """Return how many points the board of a record has on a side."""
    side = record.options.get("size", SIZE) if record.game == GOMOKU else 3
    return int(side)


def check_side(columns: str, rows: str, at: str) -> int:
    """Return the side of a board that is a square of a size that we play on."""
    if columns != rows or not columns.isdecimal() or len(columns) > 2:
        raise UserError(f"{at}a board of {columns[:9]}x{rows[:9]} is not a square")
    if not LEAST_SIDE <= int(columns) <= MOST_SIDE:
        sizes = f"{LEAST_SIDE} to {MOST_SIDE}"
        raise UserError(f"{at}boards have {sizes} points on a side, not {columns}")
    return int(columns)


def point(column: int, row: int, side: int, at: str, word: str) -> int:
    """Return the action of a point, columns and rows counted from 0 and the top."""
    if not (0 <= column < side and 0 <= row < side):
        raise UserError(f"{at}{word[:20]!r} is not on a board of {side}x{side}")
    return row * side + column


def find_rule(words: str) -> str:
    """Return the rule of gomoku that some words name, "" if none."""
    return next((rule for rule in RULES if rule in words.lower()), "")


def require_stones(record: Record, what: str, games: tuple[str, ...]) -> None:
    """Refuse another game, or one with moves that are no stones."""
    if record.game not in games:
        known = " and ".join(games)
        raise UserError(f"{what} has games of {known}, not of {record.game}")
    opening = record.options.get("opening")
    if record.game == GOMOKU and opening in ("swap2", "rif"):
        raise UserError(f"{what} has no words for the choices of {opening}; use json")


def require_moves(record: Record, what: str, games: tuple[str, ...]) -> list[int]:
    """Return the moves of a record; refuse what a format has no words for."""
    require_stones(record, what, games)
    moves = [step for step in record.history if not isinstance(step, str)]
    if len(moves) < len(record.history):
        raise UserError(f"{what} has no words for a position that was edited by hand")
    return moves


def one_line(name: str) -> str:
    """Return the name of a player without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())
