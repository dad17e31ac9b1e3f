"""Honest numbers during training: fixed opponents, earlier nets, and the truth."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ludens.agents import agent_maker, net_maker, policy_maker, runs_commands
from ludens.agents.networks import Memory
from ludens.arena.elo import score_estimate
from ludens.arena.exams import examine
from ludens.arena.match import Contest, Scores, Spread
from ludens.arena.play import Player
from ludens.arena.ratings import rate
from ludens.errors import UserError
from ludens.infer.evaluator import make_evaluator
from ludens.loading.game import Game, format_spec
from ludens.loading.options import OptionValue
from ludens.nets.weights import Net
from ludens.rng import sub_seed
from ludens.search.config import SearchConfig
from ludens.solver.graded import Grade, Truth
from ludens.training.config import EvalConfig

ROLLOUTS = "mcts"
MANNER = "root", "gumbel_scale", "max_considered", "c_scale", "least_spread", "discount"
"""Settings of a search that go with what a net has learnt."""


@dataclass(frozen=True)
class Place:
    """Where networks run."""

    device: str = "auto"
    precision: str = "auto"
    threads: int = 1

    def on(self, device: str, threads: int = 0) -> "Place":
        """Return it with another device, unless that is the same, and more threads."""
        chosen = self.device if device == "same" else device
        return replace(self, device=chosen, threads=threads or self.threads)


@dataclass
class Examiner:
    """One who plays nets against others and asks them what is known."""

    game: Game
    config: EvalConfig
    search: SearchConfig
    """Of the net, with its simulations."""
    truth: Truth
    seed: int
    place: Place
    should_stop: Callable[[], bool] = lambda: False
    spread: Spread | None = None
    """Who lets others play its matches."""

    def examine(
        self, net: Net, earlier: Mapping[int, Net], before: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the metrics of a net; `before` are those of the run so far."""
        searcher = self.searcher(net)
        metrics = compare(*self.grade(net, self.truth)) if len(self.truth) else {}
        if self.game.num_players == 1:
            scores = self._scores(searcher)
            # Those that were finished when it stopped are the short ones.
            return {} if self.should_stop() else metrics | scores
        metrics["matches"] = self._matches(net.card.iteration, searcher, earlier)
        if self.should_stop():  # some were not played to their end
            return {}
        return metrics | rate_net([*before, metrics], f"net {net.card.iteration}")

    def searcher(self, net: Net) -> Player:
        """Return a net that searches."""
        make = net_maker(self.game, self.search, Memory(self._evaluator(net)))
        content = b"" if self.spread is None else net.to_bytes()
        return Player(f"net {net.card.iteration}", make, self._text, content)

    @property
    def _text(self) -> str:
        """How an agent that searches with a net is told to others."""
        place = self.place
        settings = asdict(self.search) | {"precision": place.precision, "device": "cpu"}
        if place.device != "auto":
            settings["device"] = place.device
        return format_spec("net", settings)

    def grade(self, net: Net, truth: Truth) -> tuple[Grade, Grade]:
        """Return how well the net alone, and its search, choose in positions."""
        alone = Player("policy", policy_maker(self._evaluator(net)))
        players, threads = (alone, self.searcher(net)), self.place.threads
        one, other = (examine(truth, self.game, p, threads) for p in players)
        return one, other

    def passes(self, new: Net, old: Net, iteration: int) -> tuple[bool, float]:
        """Tell whether a new net beats the old one as it must, and its share."""
        players = (self.searcher(new), self.searcher(old))
        pairs = max(1, self.config.gate_games // 2)
        seed = sub_seed(self.seed, "gate", iteration)
        tally = self._contest(players, seed).tally(pairs)
        if self.should_stop():
            return False, 0.0
        share = score_estimate(tally.pairs).value
        return share >= self.config.gate_share, share

    def _evaluator(self, net: Net) -> Any:
        place = self.place
        return make_evaluator(net, place.device, place.precision, place.threads)

    def _contest(self, players: Sequence[Player], seed: int) -> Contest:
        return Contest(
            self.game,
            players,
            seed,
            threads=self.place.threads,
            should_stop=self.should_stop,
            spread=self.spread,
        )

    def _matches(
        self, iteration: int, searcher: Player, earlier: Mapping[int, Net]
    ) -> list[list[Any]]:
        """Return [name, name of the opponent, wins, draws, losses] of each match."""
        opponents = [Player("random", agent_maker("random", self.game), "random")]
        if self.config.mcts_sims > 0 and self.game.environment is None:
            rollouts = f"mcts:sims={self.config.mcts_sims},rollouts=1"
            make = agent_maker(rollouts, self.game)
            opponents.append(Player(ROLLOUTS, make, rollouts))
        opponents += named_opponents(self.config, self.game)
        opponents += [self.searcher(net) for net in earlier.values()]
        pairs = max(1, self.config.games // 2)
        found, seed = [], sub_seed(self.seed, "match", iteration)
        for opponent in opponents:
            tally = self._contest((searcher, opponent), seed).tally(pairs)
            score = [tally.wins, tally.draws, tally.losses]
            found.append([searcher.name, opponent.name, *score])
        return found

    def _scores(self, searcher: Player) -> dict[str, Any]:
        """Return what a net scores in a single-player game, with the same dice each
        time."""
        contest = self._contest([searcher], self.seed)
        return score_figures(contest.scores(self.config.games))


def named_opponents(config: EvalConfig, game: Game) -> list[Player]:
    """Return the agents that the settings name, or say which cannot be played."""
    names = list(dict.fromkeys(config.opponents.split()))
    if names and game.num_players == 1:
        raise UserError(f"evaluate.opponents: {game.name} is for one player")
    for name in names:
        if name in ("random", ROLLOUTS):
            raise UserError(
                f"evaluate.opponents: {name} is always met; write mcts:sims=N for more"
            )
        if runs_commands(name):  # settings may be a stranger's
            raise UserError(f"evaluate.opponents: {name} would run a command")
    try:
        return [Player(name, agent_maker(name, game), name) for name in names]
    except UserError as error:
        raise UserError(f"evaluate.opponents: {error}") from None


def metric_of(opponent: str) -> str:
    """Return the metric of the score against an opponent: score_mcts-sims-50."""
    return f"score_{re.sub('[^a-z0-9_.]+', '-', opponent)}"


def compare(alone: Grade, searching: Grade) -> dict[str, Any]:
    """Return how often the net alone, and its search, find a best move."""
    return {
        "truth_net": alone.optimal,
        "truth_search": searching.optimal,
        "lost_net": alone.lost,
        "lost_search": searching.lost,
    }


def score_figures(scores: Scores) -> dict[str, Any]:
    """Return how the scores and lengths of the first agent's games are spread."""
    if scores.num_rounds == 0:
        return {}
    spread = {
        **_spread("score", scores.scores[0]),
        **_spread("length", scores.plies[0]),
    }
    return spread | {"length_cut": scores.num_cut[0] / scores.num_rounds}


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    low, median, high = np.percentile(values, [10, 50, 90])
    return {
        f"{name}_mean": float(np.mean(values)),
        f"{name}_median": float(median),
        f"{name}_p10": float(low),
        f"{name}_p90": float(high),
    }


def play_config(game: Game, search: SearchConfig, sims: int) -> SearchConfig:
    """Return the search of a net that plays to win: no noise, PUCT for two players.

    Of all 4,520 positions of tic-tac-toe an early net with 64 simulations got one wrong
    with Gumbel's root and none with this one.
    """
    calm = replace(search, sims=sims, noise_fraction=0, forced=0, gumbel_scale=0)
    return calm if game.num_players == 1 else replace(calm, root="puct")


def play_settings(game: Game, search: SearchConfig) -> dict[str, OptionValue]:
    """Return what a net that has learnt with a search needs to play to win."""
    if game.num_players == 2:
        return {}
    usual, plays = SearchConfig(), asdict(play_config(game, search, search.sims))
    manner = {key: plays[key] for key in MANNER if plays[key] != getattr(usual, key)}
    if game.environment is None:
        return manner
    return {**manner, "sims": search.sims}  # deeper, its model has never been


def rate_net(history: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Rate all players of all matches; return the Elo of one, rollouts having 0."""
    matches = [match for metrics in history for match in metrics.get("matches", [])]
    players = sorted({player for match in matches for player in match[:2]})
    points = np.zeros((len(players), len(players)))
    for first, second, wins, draws, losses in matches:
        a, b = players.index(first), players.index(second)
        points[a, b] += wins + draws / 2
        points[b, a] += losses + draws / 2
    ratings = rate(points)
    anchor = players.index(ROLLOUTS if ROLLOUTS in players else "random")
    here = players.index(name)
    elo = float(ratings.elo[here] - ratings.elo[anchor])
    margin = ratings.margin_between(here, anchor)
    by_opponent = {
        metric_of(match[1]): (match[2] + match[3] / 2) / max(1, sum(match[2:]))
        for match in history[-1]["matches"]
        if not match[1].startswith("net ")  # an earlier net
    }
    return {
        "elo": elo, "elo_low": elo - margin, "elo_high": elo + margin
    } | by_opponent  # fmt: skip
