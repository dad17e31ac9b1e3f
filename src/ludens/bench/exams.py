"""What nets are asked: solved positions where a game has them, a match, or scores."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ludens.agents import net_maker, policy_maker
from ludens.agents.networks import Memory
from ludens.arena.elo import elo_estimate, mean_estimate, score_estimate
from ludens.arena.exams import examine
from ludens.arena.match import Contest, MatchTally, Scores
from ludens.arena.play import Player
from ludens.bench.figures import Figure, ScoreFigure, share_of
from ludens.bench.solved import Exam
from ludens.cores import num_cores
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game
from ludens.loading.options import OptionValue
from ludens.nets.weights import Net
from ludens.search.averaging import find_averaging
from ludens.search.config import SearchConfig, read_search_config
from ludens.solver.graded import Truth

Tell = Callable[[str], None]
ALONE = "net alone"
ROLLOUT_SIMS = 10_000
MATCH_SIMS = 200
LADDER = (50, 200, 800)
"""Simulations of a net against another program."""
SCORED_SIMS = 64
BASELINES = ("random", "greedy", "lookahead", "mcts:sims=1000,rollouts=1")
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
    def memory(self) -> Memory:
        """The net, ready to be asked."""
        return Memory(make_evaluator(self.net, "cpu", "auto", num_cores()))

    @property
    def alone(self) -> Player:
        """The net without a search; it sees as many symmetries as its search does."""
        evaluator, symmetries = self.memory.evaluator, self.config(1).symmetries
        averaging = find_averaging(self.game, evaluator, symmetries)
        return Player(ALONE, policy_maker(evaluator, averaging=averaging))

    def config(self, sims: int) -> SearchConfig:
        """Return how it searches; its own settings come first."""
        return read_search_config(
            {**self.net.card.search, "sims": sims, **self.settings}
        )

    def searching(self, sims: int, is_exact: bool = True) -> Player:
        """Return the net with a search, as it is set or without exact leaves."""
        config = self.config(sims)
        if not is_exact:
            config = replace(config, exact_nodes=0)
        return Player(sims_name(config), net_maker(self.game, config, self.memory))

    def players(self, sims: int) -> tuple[Player, ...]:
        """Return the net alone and with a search, without exact leaves and with."""
        if self.config(sims).exact_nodes == 0:
            return self.alone, self.searching(sims)
        plain = self.searching(sims, is_exact=False)
        return self.alone, plain, self.searching(sims)


def sims_name(config: SearchConfig) -> str:
    """Return how much a search does in words."""
    exact = f", {config.exact_nodes:,} exact nodes" if config.exact_nodes else ""
    return f"{config.sims:,} sims{exact}"


def examine_positions(exam: Exam, candidate: Candidate) -> Iterator[Figure]:
    """Ask about solved positions, set by set."""
    players, game = candidate.players(exam.sims), candidate.game
    ask = optimal_moves if exam.counts == "optimal moves" else wrong_moves
    for one in exam.sets:
        truth = one.truth(game, candidate.num_positions)
        for player in players:
            goal = one.goal_alone if player.name == ALONE else one.goal
            yield from ask(f"{exam.counts}, {one.name}", game, player, truth, goal)


def examine_match(candidate: Candidate) -> Iterator[Figure]:
    """Play against a search whose leaves are random games of any moves."""
    opponent = f"mcts:sims={ROLLOUT_SIMS},rollouts=1,likely=0"
    yield points_against(
        candidate, candidate.searching(MATCH_SIMS), opponent, "goal: 95 %"
    )


def examine_against(opponent: str, candidate: Candidate) -> Iterator[Figure]:
    """Play against an agent, such as another program: alone, then searching more.

    With a number of simulations among its settings the net has one search only.
    """
    sims = LADDER[:1] if "sims" in candidate.settings else LADDER
    for player in (candidate.alone, *map(candidate.searching, sims)):
        yield points_against(candidate, player, opponent)


def points_against(
    candidate: Candidate, player: Player, opponent: str, goal: str = ""
) -> Figure:
    """Play a match; return the share of the points, with Elo in the note."""
    tally = MatchTally()
    pairs, told_s = max(1, candidate.num_games // 2), time.perf_counter()
    for pair in Contest(candidate.game, (player, opponent)).play(pairs):
        tally.add(pair)
        if time.perf_counter() - told_s > TELL_EVERY_S:
            told_s = time.perf_counter()
            candidate.tell(f"{tally.num_games} of {2 * pairs} games: {tally}")
    score, elo = score_estimate(tally.pairs), elo_estimate(tally.pairs)
    note = f"{tally}; Elo {elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}]"
    what = f"points against {opponent}"
    return Figure(what, player.name, score, tally.num_games, goal, note)


def wrong_moves(
    what: str, game: Game, player: Player, truth: Truth, goal: str
) -> Iterator[Figure]:
    """Yield the share of moves that give away a win or a draw."""
    num_wrong, _ = count_wrong(truth, game, player)
    share = share_of(num_wrong, len(truth))
    yield Figure(what, player.name, share, len(truth), goal, f"{num_wrong} wrong")


def optimal_moves(
    what: str, game: Game, player: Player, truth: Truth, goal: str
) -> Iterator[Figure]:
    """Yield the share of moves that keep a win or a draw, everywhere and in doubt."""
    num_wrong, num_open = count_wrong(truth, game, player)
    for where, num in ((what, len(truth)), ("where some move is worse", num_open)):
        share = share_of(num - num_wrong, num)
        yield Figure(where, player.name, share, num, goal, f"{num_wrong} wrong")
        goal = ""


def count_wrong(truth: Truth, game: Game, player: Player) -> tuple[int, int]:
    """Count wrong moves, and the positions in which one can go wrong.

    In the others all moves are as good; nobody needs to be asked.
    """
    is_open = (~truth.best & ~np.isnan(truth.values)).any(axis=1)
    asked = Truth(truth.states[is_open], truth.plies[is_open], truth.values[is_open])
    return examine(asked, game, player, num_cores()).num_wrong, len(asked)


def examine_scores(candidate: Candidate) -> Iterator[ScoreFigure]:
    """Let the net and players without one play with the same dice."""
    game, rounds = candidate.game, candidate.num_games
    searching = Contest(game, [candidate.searching(SCORED_SIMS)]).scores(rounds)
    yield _figure(sims_name(candidate.config(SCORED_SIMS)), searching)
    yield _figure(ALONE, Contest(game, [candidate.alone]).scores(rounds), searching)
    for agent in BASELINES:
        yield _figure(agent, Contest(game, [agent]).scores(rounds), searching)


def _figure(player: str, scores: Scores, best: Scores | None = None) -> ScoreFigure:
    (own,), (plies,) = scores.scores, scores.plies
    behind = None
    if best is not None:
        gains = [more - less for more, less in zip(best.scores[0], own, strict=True)]
        behind = mean_estimate(gains)
    low, median, high = map(float, np.percentile(own, [10, 50, 90]))
    mean, cut = mean_estimate(own), scores.num_cut[0] / len(own)
    moves = float(np.mean(plies))
    return ScoreFigure(player, mean, low, median, high, moves, cut, len(own), behind)
