"""What nets are asked: solved positions where a game has them, else a match."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ludens.arena.elo import elo_estimate, score_estimate
from ludens.arena.lockstep import play_lockstep
from ludens.arena.movers import Mover, PolicyMover, SearchMover
from ludens.bench.figures import Figure, share_of
from ludens.bench.solved import Exam
from ludens.cores import num_cores
from ludens.infer.evaluator import NetEvaluator, make_evaluator
from ludens.loading.game import Game
from ludens.loading.options import OptionValue
from ludens.nets.weights import Net
from ludens.search.config import SearchConfig, read_config
from ludens.solver.graded import Truth, grade

Tell = Callable[[str], None]
ALONE = "net alone"
ROLLOUT_SIMS = 10_000
MATCH_SIMS = 200
TELL_EVERY_S = 10.0


@dataclass(frozen=True)
class Candidate:
    """A net to be measured, and how it searches."""

    game: Game
    net: Net
    settings: Mapping[str, OptionValue]
    """Of its search; what is left out, an exam decides."""
    num_positions: int
    num_games: int
    tell: Tell = field(default=print)

    @cached_property
    def evaluator(self) -> NetEvaluator:
        """The net, ready to be asked."""
        return make_evaluator(self.net, "cpu", "auto", num_cores())

    @property
    def alone(self) -> Mover:
        """The net without a search."""
        return PolicyMover(self.game, self.evaluator)

    def config(self, sims: int) -> SearchConfig:
        """Return how it searches; its own settings come first."""
        return read_config({**self.net.card.search, "sims": sims, **self.settings})

    def searching(self, sims: int) -> Mover:
        """Return the net with a search."""
        return SearchMover(self.game, self.config(sims), self.evaluator, num_cores())

    def players(self, sims: int) -> Iterator[tuple[str, Mover]]:
        """Yield the net alone and with a search, by name."""
        yield ALONE, self.alone
        yield sims_name(self.config(sims)), self.searching(sims)


def sims_name(config: SearchConfig) -> str:
    """Return how much a search does in words."""
    return f"{config.sims:,} sims"


def examine_positions(exam: Exam, candidate: Candidate) -> Iterator[Figure]:
    """Ask about solved positions, set by set."""
    players = list(candidate.players(exam.sims))
    ask = optimal_moves if exam.counts == "optimal moves" else wrong_moves
    for one in exam.sets:
        truth = one.truth(candidate.game, candidate.num_positions)
        for player, mover in players:
            goal = one.goal_alone if player == ALONE else one.goal
            yield from ask(f"{exam.counts}, {one.name}", player, truth, mover, goal)


def examine_match(candidate: Candidate) -> Iterator[Figure]:
    """Play against a search whose leaves are random games of any moves."""
    game, threads = candidate.game, num_cores()
    rollouts = SearchConfig(sims=ROLLOUT_SIMS, rollouts=1, likely=0.0)
    # Trees of so many simulations are large, and nothing is gained by many at once.
    opponent = SearchMover(game, rollouts, None, threads, slots=2 * threads)
    net = candidate.searching(MATCH_SIMS)
    clock = _Clock(candidate.tell)
    pairs = max(1, candidate.num_games // 2)
    tally = play_lockstep(game, (net, opponent), pairs, should_stop=clock.tick)
    score, elo = score_estimate(tally.pairs), elo_estimate(tally.pairs)
    note = f"{tally}; Elo {elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}]"
    what = f"points against mcts:sims={ROLLOUT_SIMS},rollouts=1,likely=0"
    player = sims_name(candidate.config(MATCH_SIMS))
    yield Figure(what, player, score, tally.num_games, "goal: 95 %", note)


class _Clock:
    """Tells now and then how many moves both sides have made."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._moves = 0
        self._told_s = time.perf_counter()

    def tick(self) -> bool:
        """Count a move of both sides; games are never stopped."""
        if time.perf_counter() - self._told_s > TELL_EVERY_S:
            self._told_s = time.perf_counter()
            self._tell(f"{self._moves} moves by each side in all games that go on")
        self._moves += 1
        return False


def wrong_moves(
    what: str, player: str, truth: Truth, mover: Mover, goal: str
) -> Iterator[Figure]:
    """Yield the share of moves that give away a win or a draw."""
    num_wrong, _ = count_wrong(truth, mover)
    share = share_of(num_wrong, len(truth))
    yield Figure(what, player, share, len(truth), goal, f"{num_wrong} wrong")


def optimal_moves(
    what: str, player: str, truth: Truth, mover: Mover, goal: str
) -> Iterator[Figure]:
    """Yield the share of moves that keep a win or a draw, everywhere and in doubt."""
    num_wrong, num_open = count_wrong(truth, mover)
    for where, num in ((what, len(truth)), ("where some move is worse", num_open)):
        share = share_of(num - num_wrong, num)
        yield Figure(where, player, share, num, goal, f"{num_wrong} wrong")
        goal = ""


def count_wrong(truth: Truth, mover: Mover) -> tuple[int, int]:
    """Count wrong moves, and the positions in which one can go wrong.

    In the others all moves are as good; nobody needs to be asked.
    """
    is_open = (~truth.best & ~np.isnan(truth.values)).any(axis=1)
    asked = Truth(truth.states[is_open], truth.plies[is_open], truth.values[is_open])
    return grade(asked, asked.choices(mover)).num_wrong, len(asked)
