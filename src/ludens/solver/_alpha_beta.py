"""Alpha-beta search with a transposition table, on an explicit stack.

A part of the kernels that solve: the solver's own, and that of the search, which
settles leaves.

A value is for the player to move: `WIN - d` wins in d plies, `d - WIN` loses in d, 0 is
a draw. So more is better, and a quicker win is more. Values do not depend on how a
position was reached; one ply up a value moves one towards zero.
"""

import numpy as np
from numpy.typing import NDArray

from ludens.game import CHANCE, OVER, rule
from ludens.loading.compilable import compilable
from ludens.loading.complete import kernel_rules
from ludens.loading.hashing import copy_words, same_words, slot_of
from ludens.solver.stack import Stack

rules = kernel_rules()

WIN = rules.MAX_PLIES + 1
STOPPED = WIN + 1
HAS_CHANCE = WIN + 2
UNSETTLED = 2
WORDS = rules.STATE.itemsize // 8
IMAGES = rules.NUM_SYMMETRIES if rules.NUM_SYMMETRIES <= 16 else 1
SYMMETRY_PLIES = 8  # deeper, transpositions are found without turning the board

FRAME_FIELDS = [
    ("alpha", "i4"),
    ("beta", "i4"),
    ("floor", "i4"),  # alpha as it was when the node was entered
    ("best", "i4"),
    ("best_action", "i4"),
    ("next", "i4"),
    ("count", "i4"),
    ("flips", "i4"),  # whether the child's player is the other one
    ("entered", "i8"),  # nodes searched before this one
]
ENTRY_FIELDS = [
    ("key", np.uint64, WORDS),
    ("nodes", "i8"),
    ("lower", "i2"),
    ("upper", "i2"),
    ("action", "i2"),
    ("used", "i2"),
]
FRAME = np.dtype((np.record, np.dtype(FRAME_FIELDS, align=True)))
ENTRY = np.dtype((np.record, np.dtype(ENTRY_FIELDS, align=True)))


@compilable
def up(value: int, flips: bool) -> int:
    """Return what a child's value is worth one ply higher."""
    value = -value if flips else value
    return value - 1 if value > 0 else value + 1 if value < 0 else 0


@compilable
def down(bound: int, flips: bool) -> int:
    """Return the child's bound that `up` maps to this one."""
    bound = bound + 1 if bound > 0 else bound - 1 if bound < 0 else 0
    return -bound if flips else bound


@rule
def find(table: NDArray[np.void], key: NDArray[np.uint64]) -> int:
    """Return the entry of a position, or -2 - (the entry to overwrite)."""
    first = slot_of(key, len(table)) & -2  # an even one: entries come in pairs
    for slot in range(first, first + 2):
        if table[slot].used != 0 and same_words(table[slot].key, key):
            return slot
    return -2 - first


@rule
def store(
    table: NDArray[np.void], key: NDArray[np.uint64], frame: np.record, nodes: int
) -> None:
    """Keep what a finished node taught; of a pair, the first holds the costlier one."""
    slot = find(table, key)
    if slot < 0:
        slot = -2 - slot
        if table[slot].used != 0 and table[slot].nodes > nodes:
            slot += 1
        entry = table[slot]
        copy_words(key, entry.key)
        entry.lower, entry.upper, entry.used = -WIN, WIN, 1
    entry = table[slot]
    entry.nodes = nodes
    entry.action = frame.best_action
    if frame.best > frame.floor:
        entry.lower = max(entry.lower, frame.best)
    if frame.best < frame.beta:
        entry.upper = min(entry.upper, frame.best)


@rule
def turn_to_smallest(
    states: NDArray[np.void], words: NDArray[np.uint64], depth: int, spare: int
) -> None:
    """Replace a state by the image of it whose words are smallest."""
    states[spare] = states[depth]
    for symmetry in range(1, IMAGES):
        states[spare + 1] = states[spare]
        rules.transform(states[spare], symmetry, states[spare + 1])
        for i in range(WORDS):
            if words[spare + 1, i] != words[depth, i]:
                if words[spare + 1, i] < words[depth, i]:
                    states[depth] = states[spare + 1]
                break


@rule
def enter(
    table: NDArray[np.void],
    state: np.record,
    key: NDArray[np.uint64],
    frame: np.record,
    actions: NDArray[np.int32],
    history: NDArray[np.int64],
) -> bool:
    """Begin a node; True if the table settles it, with its value in `frame.best`."""
    frame.floor = frame.alpha
    frame.best = -WIN
    frame.best_action = -1
    frame.next = 0
    first = -1
    slot = find(table, key)
    if slot >= 0:
        entry = table[slot]
        first = entry.action
        if entry.lower >= frame.beta or entry.lower == entry.upper:
            frame.best = entry.lower
            return True
        if entry.upper <= frame.alpha:
            frame.best = entry.upper
            return True
    frame.count = rules.candidates(state, actions)
    if not rules.HAS_CANDIDATES:
        sort_by_history(actions, frame.count, history[state.to_play])
    if frame.alpha < WIN - 3:  # else it matters that a win at once comes first
        move_to_front(actions, frame.count, first)
    return False


