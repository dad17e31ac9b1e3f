"""Check what people see and type: names, choices, drawings."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ludens.check.probe import Probe
from ludens.game import ROLES, Shape
from ludens.state import State

_NONSENSE = ("", "xyzzy", "-1", "99999", "a b c", "é")
_KINDS = ("polygon", "disc", "text")


def check_names(probe: Probe) -> None:
    """See that every action, legal or not, has a word of its own."""
    names: dict[str, int] = {}
    for action in range(probe.game.num_actions):
        name = probe.ask("action_name", action)
        if not _is_word(name):
            probe.fault("name-not-a-word", f"action {action} is named {name!r}")
            return
        other = names.setdefault(name.lower(), action)  # as people type
        if other != action:
            both = f"{other} and {action} are both named {name!r}"
            probe.fault("name-not-unique", both)
            return


def _is_word(text: object) -> bool:
    return isinstance(text, str) and len(text.split()) == 1 and text == text.strip()


def check_nonsense(probe: Probe) -> None:
    """See that words which mean nothing are refused, not stumbled over."""
    for words in _NONSENSE if probe.has("read_action") else ():
        action = probe.ask("read_action", words)
        if action is not None and not _is_action(probe, action):
            probe.fault("read-action", f"{words!r} gives {action!r}")
    for name in ("setup", "edit"):
        if probe.has(name):
            _refuse_nonsense(probe, name)


def _is_action(probe: Probe, action: Any) -> bool:
    whole = isinstance(action, (int, np.integer))
    return whole and 0 <= action < probe.game.num_actions


def _refuse_nonsense(probe: Probe, name: str) -> None:
    function: Callable[..., Any] = getattr(probe.game.plain, name)
    for words in _NONSENSE:
        twin = probe.twin()
        arguments = (words,) if name == "setup" else (twin[0], words.split())
        try:
            function(*arguments)
        except (ValueError, IndexError):
            continue
        except Exception as error:
            probe.fault(name, f"{words!r} raises {type(error).__name__}: {error}")


def check_choices(probe: Probe) -> None:
    """See that clicks on the scene can make every legal action, each in its own way."""
    scene = probe.call("scene", probe.record)
    offered = {getattr(shape, "choice", "") for shape in scene}
    made: dict[tuple[str, ...], int] = {}
    for action in probe.legal:
        choices = _choices(probe, action)
        if not isinstance(choices, tuple) or not choices or not all(choices):
            probe.fault("choices", f"action {action} gives {choices!r}")
            return
        if made.setdefault(choices, action) != action:
            both = f"{made[choices]} and {action} by {choices}"
            probe.fault("choices-not-unique", both)
        missing = [choice for choice in choices if choice not in offered]
        if missing:
            probe.fault("choices-not-in-scene", f"action {action} needs {missing[0]!r}")


def _choices(probe: Probe, action: int) -> Any:
    if probe.has("choices"):
        return probe.ask("choices", action)
    return (probe.ask("action_name", action),)


def check_why_illegal(probe: Probe) -> None:
    """See that an illegal action can be explained."""
    actions = range(probe.game.num_actions)
    illegal = next((a for a in actions if a not in probe.legal), None)
    if illegal is not None and probe.has("why_illegal"):
        words = probe.ask("why_illegal", illegal)
        if not isinstance(words, str) or not words.strip():
            probe.fault("why-illegal", f"action {illegal} gives {words!r}"[:80])


def check_outcome_name(probe: Probe) -> None:
    """See that chance can be told in words."""
    if probe.has("outcome_name"):
        name = probe.ask("outcome_name", probe.step)
        if not isinstance(name, str) or not name.strip():
            probe.fault("outcome-name", f"outcome {probe.step} gives {name!r}")


def check_draw(probe: Probe) -> None:
    """See that there is a drawing."""
    drawing = probe.ask("draw")
    if not isinstance(drawing, str) or not drawing.strip():
        probe.fault("draw", f"it returned {drawing!r}"[:80])


def check_scene(probe: Probe) -> None:
    """See that the scene can be drawn."""
    shapes = probe.ask("scene")
    if not isinstance(shapes, list) or not all(isinstance(s, Shape) for s in shapes):
        probe.stop("scene", f"it returned {shapes!r}"[:80])
    for shape in shapes:
        if shape.kind not in _KINDS:
            probe.fault("scene-kind", f"it is {shape.kind!r}")
        elif shape.role not in ROLES:
            probe.fault("scene-role", f"it is {shape.role!r}")
        elif not _can_be_placed(shape):
            probe.fault("scene-points", f"{shape.role}: {shape.points}")
        if not -1 <= shape.owner < probe.game.num_players:
            probe.fault("scene-owner", f"{shape.role}: {shape.owner}")


def _can_be_placed(shape: Shape) -> bool:
    enough = (
        len(shape.points) >= 3 if shape.kind == "polygon" else len(shape.points) == 1
    )
    numbers = [number for point in shape.points for number in point]
    pairs = all(len(point) == 2 for point in shape.points)
    return enough and pairs and bool(np.isfinite([*numbers, shape.size]).all())


def check_reason(probe: Probe) -> None:
    """See that the end can be explained."""
    if probe.has("reason"):
        words = probe.ask("reason")
        if not isinstance(words, str) or not words.strip():
            probe.fault("reason", f"it returned {words!r}"[:80])


def check_replay(probe: Probe) -> None:
    """Play the game again as people do, in notation."""
    state = probe.guarded("replay", _replay, probe)
    if state.raw.tobytes() != probe.record.tobytes():
        probe.fault("not-deterministic")


def _replay(probe: Probe) -> State:
    state = State(probe.game)
    for step in probe.history:
        if state.is_chance:
            state.apply_chance(step)
            continue
        name = state.action_name(step)
        read = state.read_action(name)
        if read != step:
            probe.stop("name-not-read", f"{name!r} of {step} is read as {read}")
        state.apply(read)
    return state


ANY_CHECKS = (check_draw, check_scene)
PLAYER_CHECKS = (
    check_names,
    check_nonsense,
    *ANY_CHECKS,
    check_choices,
    check_why_illegal,
)
CHANCE_CHECKS = (*ANY_CHECKS, check_outcome_name)
END_CHECKS = (*ANY_CHECKS, check_reason, check_replay)
