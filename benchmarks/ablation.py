"""What each choice in learning a single-player game brings.

Arms differ from the settings that ship in one thing, and learn for the same time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

import script
from ludens.agents import net_maker
from ludens.agents.networks import Memory
from ludens.arena.elo import Estimate, mean_estimate
from ludens.arena.match import Contest
from ludens.arena.play import Player
from ludens.cores import num_cores
from ludens.errors import UserError, nearest
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import load_game
from ludens.nets.weights import load_net
from ludens.training.evaluate import Place, play_config
from ludens.training.loop import Training
from ludens.training.progress import Silent
from ludens.training.session import Wish, open_run

SIMS = 64
ARMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "as it ships": ("triangle", ()),
    "chance: one refill, known to the search": (
        "triangle",
        ("search.outcomes=1", "search.outcomes_power=0"),
    ),
    "PUCT with noise": ("triangle", ("search.root=puct", "search.noise_fraction=0.25")),
    "a Transformer layer": ("triangle", ("net.layers=1",)),
    "prioritised replay": ("triangle", ("replay.prioritised=true",)),
    "ten rewards before a value": ("triangle", ("replay.n_steps=10",)),
    "scalar value": ("triangle", ("net.value=scalar",)),
    "no line features": ("triangle:line_features=false", ()),
}
"""The game and the settings of each."""


@dataclass(frozen=True)
class Outcome:
    """The result of an arm."""

    iterations: int
    positions: int
    score: Estimate


def train_arm(
    name: str, minutes: float, games: int, threads: int, more: Sequence[str] = ()
) -> Outcome:
    """Train one arm, with more settings, and let its net play."""
    spec, sets = ARMS[name]
    game = load_game(spec)
    wish = Wish(
        sets=(
            *sets,
            f"budget.minutes={minutes}",
            f"selfplay.threads={threads}",
            "evaluate.every=0",
            *more,
        )
    )
    with TemporaryDirectory() as folder:
        run, config = open_run(game, Path(folder) / "run", wish, lambda _: None)
        with run:
            Training(game, config, run, Silent(), Place("cpu")).train()
            positions = run.totals().positions
            net = load_net(run.nets()[max(run.nets())])
    search = play_config(game, config.search, SIMS)
    memory = Memory(make_evaluator(net, threads=threads))
    player = Player(name, net_maker(game, search, memory))
    scores = Contest(game, [player], threads=threads).scores(games)
    return Outcome(net.card.iteration, positions, mean_estimate(scores.scores[0]))


def main(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Arms to train; all if none is named.", metavar="ARM"),
    ] = None,
    minutes: Annotated[
        float, typer.Option(help="Time that each learns.", min=0.001)
    ] = 10.0,
    games: Annotated[
        int, typer.Option(help="Games of each net then.", metavar="N", min=2)
    ] = 100,
    threads: Annotated[int, typer.Option(help="0: one a core.", min=0)] = 0,
) -> None:
    """Train triangle in several ways for the same time, and compare the scores."""
    for name in names or ():
        if name not in ARMS:
            raise UserError(f"there is no arm {name!r}{nearest(name, ARMS)}")
    print(f"{minutes:g} minutes each, then {games} games with {SIMS} simulations\n")
    print("| arm | iterations | positions | mean score | 95 % |")
    print("| --- | --- | --- | --- | --- |")
    for name in names or ARMS:
        arm = train_arm(name, minutes, games, threads or num_cores())
        mean = f"{arm.score.value:.1f} | {arm.score.low:.1f} to {arm.score.high:.1f}"
        row = f"| {name} | {arm.iterations} | {arm.positions:,} | {mean} |"
        print(row, flush=True)


if __name__ == "__main__":
    script.run(main)