@rule
def sort_by_history(
    actions: NDArray[np.int32], count: int, history: NDArray[np.int64]
) -> None:
    """Sort actions so that those that often cut come first."""
    for i in range(1, count):
        action = actions[i]
        j = i
        while j > 0 and history[actions[j - 1]] < history[action]:
            actions[j] = actions[j - 1]
            j -= 1
        actions[j] = action


@rule
def move_to_front(actions: NDArray[np.int32], count: int, action: int) -> None:
    """Put one action first, if it is there, and keep the order of the others."""
    for i in range(count):
        if actions[i] == action:
            for j in range(i, 0, -1):
                actions[j] = actions[j - 1]
            actions[0] = action
            break


@rule
def take(frame: np.record, value: int, action: int) -> None:
    """Count the value of one more action of a node."""
    if value > frame.best:
        frame.best = value
        frame.best_action = action
        frame.alpha = max(frame.alpha, value)


@rule
def play_next(
    parent: np.record, child: np.record, frame: np.record, action: int
) -> None:
    """Make the child state of the next action."""
    frame.next += 1
    rules.apply(child, action)
    frame.flips = child.to_play != parent.to_play


@rule
def narrow(frame: np.record, below: np.record) -> None:
    """Give the next child the window in which its value matters."""
    alpha, beta = down(frame.alpha, frame.flips), down(frame.beta, frame.flips)
    below.alpha, below.beta = (beta, alpha) if frame.flips else (alpha, beta)


@rule
def alpha_beta(stack: Stack, alpha: int, beta: int, max_nodes: int) -> int:
    """Return the value of `stack.states[0]`, or a bound outside (alpha, beta).

    Returns STOPPED at the limit of nodes or once `stack.stop[0]` is set, HAS_CHANCE if
    chance has a turn.
    """
    table, states, words = stack.table, stack.states, stack.words
    actions, history, frames = stack.actions, stack.history, stack.frames
    nodes = stack.nodes
    frames[0].alpha, frames[0].beta = alpha, beta
    depth = 0
    settled = enter(table, states[0], words[0], frames[0], actions[0], history)
    while True:
        if settled:
            if depth == 0:
                return int(frames[0].best)
            depth -= 1
            frame = frames[depth]
            value = up(frames[depth + 1].best, frame.flips)
        else:
            frame, state, child = frames[depth], states[depth], states[depth + 1]
            states[depth + 1] = state
            play_next(state, child, frame, actions[depth, frame.next])
            if child.to_play == CHANCE:
                return HAS_CHANCE
            if child.to_play != OVER:
                if rules.HAS_CANDIDATES and frame.next == 1 and frame.alpha >= WIN - 3:
                    # Nothing wins at once, or it would have come first.
                    frame.best, frame.next = WIN - 3, frame.count
                    settled = finish(table, words[depth], frame, nodes[0])
                    continue
                nodes[0] += 1
                if nodes[0] > max_nodes or stack.stop[0]:
                    return STOPPED
                depth += 1
                below = frames[depth]
                narrow(frame, below)
                below.entered = nodes[0]
                if IMAGES > 1 and depth <= SYMMETRY_PLIES:
                    turn_to_smallest(states, words, depth, len(states) - 2)
                settled = enter(
                    table, child, words[depth], below, actions[depth], history
                )
                continue
            sign = 1 - 2 * state.to_play
            value = up(int(rules.result(child)) * sign * WIN, False)
        action = actions[depth, frame.next - 1]
        take(frame, value, action)
        settled = finish(table, words[depth], frame, nodes[0])
        if settled and frame.best >= frame.beta:
            history[states[depth].to_play, action] += 1


@rule
def finish(
    table: NDArray[np.void], key: NDArray[np.uint64], frame: np.record, nodes: int
) -> bool:
    """Tell whether a node is finished, and keep what it taught."""
    done = frame.best >= frame.beta or frame.next == frame.count
    if done:
        store(table, key, frame, nodes - frame.entered)
    return bool(done)


@rule
def settle(stack: Stack, max_nodes: int) -> int:
    """Return who wins at `stack.states[0]`: 1, 0 or -1 for the player to move.

    UNSETTLED if that takes too long; half of the nodes are for whether it is won, half
    for whether it is lost. A move that keeps a win or a draw is `best_action` of the
    first frame. Nothing is known from before, so the answer depends on the state alone.
    """
    for slot in range(len(stack.table)):
        stack.table[slot].used = 0
    stack.history[:] = 0
    stack.nodes[0] = 0
    best = alpha_beta(stack, 0, 1, max_nodes // 2)
    if 0 < best < WIN:
        return 1
    stack.nodes[0] = 0
    worst = alpha_beta(stack, -1, 0, max_nodes // 2)
    if worst < 0:
        return -1
    return UNSETTLED if best > WIN or worst > WIN else 0
