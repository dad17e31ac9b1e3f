"""The arrays that the solver works with: stacks, tables, counts."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludens.loading.compilable import borrow, compilable
from ludens.loading.game import Game

HEARING_S = 0.05
Found = TypeVar("Found")


class Stack(NamedTuple):
    """What one thread solves with: D plies deep, A actions, W words of a state."""

    table: NDArray[Any]
    """[a power of two] ENTRY: what is known of positions"""
    states: NDArray[Any]
    """[D + 2] STATE; the first is the one to solve, the last two are spare"""
    words: NDArray[np.uint64]
    """[D + 2, W] the same memory"""
    actions: NDArray[np.int32]
    """[D, A] moves still to be tried"""
    history: NDArray[np.int64]
    """[2, A] how often an action of a player has cut"""
    frames: NDArray[Any]
    """[D + 2] FRAME"""
    nodes: NDArray[np.int64]
    """[1] nodes searched"""
    stop: NDArray[np.bool_]
    """[1] set by another thread to end a search"""


def make_stack(game: Game, kernel: Any, num_entries: int) -> Stack:
    """Return the arrays of an alpha-beta search; `kernel` has entries and frames."""
    depth = game.plain.MAX_PLIES + 2
    states = game.states(depth + 2)
    return Stack(
        table=np.zeros(num_entries, kernel.ENTRY),
        states=states,
        words=states.view(np.uint64).reshape(depth + 2, -1),
        actions=np.empty((depth, game.num_actions), np.int32),
        history=np.zeros((2, game.num_actions), np.int64),
        frames=np.zeros(depth + 2, kernel.FRAME),
        nodes=np.zeros(1, np.int64),
        stop=np.zeros(1, np.bool_),
    )


@compilable
def borrow_stack(stack: Stack) -> Stack:
    """Return the same arrays without counting references to them."""
    return Stack(
        borrow(stack.table),
        borrow(stack.states),
        borrow(stack.words),
        borrow(stack.actions),
        borrow(stack.history),
        borrow(stack.frames),
        borrow(stack.nodes),
        borrow(stack.stop),
    )


class ForceStack(NamedTuple):
    """What one thread looks for wins by force with; sizes are those of `Stack`."""

    table: NDArray[Any]
    """[a power of two] FORCE_ENTRY: positions that are not won"""
    states: NDArray[Any]
    """[D] STATE; the first is the one that is asked about"""
    words: NDArray[np.uint64]
    """[D, W] the same memory"""
    actions: NDArray[np.int32]
    """[D, A] moves to be tried"""
    frames: NDArray[Any]
    """[D] FORCE_FRAME"""
    counts: NDArray[np.int64]
    """[3] positions of the attacker that were looked at; questions that were asked;
    whether pressing moves are played, too"""
    stop: NDArray[np.bool_]
    """[1] set by another thread to end a search"""


def make_force_stack(game: Game, kernel: Any, num_entries: int) -> ForceStack:
    """Return the arrays of a search for wins by force."""
    depth = game.plain.MAX_PLIES + 2
    states = game.states(depth)
    return ForceStack(
        table=np.zeros(num_entries, kernel.FORCE_ENTRY),
        states=states,
        words=states.view(np.uint64).reshape(depth, -1),
        actions=np.empty((depth, game.num_actions), np.int32),
        frames=np.zeros(depth, kernel.FORCE_FRAME),
        counts=np.zeros(3, np.int64),
        stop=np.zeros(1, np.bool_),
    )


@compilable
def borrow_force_stack(stack: ForceStack) -> ForceStack:
    """Return the same arrays without counting references to them."""
    return ForceStack(
        borrow(stack.table),
        borrow(stack.states),
        borrow(stack.words),
        borrow(stack.actions),
        borrow(stack.frames),
        borrow(stack.counts),
        borrow(stack.stop),
    )


def table_size(memory_mb: int, entry: np.dtype[Any]) -> int:
    """Return how many entries a table of so much memory has: a power of two."""
    num_entries = max(2, memory_mb * 2**20 // entry.itemsize)
    return int(2 ** (num_entries.bit_length() - 1))


@contextmanager
def stopped_after(stop: NDArray[np.bool_], seconds: float | None) -> Iterator[None]:
    """Set `stop` [1] in this block once so much time is over; it is unset after it."""
    timer = threading.Timer(seconds or 0, stop.fill, (True,))
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if seconds is not None:
            timer.join()
        stop[0] = False


def interruptible(work: Callable[[], Found], stop: NDArray[np.bool_]) -> Found:
    """Return what work returns; a signal sets `stop` [1] until the work has ended.

    The main thread hears no signal while it runs compiled code, so it looks on while
    another thread works.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    found = Future[Found]()
    try:
        threading.Thread(target=_work, args=(work, found), daemon=True).start()
        while not found.done():
            wait([found], HEARING_S)  # without a limit, Windows would hear nothing
    except BaseException:
        while not (found.cancel() or found.done()):
            stop[0] = True
            wait([found], HEARING_S)
        stop[0] = False
        raise
    return found.result()


def _work(work: Callable[[], Found], found: Future[Found]) -> None:
    if not found.set_running_or_notify_cancel():
        return
    try:
        found.set_result(work())
    except BaseException as error:
        found.set_exception(error)
