"""What a client may name: listed games, saved games and runs, and never a path."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludens.agents.compiling import prepare_agents
from ludens.errors import Refusal, UserError, nearest
from ludens.formats.books import load_text, read_book
from ludens.formats.record import Record
from ludens.formats.registry import load_played
from ludens.loading.game import (
    Game,
    format_spec,
    game_files,
    load_game,
    parse_spec,
)
from ludens.nets.shipped import MUZERO, shipped_net, usual_agent
from ludens.store.finding import find_net
from ludens.store.summary import Listed, list_runs
from ludens.web.limits import MAX_LOADING, MAX_OPTION_SETS


@dataclass
class Shelved:
    """A loaded game, and a lock for those who compile something of it."""

    game: Game
    is_ready: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class Library:
    """The games of this server, by name; those of users by the names of their files."""

    def __init__(
        self,
        own_games: Iterable[Path] = (),
        saved_games: Iterable[Path] = (),
        engines: Mapping[str, str] | None = None,
        books: Iterable[Path] = (),
    ) -> None:
        self.engines = engines or {}
        """Programs that pages may play against: agents by the names they have there.

        Only who starts the server names them, for their texts are commands to run.
        """
        self.files = game_files() | {path.name: path.absolute() for path in own_games}
        self.records = {path.stem: load_played(path) for path in saved_games}
        self._books = {path.stem: load_text(path) for path in books}
        self._shelf: dict[str, Shelved] = {}
        self._lock = threading.Lock()
        self._few = threading.BoundedSemaphore(MAX_LOADING)

    def load(self, spec: str) -> Game:
        """Return a listed game with its options, its rules ready to use."""
        shelved = self.shelve(spec)
        if not shelved.is_ready:
            with shelved.lock, self._few:
                shelved.game.rules  # noqa: B018  # compiled here, if it never was
                # Its usual opponent comes next; on the page it looks at all moves.
                self.prepare(shelved.game, [f"{usual_agent(shelved.game)}:root=puct"])
                shelved.is_ready = True
        return shelved.game

    def prepare(self, game: Game, agents: Iterable[str]) -> None:
        """Begin to compile what agents need, in other processes."""
        prepare_agents(game, agents)

    def shelve(self, spec: str) -> Shelved:
        """Return a listed game; it stays here, however its options were written."""
        with self._lock:
            if spec in self._shelf:
                return self._shelf[spec]
        with self._few:
            game = self._open(spec)
        with self._lock:
            if game.spec not in self._shelf:
                self._check_room(game)
                self._shelf[game.spec] = Shelved(game)
            return self._shelf[game.spec]

    def reread(self, name: str) -> None:
        """Read the rules of a game again; if they do not load, the old ones stay."""
        game = self._open(name)
        with self._lock:
            known = [s for s, one in self._shelf.items() if one.game.name == game.name]
            for spec in known:
                del self._shelf[spec]
            self._shelf[game.spec] = Shelved(game)

    def _check_room(self, game: Game) -> None:
        """Refuse options that nobody has asked for yet if many others were."""
        sets = sum(bool(known.game.changed_options) for known in self._shelf.values())
        if game.changed_options and sets >= MAX_OPTION_SETS:
            raise Refusal(
                f"no room for {game.spec}: this server has prepared games with"
                f" {MAX_OPTION_SETS} sets of options; start it again for others"
            )

    def _open(self, spec: str) -> Game:
        name, options = parse_spec(spec)
        if name not in self.files:
            raise Refusal(f"there is no game {name!r}{nearest(name, self.files)}")
        return load_game(name, options=options, file=self.files[name])

    def game_of(self, record: Record) -> Game:
        """Return the game of a record."""
        own = f"{record.game}.py"
        name = own if own in self.files else record.game
        return self.load(format_spec(name, record.options))

    def books_for(self, game: Game) -> list[str]:
        """Return the names of the books that have openings of a game."""
        return [name for name in self._books if self._pages(name, game)]

    def book(self, name: str, game: Game) -> list[list[int]]:
        """Return the openings of a book that is listed for a game."""
        if name not in (listed := self.books_for(game)):
            hint = nearest(name, listed)
            raise Refusal(f"there is no book {name!r} for {game.spec}{hint}")
        return self._pages(name, game)

    def _pages(self, name: str, game: Game) -> list[list[int]]:
        """Return the openings of a book, none if they are of another game."""
        try:
            book = read_book(self._books[name], game)
        except UserError:
            return []
        return [opening.history for opening in book.openings]

    def record(self, name: str) -> Record:
        """Return a saved game that is listed."""
        if name not in self.records:
            hint = nearest(name, self.records)
            raise Refusal(f"there is no saved game {name!r}{hint}")
        return self.records[name]

    def run(self, name: str) -> Listed:
        """Return a run that is listed."""
        runs = {listed.name: listed for listed in list_runs()}
        if name not in runs:
            raise Refusal(f"there is no run {name!r}{nearest(name, runs)}")
        return runs[name]

    def spec_of_run(self, listed: Listed) -> str | None:
        """Return the game of a run as clients name it, None if it is not listed."""
        try:
            name, options = parse_spec(listed.game)
        except UserError:
            return None
        name = Path(name).name
        return format_spec(name, options) if name in self.files else None

    def nets(self, game: Game) -> list[str]:
        """Return what `weights` may be for a game, "" being the net that ships."""
        kinds = {"": False, MUZERO: True}
        shipped = [kind for kind in kinds if shipped_net(game, kinds[kind])]
        return shipped + [
            listed.name
            for listed in list_runs()
            if listed.iteration and self.spec_of_run(listed) == game.spec
        ]

    def check_weights(self, weights: str, game: Game) -> None:
        """Refuse a net that is neither the game's own nor one of a listed run."""
        if weights in ("", MUZERO):
            find_net(weights, game)
            return
        name, _, iteration = weights.rpartition("@")
        self.run(name if name and iteration.isdecimal() else weights)


def describe_game(name: str, game: Game) -> dict[str, Any]:
    """Return what a client shows of a game before it is played."""
    about = (game.plain.__doc__ or "").strip()
    return {
        "name": name,
        "title": game.title,
        "about": about,
        "players": game.num_players,
        "options": [vars(option) for option in game.declared.values()],
        "can_edit": game.defines("edit"),
        "can_solve": can_solve(game),
        "has_setup": game.defines("setup"),
    }


def can_solve(game: Game) -> bool:
    """Tell whether exact play may have a word on a game."""
    return game.num_players == 2 and game.plain.MAX_PLIES > 0
