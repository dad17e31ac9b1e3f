"""Options that several verbs share: names, bounds and help."""

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ludens.errors import UserError
from ludens.log import is_said, read_level, say, speaking

if TYPE_CHECKING:
    from ludens.loading import game as loading


class PlainCommand(TyperCommand):
    """A command whose help has neither the types of Python nor braces from Typer."""

    def get_help(self, ctx: Any) -> str:
        """Return the help, in which an argument is its name and what it is."""
        usage, newline, rest = super().get_help(ctx).partition("\n")
        rest = re.sub(r"(?m)^(  \S+) <[\w\[\]]+>", r"\1", rest)
        return re.sub(r"\{(\S+)\}", r"\1", usage) + newline + rest


def positive(seconds: float | None) -> float | None:
    """Refuse a time that is not above 0."""
    if seconds is not None and not seconds > 0:
        raise UserError(f"--seconds cannot be {seconds:g}; it is a time above 0")
    return seconds


def count(about: str, least: int = 0, **more: Any) -> Any:
    """Return an option that is a whole number."""
    return typer.Option(help=about, metavar="N", min=least, **more)


def games(about: str) -> Any:
    """Return an option that is a number of games in pairs."""
    return typer.Option(help=about, metavar="N", min=2, callback=even)


def even(games: int) -> int:
    """Refuse a number of games that are not all in pairs."""
    if games % 2:
        raise UserError(
            f"--games cannot be {games}; games come in pairs, so it is even"
        )
    return games


def open_book(
    book: Path | None, plies: int | None, rules: "loading.Game", pairs: int
) -> list[list[int]]:
    """Return the openings of a book, if there is one; say so if they will not do."""
    from ludens.formats.books import load_book
    from ludens.formats.words import plural

    if book is None:
        return []
    if plies is not None:
        raise UserError("--book has openings of its own: leave --openings out")
    openings = [opening.history for opening in load_book(book, rules).openings]
    if pairs > len(openings):
        number = plural(len(openings), "opening")
        say(f"{book} has {number} for {pairs:,} rounds: it goes round")
    return openings


def seconds(about: str) -> Any:
    """Return an option that is a time."""
    return typer.Option(help=about, metavar="S", callback=positive)


Game = Annotated[
    str,
    typer.Argument(
        help="A game, such as gomoku:size=9, or a rules file.",
        metavar="GAME",
        show_default=False,
    ),
]
GameOption = Annotated[
    str,
    typer.Option("--game", help="The game, such as gomoku:size=9.", metavar="GAME"),
]
Games = Annotated[
    list[str] | None,
    typer.Argument(help="Games; those whose nets ship if none.", metavar="GAME"),
]
Rules = Annotated[
    str, typer.Option(help="The file of a game not installed.", metavar="FILE")
]
Moves = Annotated[
    str, typer.Option(help="Moves that lead to the position.", metavar="TEXT")
]
Setup = Annotated[
    str, typer.Option(help="The start, in the game's words.", metavar="TEXT")
]
Agent = Annotated[
    str, typer.Option("--agent", help="The agent that analyses it.", metavar="WHO")
]
Net = Annotated[
    str,
    typer.Argument(
        help="A file, a run (RUN or RUN@40) or a game.",
        metavar="NET",
        show_default=False,
    ),
]
Like = Annotated[
    str,
    typer.Option(
        "--as", help="The game, where the file leaves it open.", metavar="GAME"
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format", help="How games are written: json, sgf, ...", metavar="NAME"
    ),
]
Seed = Annotated[int, count("Seed of all that is random.")]
Openings = Annotated[
    int | None,
    typer.Option(help="Random plies a game begins with.", metavar="K", min=0),
]
Book = Annotated[
    Path | None,
    typer.Option(help="Openings to begin from instead.", metavar="FILE"),
]
Trees = Annotated[
    Path | None,
    typer.Option(help="A folder for the tree of every move.", metavar="DIR"),
]
MaxPlies = Annotated[int, count("Cut longer games; 0: as the game is.")]
MoveSeconds = Annotated[float | None, seconds("An agent's time for a move.")]
PlayThreads = Annotated[int | None, count("Threads that play, else one a core.", 1)]
Cluster = Annotated[
    str, typer.Option(help="Play on Ray: auto or HOST:PORT.", metavar="WHERE")
]
Workers = Annotated[int, count("Workers; 0: one a node.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LogLevel = Annotated[
    str,
    typer.Option(help="debug, info, warning or error; else LUDENS_LOG.", metavar="L"),
]


@contextmanager
def _debugging() -> Iterator[None]:
    """Say, if somebody looks for a fault, who runs, and where a mistake showed."""
    if not is_said("debug"):
        yield
        return
    import platform
    import traceback
    from importlib.metadata import version

    python = f"Python {platform.python_version()} on {platform.platform()}"
    say(f"ludens {version('ludens')}, {python}", "debug")
    try:
        yield
    except UserError:
        say(traceback.format_exc().rstrip(), "debug")
        raise


def with_log_level(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that has the option --log-level, too, and heeds it."""

    @wraps(run)
    def speak(*args: Any, log_level: str = "", **options: Any) -> Any:
        with speaking(read_level(log_level)), _debugging():
            return run(*args, **options)

    own = inspect.signature(run)
    level = inspect.Parameter(
        "log_level",
        inspect.Parameter.KEYWORD_ONLY,
        default="",
        annotation=LogLevel,
    )
    parameters = [*own.parameters.values(), level]
    speak.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    speak.__annotations__ = {**run.__annotations__, "log_level": LogLevel}
    return speak
