"""Wins by force: moves that the opponent must answer, until he cannot.

A part of the kernels: the solver's own, and that of the search. Whoever is to move, the
attacker, plays nothing but what `forcing` gives; the opponent plays all his `answers`,
one of which does not lose if any move does not. So a win that is found is one. What is
not found may still be won.

Each round allows one move more. So a win takes the fewest moves, and the table keeps
within how many there is none. Where there is no such win, the attacker may be let play
what `pressing` gives, too.
"""

import numpy as np
from numpy.typing import NDArray

from ludens.game import OVER, rule
from ludens.loading.complete import kernel_rules
from ludens.loading.hashing import copy_words, same_words, slot_of
from ludens.solver.stack import ForceStack

rules = kernel_rules()

WORDS = rules.STATE.itemsize // 8
OPEN, WON, UNWON, STOPPED = range(4)
ANY = 32767  # more moves than there are: nothing was cut off

FORCE_FRAME_FIELDS = [
    ("next", "i4"),
    ("count", "i4"),
    ("left", "i4"),  # moves that the attacker may still play
    ("is_cut", "i4"),  # whether more of them might win
]
FORCE_ENTRY_FIELDS = [
    ("key", np.uint64, WORDS),
    ("asked", "i8"),  # the number of the question that it was found out for
    ("within", "i8"),  # so many moves do not win
]
FORCE_FRAME = np.dtype((np.record, np.dtype(FORCE_FRAME_FIELDS, align=True)))
FORCE_ENTRY = np.dtype((np.record, np.dtype(FORCE_ENTRY_FIELDS, align=True)))


@rule
def win_by_force(stack: ForceStack, max_nodes: int, max_pressing: int) -> int:
    """Tell whether the player to move at `stack.states[0]` wins by force.

    WON: with `stack.actions[0, stack.frames[0].next - 1]`, in `frames[0].left` moves;
    UNWON: no such moves are left to try; STOPPED: by the limit of nodes, first for
    forcing moves alone, then with pressing ones, or because `stack.stop[0]` was set.
    Nothing is known from before, so the answer depends on the position alone.
    """
    stack.counts[2] = 0
    verdict = win_by_moves(stack, max_nodes)
    if not rules.HAS_PRESSING or max_pressing == 0 or verdict == WON or stack.stop[0]:
        return verdict
    num_nodes = stack.counts[0]
    stack.counts[2] = 1
    verdict = win_by_moves(stack, max_pressing)
    stack.counts[0] += num_nodes
    return verdict


@rule
def win_by_moves(stack: ForceStack, max_nodes: int) -> int:
    """Do as `win_by_force` with one kind of moves."""
    stack.counts[0] = 0
    stack.counts[1] += 1
    for moves in range(1, len(stack.frames) // 2):
        verdict = win_within(stack, moves, max_nodes)
        if verdict != UNWON or stack.frames[0].is_cut == 0:
            return verdict
    return UNWON


@rule
def win_within(stack: ForceStack, moves: int, max_nodes: int) -> int:
    """Do as `win_by_force` with at most so many moves."""
    attacker, depth = stack.states[0].to_play, 0
    verdict = enter(stack, 0, attacker, moves)
    while True:
        frame = stack.frames[depth]
        is_attacker = stack.states[depth].to_play == attacker
        if verdict == OPEN and frame.next < frame.count:
            if stack.counts[0] > max_nodes or stack.stop[0]:
                return STOPPED
            stack.states[depth + 1] = stack.states[depth]
            rules.apply(stack.states[depth + 1], stack.actions[depth, frame.next])
            frame.next += 1
            depth += 1
            verdict = enter(stack, depth, attacker, frame.left - int(is_attacker))
            continue
        if verdict == OPEN:
            verdict = UNWON if is_attacker else WON
            if is_attacker and frame.count > 0:
                keep(stack.table, stack.words[depth], frame, stack.counts[1])
        if depth == 0:
            return verdict
        depth -= 1
        verdict = weigh(stack, depth, attacker, verdict)


@rule
def enter(stack: ForceStack, depth: int, attacker: int, moves: int) -> int:
    """Begin a position; OPEN if its actions are to be tried."""
    state, frame = stack.states[depth], stack.frames[depth]
    frame.next, frame.count, frame.left, frame.is_cut = 0, 0, moves, 0
    if state.to_play == OVER:
        return WON if (1 - 2 * attacker) * rules.result(state) > 0 else UNWON
    if state.to_play < 0:
        return UNWON
    if moves == 0:
        frame.is_cut = 1
        return UNWON
    if state.to_play != attacker:
        frame.count = rules.answers(state, stack.actions[depth])
        return OPEN if frame.count > 0 else UNWON
    stack.counts[0] += 1
    if depth > 0:
        entry = stack.table[slot_of(stack.words[depth], len(stack.table))]
        is_known = entry.asked == stack.counts[1] and entry.within >= moves
        if is_known and same_words(entry.key, stack.words[depth]):
            frame.is_cut = int(entry.within < ANY)
            return UNWON
    frame.count = rules.forcing(state, stack.actions[depth])
    if rules.HAS_PRESSING and stack.counts[2] != 0:
        press(stack, depth, moves)
    if moves == 1:
        frame.count = min(frame.count, 1)  # one that wins comes first
    return OPEN


@rule
def press(stack: ForceStack, depth: int, moves: int) -> None:
    """Add the moves that press, if there are enough left for two that force."""
    frame = stack.frames[depth]
    if moves > 2:
        free = stack.actions[depth, frame.count :]
        frame.count += rules.pressing(stack.states[depth], free)
    else:
        frame.is_cut = 1


@rule
def keep(
    table: NDArray[np.void], key: NDArray[np.uint64], frame: np.record, asked: int
) -> None:
    """Keep that a position is not won."""
    entry = table[slot_of(key, len(table))]
    copy_words(key, entry.key)
    entry.asked = asked
    entry.within = frame.left if frame.is_cut != 0 else ANY


@rule
def weigh(stack: ForceStack, depth: int, attacker: int, verdict: int) -> int:
    """Return what one more action means for a position, OPEN if others may differ."""
    frame = stack.frames[depth]
    if verdict == UNWON:
        frame.is_cut |= stack.frames[depth + 1].is_cut
    is_decided = (verdict == WON) == (stack.states[depth].to_play == attacker)
    return verdict if is_decided else OPEN
