"""Who looks on while agents play: boards on the screen, trees in a folder."""

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ludens.agents import Agent
from ludens.arena.play import Onlooker, Played
from ludens.cli.screen import is_colourful
from ludens.cli.skins import dress
from ludens.errors import UserError
from ludens.files import write_text
from ludens.formats.words import ending, points
from ludens.state import State

if TYPE_CHECKING:
    from ludens.arena.match import Contest

REFRESHES_PER_S = 8
PACE_S = 0.3
"""How long a move stays on a terminal, at least, unless a pace is given."""
GAP = 4
DEPTH, MIN_VISITS, WIDTH = 3, 2, 6
"""Of trees, as `ludens tree` draws them by default."""


@dataclass(frozen=True)
class Together:
    """Several onlookers."""

    onlookers: Sequence[Onlooker]

    def __call__(self, game: Played, before: State, action: int) -> None:
        """Tell all of them."""
        for onlooker in self.onlookers:
            onlooker(game, before, action)


class Trees:
    """Writes the tree of every move that a search has chosen, a folder a game."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make {folder}: {error.strerror}") from None
        if any(folder.glob("game-*")):
            raise UserError(f"{folder} has trees already; name another folder")

    def __call__(self, game: Played, before: State, action: int) -> None:
        """Write the tree that the move came from, if there is one."""
        self.write(game.agents[before.to_play], before, game.number)

    def write(self, agent: Agent, before: State, number: int = 1) -> None:
        """Write the tree that an agent has just grown in a game, if it grows any."""
        from ludens.pictures.tree import grow_branch, to_svg

        if agent.search is None:
            return
        tree = grow_branch(agent.search, before, DEPTH, MIN_VISITS, WIDTH)
        place = self._folder / f"game-{number:04}"
        place.mkdir(exist_ok=True)
        write_text(place / f"ply-{before.num_plies + 1:03}.svg", to_svg(tree))


class Gallery:
    """Games side by side on the screen, each with its last move and the score.

    On a terminal the boards change in their places; elsewhere the games of a round are
    printed when they are over.
    """

    def __init__(self, pace_s: float | None, num_games: int) -> None:
        self._console = Console()
        self._is_live = self._console.is_terminal and is_colourful()
        self._pace_s = (PACE_S if self._is_live else 0.0) if pace_s is None else pace_s
        self._num_games = num_games
        self._boards: dict[int, list[str]] = {}
        self._lock = Lock()
        self._title = ""
        self._names: Sequence[str] = ()
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=REFRESHES_PER_S,
            transient=True,
        )

    def open(self, contest: "Contest") -> Self:
        """Begin to show the games of a contest."""
        self._names = contest.names
        if self._is_live:
            self._live.start()
        return self

    def close(self) -> None:
        """Clear the screen for the result."""
        if self._is_live:
            self._live.stop()

    def __call__(self, game: Played, before: State, action: int) -> None:
        """Show a move, for a while."""
        if self._is_live:
            with self._lock:
                self._boards[game.number] = self._board(game, before, action)
        time.sleep(self._pace_s)

    def tell(self, games: Sequence[Played], words: str) -> None:
        """Take in that the games of a round are over, and how the match stands."""
        self._title = f"{games[-1].number} of {self._num_games} games: {words}"
        if self._is_live:
            with self._lock:
                for game in games:
                    self._boards.pop(game.number, None)
            return
        boards = [self._end(game) for game in games]
        print(f"{_beside(boards, 88)}\n{self._title}\n", flush=True)

    def _board(self, game: Played, before: State, action: int) -> list[str]:
        """Return the lines of a board, with what the mover thinks of it."""
        mover = before.to_play
        value = game.agents[mover].outlook(game.seeds[mover])
        is_alone = before.game.num_players == 1
        shown = "" if value is None else points(value) if is_alone else f"{value:+.2f}"
        name = self._names[game.seating[mover]]
        move = f"{before.num_plies + 1}. {name} {before.action_name(action)} {shown}"
        return [
            f"game {game.number}",
            *dress(game.state.draw(), colourful=True).split("\n"),
            move.rstrip(),
        ]

    def _end(self, game: Played) -> list[str]:
        names = [self._names[agent] for agent in game.seating]
        end = game.forfeit or ending(game.state, names)
        return [
            f"game {game.number}",
            *dress(game.state.draw(), colourful=False).split("\n"),
            end,
        ]

    def _draw(self) -> Text:
        width, height = shutil.get_terminal_size()
        with self._lock:
            boards = [self._boards[number] for number in sorted(self._boards)]
            title = self._title
        lines = f"{_beside(boards, width)}\n\n{title}".split("\n")
        return Text.from_ansi("\n".join(lines[-max(1, height - 1) :]), no_wrap=True)


def _beside(boards: Sequence[Sequence[str]], width: int) -> str:
    """Return boards next to each other, as many in a row as there is room for."""
    if not boards:
        return ""
    size = max(_length(line) for board in boards for line in board) + GAP
    per_row = max(1, (width + GAP) // size)
    rows = [boards[i : i + per_row] for i in range(0, len(boards), per_row)]
    return "\n\n".join(_row(row, size) for row in rows)


def _row(boards: Sequence[Sequence[str]], size: int) -> str:
    height = max(map(len, boards))
    padded = [
        [*board[:-1], *[""] * (height - len(board)), board[-1]] for board in boards
    ]
    lines = zip(*padded, strict=True)
    return "\n".join(
        "".join(part + " " * (size - _length(part)) for part in line).rstrip()
        for line in lines
    )


def _length(line: str) -> int:
    """Return how wide a line is on the screen, without its colours."""
    return len(re.sub(r"\x1b\[\d+m", "", line))
