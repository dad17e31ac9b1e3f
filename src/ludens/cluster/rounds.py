"""Rounds of a match as jobs: openings and agents in, games as their histories out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ludens.agents import Limit, agent_maker, runs_commands
from ludens.arena.match import Contest
from ludens.arena.openings import Opening
from ludens.arena.play import Played, Player
from ludens.cluster.wire import Facts, pack
from ludens.errors import UserError
from ludens.loading.game import Game, format_spec, parse_spec

ROUNDS = "rounds"


@dataclass(frozen=True)
class RoundsJob:
    """Openings that agents play from, with all that decides the games."""

    game: str
    agents: Sequence[Sequence[str]]
    """Name, text and net (its SHA-256, "": none) of each."""
    seed: int
    seconds: float | None
    """The limit of a move."""
    max_plies: int
    openings: Sequence[tuple[int, int, Sequence[int]]]
    """Number, dice and history of each."""

    @property
    def nets(self) -> list[str]:
        """The nets of the agents, each once."""
        return list(dict.fromkeys(net for _, _, net in self.agents if net))

    def to_bytes(self) -> bytes:
        """Return the job as a message."""
        return pack({"kind": ROUNDS, "nets": self.nets, **asdict(self)})

    @classmethod
    def of(cls, facts: Facts) -> "RoundsJob":
        """Return the job of a message."""
        left = {k: v for k, v in facts.items() if k not in ("kind", "nets")}
        return cls(**left)


def play_rounds(job: RoundsJob, game: Game, nets: Mapping[str, Path]) -> list[Played]:
    """Play the games of a job; nets are files by their names."""
    limit = Limit(seconds=job.seconds)
    players = []
    for name, text, net in job.agents:
        kind, settings = parse_spec(text)
        if runs_commands(text):
            raise UserError(f"{kind} runs only where it is named")
        if net:
            settings["weights"] = str(nets[net])
        spec = format_spec(kind, settings)
        players.append(Player(name, agent_maker(spec, game, limit)))
    terms = {"threads": 1, "max_plies": job.max_plies}
    contest = Contest(game, players, job.seed, **terms)  # type: ignore[arg-type]
    openings = [Opening(n, dice, tuple(steps)) for n, dice, steps in job.openings]
    rounds = contest.play_from(openings, len(openings))
    return [played for games in rounds for played in games]


def pack_rounds(games: Iterable[Played], figures: Facts) -> bytes:
    """Return games as a message, with what it took to play them."""
    histories = [[int(step) for step in played.state.history] for played in games]
    return pack({"histories": histories, "figures": figures})


def replay(played: Played, history: Sequence[int], most_plies: int) -> None:
    """Go through a game that a worker has played; ValueError if it is none.

    Chance follows from the dice, so only actions are taken from the history.
    """
    state = played.state
    while len(state.history) < len(history):
        if state.is_over or state.num_plies >= most_plies:
            raise ValueError(f"game {played.number} goes on after its end")
        action = history[len(state.history)]
        if type(action) is not int:
            raise ValueError(f"game {played.number} has moves that are none")
        try:
            state.apply(action)
        except UserError as error:
            raise ValueError(f"game {played.number}: {error}") from None
    is_whole = state.is_over or state.num_plies >= most_plies
    if list(state.history) != list(history) or not is_whole:
        raise ValueError(f"game {played.number} is not one from its opening")
