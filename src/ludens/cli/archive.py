"""A folder with one file a game."""

from pathlib import Path

from ludens.errors import UserError
from ludens.files import write_text
from ludens.formats.record import Record
from ludens.formats.registry import format_of
from ludens.loading.game import Game


class Archive:
    """A folder that had no games, for those that are played."""

    def __init__(self, game: Game, folder: Path, games: int, kind: str) -> None:
        self._format = format_of(kind)
        self._format.write(Record.of(game.new()))  # says at once if it cannot
        self._suffix = (*self._format.suffixes, ".txt")[0]
        self._folder = folder
        self._width = len(str(games))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make {folder}: {error.strerror}") from None
        if any(folder.glob("game-*")):
            raise UserError(f"{folder} has games already; name another folder")

    def keep(self, number: int, record: Record) -> None:
        """Write a game."""
        file = f"game-{number:0{self._width}}{self._suffix}"
        write_text(self._folder / file, self._format.write(record))
