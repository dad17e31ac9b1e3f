"""What each choice in learning a game brings.

Arms differ from the settings that ship in one thing, and learn for the same time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

import script
from ludens.agents import net_maker
from ludens.arena.elo import Estimate, mean_estimate
from ludens.arena.match import Contest
from ludens.arena.play import Player
from ludens.bench.exams import ALONE, Candidate, count_wrong, points_against
from ludens.bench.figures import share_of
from ludens.bench.solved import find_exam
from ludens.cores import num_cores
from ludens.errors import UserError, nearest
from ludens.loading.game import Game, load_game
from ludens.nets.weights import Net, load_net
from ludens.search.config import SearchConfig
from ludens.training.evaluate import Place, play_config
from ludens.training.loop import Training
from ludens.training.progress import Silent
from ludens.training.session import Wish, open_run

SIMS = 64
OPPONENT = "mcts:sims=1000,rollouts=1"
Arm = tuple[str, tuple[str, ...]]
"""The game, and settings."""


@dataclass(frozen=True)
class Study:
    """A game, a method, and ways to learn it that differ in one thing each."""

    method: str
    arms: Mapping[str, Arm]


def _arms(spec: str, sets: Mapping[str, str]) -> dict[str, Arm]:
    """Return arms of one game from a name and the settings of each."""
    return {name: (spec, tuple(words.split())) for name, words in sets.items()}


LAKE = (
    "budget.positions=15000 learn.uses=16 learn.batch_size=64 search.sims=24"
    " net.hidden=64"
)
TRIANGLE = {
    "as it ships": "",
    "one refill known to the search": "search.outcomes=1 search.outcomes_power=0",
    "PUCT with noise": "search.root=puct search.noise_fraction=0.25",
    "a Transformer layer": "net.layers=1",
    "prioritised replay": "replay.prioritised=true",
    "ten rewards before a value": "replay.n_steps=10",
    "scalar value": "net.value=scalar",
}
MUZERO = {
    "as it ships": "",
    "no decoder": "net.decoder=false",
    "latents in [0, 1] that stand still": "net.rescale=range net.exchange=false",
    "gates": "net.gates=true",
    "consistency, too": "net.consistency=true",
    "consistency, no decoder": "net.decoder=false net.consistency=true",
    "no legality": "net.legality=false",
    "two steps unrolled": "replay.unroll=2",
    "eight steps unrolled": "replay.unroll=8",
    "half the simulations": "search.sims=16",
    "twice the simulations": "search.sims=64",
    "a quarter reanalysed": "replay.reanalyse=0.25",
    "prioritised replay": "replay.prioritised=true",
}
# At equal steps: give more minutes than they take.
HIDDEN_CHANCE = {
    "eight codes": f"net.codes=8 replay.unroll=4 {LAKE}",
    "no codes": f"net.codes=0 replay.unroll=2 {LAKE}",
}
STUDIES: Mapping[str, Study] = {
    "triangle": Study(
        "alphazero",
        _arms("triangle", TRIANGLE)
        | {"no line features": ("triangle:line_features=false", ())},
    ),
    "gomoku": Study(
        "alphazero",
        _arms("gomoku:size=9", {"as it ships": ""})
        | {"no threats": ("gomoku:size=9,threats=false", ())},
    ),
    "muzero": Study("muzero", _arms("connect_four", MUZERO)),
    "hidden chance": Study("muzero", _arms("gym:FrozenLake-v1", HIDDEN_CHANCE)),
}


@dataclass(frozen=True)
class Outcome:
    """The result of an arm."""

    iterations: int
    positions: int
    figures: Mapping[str, Estimate]
    """What was measured, by its name."""


def train_arm(
    study: Study,
    name: str,
    seed: int,
    minutes: float,
    games: int,
    threads: int,
    more: Sequence[str] = (),
) -> Outcome:
    """Train one arm, with more settings, and measure its net."""
    spec, sets = study.arms[name]
    game = load_game(spec)
    wish = Wish(
        sets=(
            *(f"seed={seed}", f"budget.minutes={minutes}"),
            *(f"selfplay.threads={threads}", "evaluate.every=0", *sets, *more),
        ),
        method=study.method,
    )
    with TemporaryDirectory() as folder:
        run, config = open_run(game, Path(folder) / "run", wish, lambda _: None)
        with run:
            Training(game, config, run, Silent(), Place("cpu")).train()
            positions = run.totals().positions
            net = load_net(run.nets()[max(run.nets())])
    search = play_config(game, config.search, SIMS)
    figures = dict(measure(game, net, search, games, threads))
    return Outcome(net.card.iteration, positions, figures)


def measure(
    game: Game, net: Net, search: SearchConfig, games: int, threads: int
) -> Iterator[tuple[str, Estimate]]:
    """Yield what a net is worth: its mean score, or the share of its wrong moves.

    Of solved positions so many are asked about in each set as games are played. Where
    there are none, games are played against a search without a net.
    """
    candidate = Candidate(game, net, {}, games, games, lambda line: None)
    maker = net_maker(game, search, candidate.memory)
    player = Player(f"{search.sims} sims", maker)
    if game.num_players == 1:
        scores = Contest(game, [player], threads=threads).scores(games).scores[0]
        yield f"mean score, {player.name}", mean_estimate(scores)
        return
    players = (candidate.alone, ALONE), (player, player.name)
    exam = find_exam(game)
    if exam is None:
        for one, what in players:
            points = points_against(candidate, one, OPPONENT)
            yield f"{points.what}, {what}", points.share
        return
    truths = [one.truth(game, games) for one in exam.sets]
    for one, what in players:
        wrong = sum(count_wrong(truth, game, one)[0] for truth in truths)
        yield f"wrong moves, {what}", share_of(wrong, sum(map(len, truths)))


def main(
    study: Annotated[
        str,
        typer.Argument(
            help="What is compared: triangle, gomoku, muzero or hidden chance."
        ),
    ] = "triangle",
    names: Annotated[
        list[str] | None,
        typer.Option("--arm", help="An arm to train; all if none is named."),
    ] = None,
    minutes: Annotated[
        float, typer.Option(help="Time that each learns.", min=0.001)
    ] = 10.0,
    games: Annotated[
        int,
        typer.Option(help="Games, or positions of a set, then.", metavar="N", min=2),
    ] = 100,
    seeds: Annotated[int, typer.Option(help="Trainings of each arm.", min=1)] = 1,
    threads: Annotated[int, typer.Option(help="0: one a core.", min=0)] = 0,
) -> None:
    """Train a game in several ways for the same time, and compare."""
    if study not in STUDIES:
        raise UserError(f"there is no study {study!r}{nearest(study, STUDIES)}")
    arms = STUDIES[study].arms
    for name in names or ():
        if name not in arms:
            raise UserError(f"there is no arm {name!r}{nearest(name, arms)}")
    print(f"{minutes:g} minutes, {seeds} times; {games} games or positions a set\n")
    for number, name in enumerate(names or arms):
        outcomes = [
            train_arm(
                STUDIES[study], name, seed, minutes, games, threads or num_cores()
            )
            for seed in range(1, seeds + 1)
        ]
        if number == 0:
            print("| arm | iterations | positions |", *_titles(outcomes[0]))
            print("| --- | --- | --- |", *("--- |" for _ in outcomes[0].figures))
        print(row(name, outcomes), flush=True)


def _titles(outcome: Outcome) -> Iterator[str]:
    yield from (f"{what} |" for what in outcome.figures)


def row(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return the row of an arm; of several trainings, their means."""
    num = len(outcomes)
    iterations = sum(one.iterations for one in outcomes) / num
    positions = sum(one.positions for one in outcomes) / num
    found = (
        _shown([one.figures[what] for one in outcomes]) for what in outcomes[0].figures
    )
    return f"| {name} | {iterations:.0f} | {positions:,.0f} | {' | '.join(found)} |"


def _shown(found: Sequence[Estimate]) -> str:
    """Return an estimate with its interval; of several, that of their mean."""
    one = found[0] if len(found) == 1 else mean_estimate([f.value for f in found])
    digits = 1 if one.high > 1 else 4
    ends = f"{one.low:.{digits}f} to {one.high:.{digits}f}"
    return f"{one.value:.{digits}f} ({ends})"


if __name__ == "__main__":
    script.run(main)
