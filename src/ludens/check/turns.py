"""Check the rules at one position: what is legal, what happens, how it looks."""

from hashlib import blake2b
from typing import Any

import numpy as np

from ludens.check.kernel import HUGE, SLACK
from ludens.check.probe import Probe
from ludens.game import CHANCE, OVER, Planes

_MEMORY_LIMIT = 20_000


def check_start(probe: Probe) -> None:
    """Begin the game; it must begin the same way each time."""
    other = probe.game.states(1)
    probe.call("start", other[0])
    probe.call("start", probe.record)
    if other.tobytes() != probe.array.tobytes():
        probe.fault("start-not-deterministic")
    if probe.turn == OVER:
        probe.stop("start-is-over")


def check_turn(probe: Probe) -> None:
    """See that it is somebody's turn."""
    if not (0 <= probe.turn < probe.game.num_players or probe.turn in (CHANCE, OVER)):
        probe.stop("to-play-out-of-range", f"it is {probe.turn}")


def check_legal(probe: Probe) -> None:
    """Read the legal actions and choose the one that is played next."""
    legal = probe.unchanged("legal", probe.actions_of, "legal", probe.array)
    if not legal:
        probe.stop("legal-empty")
    if min(legal) < 0 or max(legal) >= probe.game.num_actions:
        probe.stop("legal-out-of-range", f"it gives {legal[:20]}")
    if len(set(legal)) < len(legal):
        probe.fault("legal-repeats", f"it gives {legal[:20]}")
    elif sorted(legal) != legal:
        probe.fault("legal-not-ascending", f"it gives {legal[:20]}")
    probe.legal = legal
    probe.step = legal[probe.rng.integers(len(legal))]


def check_legal_again(probe: Probe) -> None:
    """Ask again, now and whenever the same position is reached another way."""
    known = probe.memory.legal.get(probe.array.tobytes())
    again = probe.actions_of("legal", probe.array)
    if again != probe.legal or known not in (None, again):
        probe.fault("legal-not-deterministic")
    if len(probe.memory.legal) < _MEMORY_LIMIT:
        probe.memory.legal[probe.array.tobytes()] = again


def check_candidates(probe: Probe) -> None:
    """See that what is worth solving is legal."""
    if not probe.has("candidates"):
        return
    name = "candidates"
    candidates = probe.unchanged(name, probe.actions_of, name, probe.array)
    if not candidates:
        probe.fault("candidates-empty")
        return
    if len(set(candidates)) < len(candidates):
        probe.fault("candidates-repeats")
    strange = sorted(set(candidates) - set(probe.legal))
    if strange:
        probe.fault("candidates-not-legal", f"it gives {strange[:20]}")
    elif wins(probe, probe.array, probe.step) and not wins(
        probe, probe.array, candidates[0]
    ):
        probe.fault("candidates-win", f"action {probe.step} wins")
    after, _ = probe.after(probe.array, probe.step)
    moves_twice = probe.game.num_players == 2 and after[0].to_play == probe.turn
    if moves_twice and len(candidates) < len(probe.legal):
        probe.fault("candidates-turns", f"after action {probe.step}")


def check_likely(probe: Probe) -> None:
    """See that what rollouts choose from is legal, whatever came before."""
    if not probe.has("likely"):
        return
    known = [] if probe.game.plain.MAX_OUTCOMES else probe.history
    for before, last in ((-1, -1), (-1, -1, *known)[-2:]):
        given = (probe.array, before, last)
        likely = probe.unchanged("likely", probe.actions_of, "likely", *given)
        strange = sorted(set(likely) - set(probe.legal))
        if strange:
            probe.fault("likely-not-legal", f"it gives {strange[:20]}")


def wins(probe: Probe, array: Any, action: int) -> bool:
    """Tell whether an action wins at once."""
    return probe.game.num_players == 2 and fate(probe, array, action) == (True, 1)


def check_heuristic(probe: Probe) -> None:
    """See that the guess is one: in range, and the same each time."""
    if not probe.has("heuristic"):
        return
    if probe.game.num_players == 1:
        probe.fault("heuristic-single-player")
    guess = probe.ask("heuristic")
    if not isinstance(guess, (int, float, np.number)) or not -1 <= guess <= 1:
        probe.fault("heuristic-out-of-range", f"it is {guess!r}")
    elif probe.call("heuristic", probe.record) != guess:
        probe.fault("heuristic-not-deterministic")


def check_foul(probe: Probe) -> None:
    """Try one action that is legal and one that is not."""
    for action in (probe.step, int(probe.rng.integers(probe.game.num_actions))):
        twin, mover = probe.twin(), probe.turn
        is_foul = bool(probe.call("foul", twin[0], action))
        if is_foul and action in probe.legal:
            probe.fault("foul-accepts-legal", f"action {action}")
        elif not is_foul and twin.tobytes() != probe.array.tobytes():
            probe.fault("foul-changes-state", f"action {action}")
        elif is_foul and not _is_lost(probe, twin, mover):
            probe.fault("foul-not-lost", f"action {action}")


def _is_lost(probe: Probe, array: Any, mover: int) -> bool:
    over = int(array[0].to_play) == OVER
    return over and probe.call("result", array[0]) == (1 if mover == 1 else -1)


