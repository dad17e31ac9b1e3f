"""What thinks for a page: each kind of work as a generator of slices."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ludens.agents import Agent, SearchAgent
from ludens.agents.analysis import Analysis
from ludens.agents.simple import SolverAgent
from ludens.errors import UserError
from ludens.nets.finding import usual_agent
from ludens.pictures.tree import grow_branch
from ludens.search.search import Roots
from ludens.solver.exact import Unsolved
from ludens.state import State
from ludens.web.analyses import (
    actions_of,
    analysis_event,
    solution_reply,
    tree_reply,
    value_after,
    verdict_event,
)
from ludens.web.limits import SLICE_S, UPDATE_S
from ludens.web.messages import Tree
from ludens.web.positions import position_of
from ludens.web.thinking import Job, Reply, Work
from ludens.words import Turn

NUM_LINES = 6
"""Main lines of an analysis: each costs time that the search does not have."""
LONGEST_SLICE_S = 1.0
"""Of the solver: what it knows stays, but it finds its way anew in each."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Task:
    """A position and who thinks about it."""

    state: State
    agent: Agent
    seconds: float
    """For the solver, which has no end in sight of its own."""
    told: Sequence[Turn] = ()
    """The turns that led to the state, if they were told."""
    spare: Agent | None = None
    """Who moves if a solver cannot."""


def analyse(job: Job, task: Task) -> Work:
    """Tell what an agent thinks, again and again as long as it does."""
    began_s, due_s = time.perf_counter(), 0.0
    about = (actions_of(task.state), task.state.game.num_players)
    thought = None
    for thought in _thoughts(job, task):
        now_s = time.perf_counter()
        if thought is None or now_s < due_s:
            yield None
            continue
        due_s = now_s + UPDATE_S
        yield analysis_event(thought(), *about, now_s - began_s)
    assert thought is not None
    spent_s = time.perf_counter() - began_s
    yield analysis_event(thought(), *about, spent_s) | {"is_done": True}
    return {}


def move(job: Job, task: Task) -> Work:
    """Let an agent play; for one that is at a loss the spare one does."""
    state = task.state
    reply: Reply = {}
    try:
        action, analysis = yield from _decide(job, task)
    except Unsolved as error:
        assert task.spare is not None
        found = yield from _decide(job, replace(task, agent=task.spare))
        action, analysis = found
        reply["note"] = f"{error}: {usual_agent(state.game)} chose this move"
    reply |= {"action": action, "name": state.action_name(action), "analysis": None}
    if analysis is not None:
        about = (actions_of(state), state.game.num_players)
        reply["analysis"] = analysis_event(analysis, *about)
    length = len(state.history)
    state.apply(action)
    reply["num_new"] = len(state.history) - length
    return reply | {"position": position_of(state, task.told)}


def review(job: Job, task: Task) -> Work:
    """Tell for each move of a game what it gave away, once the next is looked at."""
    before: tuple[int, State, int, Analysis] | None = None
    for index, at, step in _positions(task.state):
        found = None
        if not at.is_over:
            thoughts = _thoughts(job, Task(at, task.agent, task.seconds))
            thought = yield from _last(thoughts)
            assert thought is not None
            found = thought()
        if before is not None:
            was_at, state, played, analysis = before
            between = at.history[was_at + 1 : index]
            value = _worth(state, played, analysis, at, found, between)
            yield verdict_event(analysis, state, played, value) | {"step": was_at}
        if step is not None and found is not None:
            before = (index, at, step, found)
    return {}


def _worth(
    state: State,
    played: int,
    analysis: Analysis,
    after: State,
    found: Analysis | None,
    between: Sequence[int | str],
) -> float | None:
    """Return what a move came to, None if nobody can tell; luck is not its doing."""
    if any(isinstance(step, str) for step in between):
        return None
    if not between:
        return value_after(state, after, found)
    name = state.action_name(played)
    [move] = [move for move in analysis.moves if move.move == name]
    return move.utility if move.visits else None


def _positions(end: State) -> Iterator[tuple[int, State, int | None]]:
    """Give each position where a player moved, and the action; then the end."""
    at = State(end.game)
    for index, step in enumerate(end.history):
        if isinstance(step, int) and at.to_play >= 0:
            yield index, at.copy(), step
        at.apply_step(step)
    yield len(end.history), at, None


def solve(job: Job, task: Task) -> Work:
    """Solve a position."""
    agent, state = task.agent, task.state
    assert isinstance(agent, SolverAgent)
    found = yield from _in_slices(
        job, task, agent, lambda: agent.solver.solve(state, agent.seconds)
    )
    return solution_reply(found, state)


def tree(job: Job, task: Task, wish: Tree) -> Work:
    """Grow a tree, as far as it is not grown yet, and show a part of it."""
    agent = task.agent
    if not isinstance(agent, SearchAgent):
        raise UserError("this agent grows no tree; take mcts or net")
    for _ in agent.think(task.state, SLICE_S):
        yield None
    branch = grow_branch(
        agent.search, task.state, wish.depth, wish.min_visits, wish.width, wish.path
    )
    return {"tree": tree_reply(branch)}


def _thoughts(job: Job, task: Task) -> Iterator[Callable[[], Analysis] | None]:
    """Give, after each slice, what tells an agent's thoughts, None if it has none."""
    agent, state = task.agent, task.state
    if isinstance(agent, SearchAgent):
        for roots in agent.think(state, SLICE_S):
            yield _teller(agent, roots, state)
        return
    if isinstance(agent, SolverAgent):
        found = yield from _in_slices(job, task, agent, lambda: agent.analyse(state))
    else:
        found = agent.analyse(state)
    yield lambda: found


def _teller(agent: SearchAgent, roots: Roots, state: State) -> Callable[[], Analysis]:
    return lambda: agent.tell(roots, state, NUM_LINES)


def _decide(job: Job, task: Task) -> Generator[None, None, tuple[int, Analysis | None]]:
    """Return an agent's move and, if it costs nothing, its thoughts."""
    agent, state = task.agent, task.state.copy()
    if isinstance(agent, SolverAgent):
        action = yield from _in_slices(job, task, agent, lambda: agent.choose(state))
        return action, None
    if not isinstance(agent, SearchAgent):
        return agent.choose(state), agent.analyse(state)
    roots = yield from _last(agent.think(state, SLICE_S))
    return agent.pick(roots, state), agent.tell(roots, state, NUM_LINES)


def _last(slices: Iterator[Found]) -> Generator[None, None, Found]:
    """Return the last of what slices give."""
    found = next(slices)
    for latest in slices:
        yield None
        found = latest
    return found


def _in_slices(
    job: Job, task: Task, agent: SolverAgent, ask: Callable[[], Found]
) -> Generator[None, None, Found]:
    """Ask a solver, with more time each time, until it knows or its time is up."""
    end_s = time.perf_counter() + task.seconds
    job.on_stop = agent.solver.stop
    agent.seconds = SLICE_S
    while True:
        try:
            return ask()
        except Unsolved:
            left_s = end_s - time.perf_counter()
            if left_s <= 0:
                raise Unsolved(f"not solved within {task.seconds:g} s") from None
            agent.seconds = min(2 * agent.seconds, LONGEST_SLICE_S, left_s)
        yield None
