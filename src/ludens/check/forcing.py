"""Check that what is said to force the opponent does."""

from collections.abc import Sequence
from typing import Any

from ludens.check.probe import Probe
from ludens.check.turns import wins
from ludens.game import OVER


def check_forcing(probe: Probe) -> None:
    """See that the opponent must answer one of the actions that are said to force."""
    if not probe.has("forcing"):
        return
    if probe.game.num_players == 1:
        probe.fault("forcing-single-player")
        return
    forcing, are_legal = _actions(probe, "forcing", [])
    if probe.has("pressing"):
        _actions(probe, "pressing", forcing)
    if probe.has("answers") and not _actions(probe, "answers", [])[0]:
        probe.fault("answers-empty")
    if not are_legal:
        return
    if wins(probe, probe.array, probe.step) and not any(
        wins(probe, probe.array, action) for action in forcing[:1]
    ):
        probe.fault("forcing-win", f"action {probe.step} wins")
    elif forcing:
        action = forcing[int(probe.rng.integers(len(forcing)))]
        if _lets_go(probe, action):
            probe.fault("forcing-lets-go", f"after action {action}")


def _actions(probe: Probe, name: str, known: Sequence[int]) -> tuple[list[int], bool]:
    """Return the actions of a rule, and whether all are legal; none may be known."""
    actions = probe.unchanged(name, probe.actions_of, name, probe.array)
    if len({*actions, *known}) < len(actions) + len(known):
        probe.fault(f"{name}-repeats")
    strange = sorted(set(actions) - set(probe.legal))
    if strange:
        probe.fault(f"{name}-not-legal", f"it gives {strange[:20]}")
    return actions, not strange


def _lets_go(probe: Probe, action: int) -> bool:
    """Tell whether each of three answers keeps a player from winning next."""
    after, _ = probe.after(probe.array, action)
    if int(after[0].to_play) == OVER:
        return not wins(probe, probe.array, action)
    answers = probe.actions_of("legal", after)
    tried = probe.rng.permutation(answers)[:3]
    return len(tried) == 3 and not any(
        _wins_next(probe, *probe.after(after, int(answer))) for answer in tried
    )


def _wins_next(probe: Probe, array: Any, _reward: Any) -> bool:
    """Tell whether the player of this position, who is to move again, can win now."""
    if int(array[0].to_play) != probe.turn:
        return False
    actions = probe.actions_of("legal", array)
    return any(wins(probe, array, action) for action in actions)
