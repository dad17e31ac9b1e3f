"""Check that the compiled rules do what the plain ones do, byte for byte."""

from typing import Any

import numpy as np

from ludens.check.probe import Probe, copy_of, roomy
from ludens.game import Planes


def check_player(probe: Probe) -> None:
    """Compare what a player meets."""
    actions = roomy(probe.game.num_actions, np.int32, -1)
    anything = int(probe.rng.integers(probe.game.num_actions))
    _compare(probe, "legal", actions)
    _compare(probe, "candidates", actions)
    if probe.has("likely"):
        _compare(probe, "likely", -1, -1, actions)
    for name in ("forcing", "pressing", "answers"):
        if probe.has(name):
            _compare(probe, name, actions)
    if probe.has("heuristic"):
        _compare(probe, "heuristic")
    _compare(probe, "observe", _planes(probe, probe.game.plain.PLANES))
    _compare(probe, "apply", probe.step)
    if anything not in probe.legal:
        _compare(probe, "foul", anything)
    _compare_symmetry(probe)


def check_chance(probe: Probe) -> None:
    """Compare what chance does."""
    size = probe.game.plain.MAX_OUTCOMES
    _compare(probe, "chance", roomy(size, np.float64, np.nan))
    _compare(probe, "apply_chance", probe.step)


def check_end(probe: Probe) -> None:
    """Compare how the game ends."""
    _compare(probe, "result")
    _compare(probe, "targets", _planes(probe, probe.game.plain.TARGETS))


def _planes(probe: Probe, names: tuple[str, ...]) -> Planes:
    return np.zeros((len(names), *probe.game.plain.SHAPE), np.float32)


def _compare_symmetry(probe: Probe) -> None:
    symmetry = int(probe.rng.integers(probe.game.plain.NUM_SYMMETRIES))
    _compare(probe, "transform", symmetry, probe.array)
    plain, compiled = (
        probe.guarded("transform_action", rules.transform_action, probe.step, symmetry)
        for rules in (probe.game.plain, probe.game.rules)
    )
    if int(plain) != int(compiled):
        probe.fault("transform-action-compiled-differs")


def _compare(probe: Probe, name: str, *arguments: Any) -> None:
    """Run a rule both ways on copies of all it can touch."""
    plain, compiled = (
        _run(probe, rules, name, arguments)
        for rules in (probe.game.plain, probe.game.rules)
    )
    if plain != compiled:
        what = f"compiled and as plain Python, {name} does different things"
        probe.fault(f"{name.replace('_', '-')}-compiled-differs", what)


def _run(probe: Probe, rules: Any, name: str, given: tuple[Any, ...]) -> list[Any]:
    """Return all that a rule did: its answer and the bytes it may have written."""
    state = probe.twin()
    copies = [_copy(argument) for argument in given]
    arguments = [c[0] if _is_state(c) else c for c in copies]
    label = name if rules is probe.game.plain else f"compiled {name}"
    answer = probe.guarded(label, getattr(rules, name), state[0], *arguments)
    arrays = [copy.tobytes() for copy in copies if isinstance(copy, np.ndarray)]
    return [None if answer is None else repr(float(answer)), state.tobytes(), *arrays]


def _copy(value: Any) -> Any:
    if _is_state(value):
        return copy_of(value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _is_state(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.names is not None
