"""Where the games of `ludens selfplay` go: a run, a folder or a file."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from ludens.cli.archive import Archive
from ludens.cli.screen import print_json
from ludens.errors import UserError
from ludens.formats.record import Record
from ludens.formats.words import percent, plural, points
from ludens.loading.game import Game
from ludens.nets.weights import Net
from ludens.selfplay.share import GameRecord, Share, SharePlayed, cut_games
from ludens.state import State
from ludens.store.arrays import SUFFIX, save_games
from ludens.training.config import Config
from ludens.training.generating import Generating
from ludens.training.progress import results_of


class Keeping(ABC):
    """One who keeps games that are played."""

    def __init__(
        self, game: Game, net: Net, settings: Config, place: Path, wanted: int
    ) -> None:
        self.game, self.net, self.settings = game, net, settings
        self.place, self.wanted = place, wanted

    @property
    @abstractmethod
    def num_games(self) -> int:
        """How many games are kept."""

    @abstractmethod
    def shares(self) -> list[Share]:
        """Return what is to be played."""

    @abstractmethod
    def keep(self, played: SharePlayed) -> None:
        """Keep the games of a share."""

    @abstractmethod
    def facts(self) -> dict[str, float]:
        """Return how many games and positions there are, and how games ended."""

    def end(self, as_json: bool) -> None:
        """Say what was played."""
        facts = self.facts()
        if as_json:
            print_json({"game": self.game.spec, "out": str(self.place), **facts})
            return
        games, positions = int(facts["games"]), int(facts["positions"])
        words = f"{plural(games, 'game')} with {plural(positions, 'position')}"
        if "first_wins" in facts:
            first, drawn = percent(facts["first_wins"]), percent(facts["drawn"])
            words += f"; the first player won {first}, {drawn} were drawn"
        elif "played_score" in facts:
            words += f"; mean score {points(facts['played_score'])}"
        print(f"Wrote {self.place}: {words}.")


class IntoRun(Keeping):
    """Games go into a run, share by share; the same command goes on."""

    def __init__(self, into: Generating, wanted: int) -> None:
        super().__init__(into.game, into.net, into.config, into.run.folder, wanted)
        self._into = into

    @property
    def num_games(self) -> int:
        """How many games are in the run."""
        return self._into.num_games

    def shares(self) -> list[Share]:
        """Return what the run lacks."""
        return self._into.shares(self.wanted)

    def keep(self, played: SharePlayed) -> None:
        """Commit the games of a share."""
        self._into.keep(played)

    def facts(self) -> dict[str, float]:
        """Return what the run has come to."""
        return self._into.facts()


class IntoFiles(Keeping):
    """Games go to a file each in a folder, or all into one file at the end."""

    def __init__(
        self, game: Game, net: Net, settings: Config, out: Path, wanted: int, kind: str
    ) -> None:
        super().__init__(game, net, settings, out, wanted)
        self._games: list[GameRecord] = []
        self._archive: Archive | None = None
        if out.suffix != SUFFIX:
            if game.environment is not None:
                raise UserError(
                    f"episodes of {game.spec} are no records; write FILE{SUFFIX}"
                )
            self._archive = Archive(game, out, wanted, kind)
        elif out.exists():
            raise UserError(f"{out} exists; name another file")

    @property
    def num_games(self) -> int:
        """How many games were played."""
        return len(self._games)

    def shares(self) -> list[Share]:
        """Return all that is wanted."""
        return cut_games(self.wanted, self.settings.seed, self.net.card.iteration)

    def keep(self, played: SharePlayed) -> None:
        """Write the games of a share, unless all go into one file."""
        games = sorted(played.games, key=lambda one: one.number)
        self._games += games
        if self._archive is not None:
            for one in games:
                self._archive.keep(one.number, self._record(one))

    def _record(self, one: GameRecord) -> Record:
        state = State.replay(self.game, one.history.tolist())
        name = f"net {one.net}"
        agreed: Any = int(one.result) if one.ending == "resigned" else None
        return Record.of(state, (name,) * self.game.num_players, agreed=agreed)

    def facts(self) -> dict[str, float]:
        """Return what was played."""
        positions = sum(one.num_positions for one in self._games)
        results = results_of(self._games, self.game.num_players)
        return {"games": len(self._games), "positions": positions, **results}

    def end(self, as_json: bool) -> None:
        """Write the file, if all go into one, and say what was played."""
        if self._archive is None:
            texts = {"game": self.game.spec, "seed": str(self.settings.seed)}
            save_games(self._games, self.game.num_actions, self.place, texts)
        super().end(as_json)
