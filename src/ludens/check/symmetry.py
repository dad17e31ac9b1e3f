"""Check that a symmetry leaves the game what it is."""

from typing import Any

import numpy as np

from ludens.check.probe import Probe
from ludens.game import OVER


def check_permutations(probe: Probe) -> None:
    """See that every symmetry moves the actions about without losing one."""
    everything = list(range(probe.game.num_actions))
    for symmetry in range(probe.game.plain.NUM_SYMMETRIES):
        images = [_image(probe, action, symmetry) for action in everything]
        if symmetry == 0 and images != everything:
            probe.fault("symmetry-zero", "transform_action changes actions")
        if sorted(images) != everything:
            probe.stop("symmetry-not-a-permutation", f"symmetry {symmetry}")


def check_symmetry(probe: Probe) -> None:
    """Look at this position through a random symmetry."""
    if probe.game.plain.NUM_SYMMETRIES == 1:
        return
    same = probe.unchanged("transform", probe.image, probe.array, 0)
    if same.tobytes() != probe.array.tobytes():
        probe.fault("symmetry-zero", "transform changes the state")
    symmetry = int(probe.rng.integers(1, probe.game.plain.NUM_SYMMETRIES))
    image = probe.unchanged("transform", probe.image, probe.array, symmetry)
    if image[0].to_play != probe.turn:
        probe.fault("symmetry-turn", f"symmetry {symmetry}")
    elif probe.turn >= 0:
        _check_player(probe, image, symmetry)
    elif probe.turn == OVER:
        _check_end(probe, image, symmetry)
    else:
        _check_chance(probe, image, symmetry)


def _image(probe: Probe, action: int, symmetry: int) -> int:
    return int(probe.call("transform_action", action, symmetry))


def _same_values(one: Any, two: Any) -> bool:
    return bool((np.sort(one, axis=None) == np.sort(two, axis=None)).all())


def _check_player(probe: Probe, image: Any, symmetry: int) -> None:
    """See that the same can be done, that it does the same, and that it looks alike."""
    seen = f"symmetry {symmetry}"
    expected = sorted(_image(probe, action, symmetry) for action in probe.legal)
    if sorted(probe.actions_of("legal", image)) != expected:
        probe.fault("symmetry-legal", seen)
        return
    after, reward = probe.after(probe.array, probe.step)
    other, same = probe.after(image, _image(probe, probe.step, symmetry))
    if probe.image(after, symmetry).tobytes() != other.tobytes() or reward != same:
        probe.fault("symmetry-apply", f"{seen}, action {probe.step}")
    if probe.has("heuristic"):
        here, there = (probe.call("heuristic", a[0]) for a in (probe.array, image))
        if not abs(here - there) < 1e-9:
            probe.fault("symmetry-heuristic", f"{seen}: {here} and {there}")
    looks = (probe.planes_of("observe", array) for array in (probe.array, image))
    if not _same_values(*looks):
        probe.fault("symmetry-observe", seen)


def _check_chance(probe: Probe, image: Any, symmetry: int) -> None:
    """See that chance is as it was; outcomes may be numbered otherwise."""
    chances = (probe.probabilities_of(array) for array in (probe.array, image))
    one, two = (sorted(given) for given in chances)
    if len(one) != len(two) or not np.allclose(one, two, atol=1e-9):
        probe.fault("symmetry-chance", f"symmetry {symmetry}")


def _check_end(probe: Probe, image: Any, symmetry: int) -> None:
    """See that the game has ended in the same way."""
    results = [probe.call("result", array[0]) for array in (probe.array, image)]
    if results[0] != results[1]:
        probe.fault("symmetry-result", f"symmetry {symmetry}")
    targets = (probe.planes_of("targets", array) for array in (probe.array, image))
    if not _same_values(*targets):
        probe.fault("symmetry-targets", f"symmetry {symmetry}")