def check_apply(probe: Probe) -> None:
    """Play the next action on two copies."""
    (one, reward), (two, again) = (
        probe.after(probe.array, probe.step) for _ in range(2)
    )
    if one.tobytes() == probe.array.tobytes():
        probe.stop("apply-changes-nothing", f"action {probe.step}")
    _check_reward(probe, "apply", reward)
    if one.tobytes() != two.tobytes() or reward != again:
        probe.fault("apply-not-deterministic", f"action {probe.step}")


def _check_reward(probe: Probe, name: str, reward: Any) -> None:
    """See that one player gets a number, and two get nothing."""
    if probe.game.num_players == 2:
        if reward is not None:
            probe.stop("reward-of-two", f"{name} returned {reward!r}")
    elif not isinstance(reward, (int, float, np.number)):
        probe.stop("reward-missing", f"{name} returned {reward!r}")
    elif not np.isfinite(reward):
        probe.stop("reward-not-finite", f"{name} returned {reward!r}")


def check_observe(probe: Probe) -> None:
    """See that the planes are sane."""
    planes = probe.unchanged("observe", probe.planes_of, "observe", probe.array)
    if planes.tobytes() != probe.planes_of("observe", probe.array).tobytes():
        probe.fault("observe-not-deterministic")
    if not np.isfinite(planes).all():
        probe.fault("observe-not-finite", _plane_of(probe, ~np.isfinite(planes)))
    elif np.abs(planes).max() > HUGE:
        probe.fault("observe-huge", _plane_of(probe, np.abs(planes) > HUGE))
    else:
        _check_bounds(probe, planes)


def _check_bounds(probe: Probe, planes: Planes) -> None:
    low, high = probe.game.plain.BOUNDS
    outside = (planes < low - SLACK) | (planes > high + SLACK)
    if outside.any():
        worst = planes[outside][0]
        where = f"{_plane_of(probe, outside)}: {worst:g}"
        probe.fault("observe-out-of-bounds", where)


def check_observe_tells(probe: Probe) -> None:
    """Compare with an earlier position that looked the same."""
    planes = probe.planes_of("observe", probe.array)
    key = blake2b(planes.tobytes(), digest_size=16).digest()
    other = probe.memory.looks.get(key)
    if other is None and len(probe.memory.looks) < _MEMORY_LIMIT:
        probe.memory.looks[key] = probe.array.tobytes()
    elif other is not None and other != probe.array.tobytes():
        _compare_twins(probe, np.frombuffer(bytearray(other), probe.array.dtype))


def _plane_of(probe: Probe, bad: Any) -> str:
    names = probe.game.plain.PLANES
    return f"in plane {names[int(np.argwhere(bad)[0][0])]!r}"


def _compare_twins(probe: Probe, other: Any) -> None:
    """See that two states that look alike are alike for who must choose."""
    if probe.actions_of("legal", other) != probe.legal:
        probe.fault("observe-hides", "they have different legal actions")
        return
    for action in probe.legal:
        if fate(probe, other, action) != fate(probe, probe.array, action):
            what = f"action {action} gives them different rewards or results"
            probe.fault("observe-hides", what)
            return


def fate(probe: Probe, array: Any, action: int) -> tuple[Any, ...]:
    """Return what an action brings to who plays it: whether it ends, and how."""
    mover = int(array[0].to_play)
    after, reward = probe.after(array, action)
    over = int(after[0].to_play) == OVER
    if not over or probe.game.num_players == 1:
        return (over, reward)
    return (over, (1 - 2 * mover) * probe.call("result", after[0]))


def check_chance(probe: Probe) -> None:
    """Read the probabilities and draw the outcome that comes next."""
    chances = probe.unchanged("chance", probe.probabilities_of, probe.array)
    if not chances:
        probe.stop("chance-empty")
    if not all(0 <= chance <= 1 for chance in chances):
        probe.stop("chance-not-probability", f"it gives {chances[:20]}")
    if abs(sum(chances) - 1) > 1e-9:
        probe.stop("chance-sum", f"they add up to {sum(chances):.9g}")
    weights = np.array(chances) / sum(chances)
    probe.step = int(probe.rng.choice(len(chances), p=weights))


def check_apply_chance(probe: Probe) -> None:
    """Let chance have its turn on two copies."""
    one, two = probe.twin(), probe.twin()
    reward = probe.call("apply_chance", one[0], probe.step)
    again = probe.call("apply_chance", two[0], probe.step)
    _check_reward(probe, "apply_chance", reward)
    if one.tobytes() == probe.array.tobytes():
        probe.stop("apply-chance-changes-nothing", f"outcome {probe.step}")
    if one.tobytes() != two.tobytes() or reward != again:
        probe.fault("apply-chance-not-deterministic", f"outcome {probe.step}")


def check_result(probe: Probe) -> None:
    """See that somebody has won or nobody."""
    if probe.game.num_players == 1:
        return
    result = probe.ask("result")
    if not isinstance(result, (int, float, np.number)) or result not in (-1, 0, 1):
        probe.fault("result-not-a-result", f"it is {result!r}")


def check_targets(probe: Probe) -> None:
    """See that the auxiliary planes are in range."""
    planes = probe.unchanged("targets", probe.planes_of, "targets", probe.array)
    if not (np.abs(planes) <= 1).all():  # not a number is out of range too
        probe.fault("targets-out-of-range")


PLAYER_CHECKS = (
    check_legal,
    check_legal_again,
    check_candidates,
    check_likely,
    check_heuristic,
    check_foul,
    check_apply,
    check_observe,
    check_observe_tells,
)
CHANCE_CHECKS = (check_chance, check_apply_chance)
END_CHECKS = (check_result, check_targets)
