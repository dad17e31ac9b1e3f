"""What thinks for a page: each kind of work as a generator of slices."""

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import BoundedSemaphore

from ludens.agents import Agent, Limit
from ludens.agents.agent import NO_LIMIT, Thought
from ludens.agents.analysis import Analysis
from ludens.agents.simple import in_slices
from ludens.errors import Forfeit, UserError
from ludens.formats.words import Turn
from ludens.nets.shipped import usual_agent
from ludens.pictures.tree import grow_branch
from ludens.solver.exact import Solver, Unsolved
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

NUM_LINES = 6
"""Main lines of an analysis: each costs time that the search does not have."""


@dataclass(frozen=True)
class Task:
    """A position and who thinks about it."""

    state: State
    agent: Agent
    limit: Limit = NO_LIMIT
    told: Sequence[Turn] = ()
    """The turns that led to the state, if they were told."""
    spare: Agent | None = None
    """The agent that moves if the other one cannot tell."""
    places: BoundedSemaphore | None = None
    """Of programs that may run at a time, if the agent is one."""


def analyse(job: Job, task: Task) -> Work:
    """Tell what an agent thinks, again and again as long as it does."""
    began_s, due_s = time.perf_counter(), 0.0
    about = (actions_of(task.state), task.state.game.num_players)
    thought = None
    for thought in thoughts(job, task):
        now_s = time.perf_counter()
        if thought is None or thought.analyse is None or now_s < due_s:
            yield None
            continue
        due_s = now_s + UPDATE_S
        yield analysis_event(thought.analyse(NUM_LINES), *about, now_s - began_s)
    spent_s = time.perf_counter() - began_s
    yield analysis_event(_analysis(thought), *about, spent_s) | {"is_done": True}
    return {}


def move(job: Job, task: Task) -> Work:
    """Let an agent play; if it cannot tell what to play, the spare one does."""
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
            slices = thoughts(job, Task(at, task.agent, task.limit))
            found = _analysis((yield from _last(slices)))
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


def solve(job: Job, state: State, solver: Solver, limit: Limit) -> Work:
    """Solve a position."""
    job.on_stop = solver.stop
    found = yield from in_slices(
        lambda part: solver.solve(state, part.seconds), limit, SLICE_S
    )
    return solution_reply(found, state)


def tree(job: Job, task: Task, wish: Tree) -> Work:
    """Grow a tree, as far as it is not grown yet, and show a part of it."""
    search = task.agent.search
    if search is None:
        raise UserError("this agent grows no tree; take mcts or net")
    for _ in thoughts(job, task):
        yield None
    branch = grow_branch(
        search, task.state, wish.depth, wish.min_visits, wish.width, wish.path
    )
    return {"tree": tree_reply(branch)}


def thoughts(job: Job, task: Task) -> Iterator[Thought | None]:
    """Yield what an agent knows after each slice."""
    while task.places is not None and not task.places.acquire(timeout=SLICE_S):
        yield None
    job.on_stop = task.agent.stop
    try:
        yield from task.agent.think(task.state.copy(), task.limit, SLICE_S)
    except Forfeit as error:
        raise UserError(f"the engine has lost: {error}") from None
    finally:
        task.agent.close()
        if task.places is not None:
            task.places.release()


def _decide(job: Job, task: Task) -> Generator[None, None, tuple[int, Analysis | None]]:
    """Return an agent's move and, if it costs nothing, its analysis."""
    thought = None
    for thought in thoughts(job, task):
        if thought is not None and thought.is_final:
            break
        yield None
    assert thought is not None
    analyse = thought.analyse
    return thought.action, None if analyse is None else analyse(NUM_LINES)


def _last(slices: Iterator[Thought | None]) -> Generator[None, None, Thought | None]:
    """Return the last of what slices give."""
    found = next(slices)
    for latest in slices:
        yield None
        found = latest
    return found


def _analysis(thought: Thought | None) -> Analysis:
    """Return the analysis of the last slice."""
    assert thought is not None
    assert thought.analyse is not None
    return thought.analyse(NUM_LINES)
