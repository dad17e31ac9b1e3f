"""A match for a page: a few boards at a time, played in slices, told as they change."""

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from ludens.agents import Agent, Limit
from ludens.agents.agent import NO_LIMIT
from ludens.arena.elo import elo_estimate, mean_estimate, score_estimate
from ludens.arena.even import judge_openings, usual_plies
from ludens.arena.match import Contest, MatchTally, Scores, ply_limit
from ludens.arena.play import Played
from ludens.errors import UserError
from ludens.formats.record import Record
from ludens.formats.words import ending, plural
from ludens.game import Shape
from ludens.web.limits import UPDATE_S
from ludens.web.positions import scene_of
from ludens.web.thinking import Job, Reply, Work
from ludens.web.work import Task, thoughts

BOARDS = 4
"""Games under way at a time."""
EVEN = 0.1
"""The largest |value| of an opening that counts as even, as for `ludens openings`."""
SOLVER_S = 2.0
"""What a solver has for a move."""


@dataclass
class Board:
    """A game that is shown, and what the page has of it."""

    game: Played
    shown: set[Shape] = field(default_factory=set)
    num_shown: int = -1
    """Plies that the page has seen."""
    last: str = ""
    """The last move, and what its player thinks."""

    def news(self, names: Sequence[str]) -> Reply | None:
        """Return what a page has not seen yet, None if that is nothing."""
        state = self.game.state
        if state.num_plies == self.num_shown:
            return None
        scene = state.scene()
        added = [shape for shape in scene if shape not in self.shown]
        gone = self.shown.difference(scene)
        self.shown, self.num_shown = set(scene), state.num_plies
        seated = [names[agent] for agent in self.game.seating]
        return {
            "number": self.game.number,
            "names": seated,
            "frame": {
                "added": scene_of(added),
                "gone": scene_of(sorted(gone, key=repr)),
            },
            "plies": state.num_plies,
            "last": self.last,
            "outcome": ending(state, seated) if state.is_over else "",
        }


class Standing:
    """What a match has come to."""

    def __init__(self, contest: Contest) -> None:
        self._is_alone = contest.game.num_players == 1
        self._tally, self._scores = MatchTally(), Scores(2)
        self.num_games = 0

    def add(self, games: Sequence[Played]) -> None:
        """Count the games of one opening."""
        self.num_games += len(games)
        (self._scores if self._is_alone else self._tally).add(games)

    def told(self) -> Reply:
        """Return figures with their intervals."""
        if self.num_games == 0:
            return {}
        if self._is_alone:
            means = [asdict(mean_estimate(scores)) for scores in self._scores.scores]
            gain = asdict(mean_estimate(self._scores.gains(0, 1)))
            return {"means": means, "gain": gain}
        tally = self._tally
        counts = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
        score, elo = score_estimate(tally.pairs), elo_estimate(tally.pairs)
        return {**counts, "score": asdict(score), "elo": asdict(elo)}


def play(
    job: Job, contest: Contest, num_games: int, judge: Agent | None = None
) -> Work:
    """Play a match; tell what is new a few times a second."""
    standing, due_s = Standing(contest), 0.0
    if judge is not None:
        book = yield from _find_even(contest, judge, num_games // 2)
        contest = replace(contest, book=book)
    openings = islice(contest.openings(), num_games // 2)
    while some := list(islice(openings, BOARDS // 2)):
        rounds = [list(contest.games_of(opening)) for opening in some]
        boards = [Board(game) for games in rounds for game in games]
        for _ in _moves(job, contest, boards):
            if time.perf_counter() < due_s:
                yield None
                continue
            due_s = time.perf_counter() + UPDATE_S
            yield _event(contest, standing, boards, [])
        for games in rounds:
            standing.add(games)
        finished = [_finished(contest, board.game) for board in boards]
        yield _event(contest, standing, boards, finished)
    return {}


def _find_even(
    contest: Contest, judge: Agent, count: int
) -> Generator[Reply | None, None, list[tuple[int, ...]]]:
    """Return openings that lead to positions about even; tell how many are found."""
    game, found = contest.game, list[tuple[int, ...]]()
    plies = usual_plies(game) if contest.plies is None else contest.plies
    empty, due_s = Standing(contest), 0.0
    for judged in judge_openings(game, judge, EVEN, contest.seed, plies):
        found += [judged.history] if judged.is_even else []
        if len(found) == count:
            break
        if time.perf_counter() < due_s:
            yield None
            continue
        due_s = time.perf_counter() + UPDATE_S
        note = f"{len(found)} of {plural(count, 'even position')} found"
        yield _event(contest, empty, [], []) | {"note": note}
    if not found:
        raise UserError(f"no position of {game.spec} was found that is about even")
    return found


def _moves(job: Job, contest: Contest, boards: Sequence[Board]) -> Iterator[None]:
    """Play all games to their ends, a move of each in turn; give way after a slice."""
    most = ply_limit(contest.game, contest.max_plies)
    going = list(boards)
    for board in boards:
        game = board.game
        makers = [contest.players[agent].make for agent in game.seating]
        game.agents = [m(seed) for m, seed in zip(makers, game.seeds, strict=True)]
    while going:
        for board in going:
            yield from _move(job, board)
        going = [
            board
            for board in going
            if not board.game.state.is_over and board.game.state.num_plies < most
        ]


def _move(job: Job, board: Board) -> Generator[None, None, None]:
    game, state = board.game, board.game.state
    if state.is_over:
        return
    agent = game.agent
    action = yield from _choose(job, agent, board)
    value = agent.outlook(agent.seed)
    said = "" if value is None else f" {value:+.2f}"
    board.last = f"{state.num_plies + 1}. {state.action_name(action)}{said}"
    game.apply(action)
    yield None


def _choose(job: Job, agent: Agent, board: Board) -> Generator[None, None, int]:
    limit = Limit(seconds=SOLVER_S) if agent.can_fail else NO_LIMIT
    thought = None
    for thought in thoughts(job, Task(board.game.state.copy(), agent, limit)):
        if thought is not None and thought.is_final:
            break
        yield None
    assert thought is not None
    return thought.action


def _event(
    contest: Contest,
    standing: Standing,
    boards: Sequence[Board],
    finished: Sequence[Reply],
) -> Reply:
    news = [board.news(contest.names) for board in boards]
    return {
        "event": "match",
        "done": standing.num_games,
        "note": "",
        "standing": standing.told(),
        "boards": [one for one in news if one is not None],
        "finished": finished,
    }


def _finished(contest: Contest, game: Played) -> dict[str, Any]:
    names = tuple(contest.names[agent] for agent in game.seating)
    result = game.state.score if contest.game.num_players == 1 else game.result
    record = Record.of(game.state, names).written()
    return {"number": game.number, "result": result, "record": record}
