"""`ludens web`: the page, for all games."""

import gc
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludens import log
from ludens.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludens.web.library import Library
    from ludens.web.rereading import Rereading

PORT = 8642
Host = Annotated[
    str, typer.Option(help="Address; another needs a token.", metavar="IP")
]
Port = Annotated[
    int | None,
    typer.Option(
        help=f"Port; else {PORT}, or any that is free.",
        metavar="N",
        min=0,
        max=65535,
        show_default=False,
    ),
]
Open = Annotated[
    bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
]
Threads = Annotated[
    int, typer.Option(help="Threads that think; 0: all cores.", metavar="N", min=0)
]
Engines = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        help="An engine:cmd=... to offer; again for more.",
        metavar="WHO",
        show_default=False,
    ),
]

Books = Annotated[
    list[Path] | None,
    typer.Option(
        "--book",
        help="Openings to offer for matches; again for more.",
        metavar="FILE",
        show_default=False,
    ),
]


def run(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Rules files (.py) and saved games (.json) to offer.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = None,
    open_page: Open = True,
    threads: Threads = 0,
    agents: Engines = None,
    books: Books = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Read rules files again when they change.")
    ] = False,
) -> None:
    """Play, analyse, edit and watch every game in the browser."""
    offered = (agents or [], books or [])
    serve(files or [], {}, host, port, open_page, threads, *offered, watch)


def serve(
    files: "Sequence[Path]",
    asked: dict[str, str],
    host: str,
    port: int | None,
    open_page: bool,
    threads: int = 0,
    agents: "Sequence[str]" = (),
    books: "Sequence[Path]" = (),
    watch: bool = False,
) -> None:
    """Serve the page until Ctrl-C; `asked` is what it shows first."""
    from ludens.web.app import make_server
    from ludens.web.desk import Desk
    from ludens.web.guard import Policy
    from ludens.web.library import Library
    from ludens.web.players import name_engines

    _log_to_screen()
    engines = name_engines(agents)
    names = {text: name for name, text in engines.items()}
    asked = {name: names.get(words, words) for name, words in asked.items()}
    rules, saved = _sort_out(files)
    if watch and not rules:
        raise UserError("--watch needs rules files (.py) to watch")
    library = Library(rules, saved, engines, books)
    rereading = _watch(library, rules) if watch else None
    policy = Policy.of(host)
    with _listen(host, port) as listening:
        number = listening.getsockname()[1]
        token = {"token": policy.token} if policy.token else {}
        shown_first = {name: words for name, words in asked.items() if words}
        address = _address(host, number, token | shown_first)
        server = make_server(Desk(library, threads, rereading), policy, number)
        print(f"Ludens is at {address} (Ctrl-C ends it)", flush=True)
        if open_page:
            import webbrowser

            webbrowser.open(address)
        gc.freeze()  # else what visits leave stays until it is a quarter of all objects
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            print()
            raise


def _watch(library: "Library", rules: "Sequence[Path]") -> "Rereading":
    """Let rules be read again when their files change."""
    from ludens.web.rereading import Rereading

    def say(line: str) -> None:
        print(line, flush=True)

    rereading = Rereading(library, [file.name for file in rules], say)
    for trouble in rereading.troubles.values():
        say(trouble)
    rereading.begin()
    return rereading


def _sort_out(files: "Sequence[Path]") -> tuple[list[Path], list[Path]]:
    """Part rules files from saved games."""
    from ludens.formats.registry import SUFFIXES

    for file in files:
        if file.suffix.lower() not in (".py", *SUFFIXES):
            saved = ", ".join(SUFFIXES)
            raise UserError(f"{file} is neither rules (.py) nor a saved game ({saved})")
        if not file.is_file():
            raise UserError(f"there is no file {file}")
    rules = [file for file in files if file.suffix == ".py"]
    return rules, [file for file in files if file not in rules]


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket; the usual port may be taken, a named one not."""
    for number in (PORT, 0) if port is None else (port,):
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listening = socket.create_server((host, number), family=family)
            listening.set_inheritable(True)
            return listening
        except OSError as error:
            why = error
    raise UserError(f"cannot listen at {host}, port {number}: {why.strerror or why}")


def _address(host: str, port: int, asked: dict[str, str]) -> str:
    from urllib.parse import urlencode

    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{shown}]" if ":" in shown else shown
    query = f"?{urlencode(asked)}" if asked else ""
    return f"http://{name}:{port}/{query}"


def _log_to_screen() -> None:
    """Show refusals and failures, each a line with its time."""
    import logging

    level = log.read_level() if log.LOGGER.level == 0 else log.LOGGER.level
    if not log.is_said("debug"):
        level = max(level, logging.WARNING)
    shown = logging.StreamHandler()
    shown.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    for name in ("ludens.web", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [shown]
        logger.propagate = False
        logger.setLevel(level)
