"""Check the sizes and names at the top of a game file."""

from typing import Any

import numpy as np

from ludens.check.report import Notes, one_line
from ludens.formats.rulebook import read_rules
from ludens.loading import complete
from ludens.loading.game import Game

_LOW = {
    "NUM_ACTIONS": 1,
    "MAX_PLIES": 0,
    "MAX_OUTCOMES": 0,
    "NUM_SYMMETRIES": 1,
}
_OPTIONAL = (
    ("MAX_OUTCOMES", 0, "chance-missing", ("chance", "apply_chance")),
    ("NUM_SYMMETRIES", 1, "symmetry-missing", ("transform", "transform_action")),
    ("TARGETS", (), "targets-missing", ("targets",)),
    ("NUM_PLAYERS", 1, "result-missing", ("result",)),
)


def check_constants(game: Game, notes: Notes) -> None:
    """Check all constants; without right sizes there is no playing."""
    for check in (
        _sizes, _shape, _planes, _bounds, _targets, _num_players, _fields, _optional,
        _training,
    ):  # fmt: skip
        check(game.plain, notes)
    notes.is_broken = bool(notes.findings)


def check_words(game: Game, notes: Notes) -> None:
    """See that people are told the rules; boards are drawn if all else is right."""
    rules = game.plain.RULES
    if not isinstance(rules, str) or (game.defines("RULES") and not rules.strip()):
        notes.add("rules", f"it is {rules!r}"[:80])
    elif not rules:
        notes.add("rules-missing")
    elif not notes.findings:
        try:
            read_rules(game)
        except Exception as error:
            notes.add("rules", one_line(error))


def _is_count(value: object, low: int) -> bool:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and value >= low  # type: ignore[operator]  # whole: it is a number


def _sizes(rules: Any, notes: Notes) -> None:
    for name, low in _LOW.items():
        value = getattr(rules, name)
        if not _is_count(value, low):
            notes.add(name.lower().replace("_", "-"), f"it is {value!r}")


def _shape(rules: Any, notes: Notes) -> None:
    shape = rules.SHAPE
    pair = isinstance(shape, tuple) and len(shape) == 2
    if not pair or not all(_is_count(side, 1) for side in shape):
        notes.add("shape", f"it is {shape!r}")


def _are_names(names: object) -> bool:
    return isinstance(names, tuple) and all(isinstance(n, str) and n for n in names)


def _planes(rules: Any, notes: Notes) -> None:
    if not _are_names(rules.PLANES) or not rules.PLANES:
        notes.add("planes", f"it is {rules.PLANES!r}")
    elif len(set(rules.PLANES)) < len(rules.PLANES):
        notes.add("planes-not-unique")


def _bounds(rules: Any, notes: Notes) -> None:
    bounds = rules.BOUNDS
    pair = isinstance(bounds, tuple) and len(bounds) == 2
    numbers = pair and all(isinstance(bound, (int, float)) for bound in bounds)
    if not numbers or not -np.inf < bounds[0] < bounds[1] < np.inf:
        notes.add("bounds", f"it is {bounds!r}")


def _training(rules: Any, notes: Notes) -> None:
    if not _are_settings(rules.TRAINING):
        notes.add("training", f"it is {rules.TRAINING!r}"[:80])


def _are_settings(sections: object) -> bool:
    """Whether it is {section: {setting: value}}."""
    return isinstance(sections, dict) and all(
        isinstance(section, str)
        and isinstance(settings, dict)
        and all(isinstance(value, (int, float, str)) for value in settings.values())
        for section, settings in sections.items()
    )


def _targets(rules: Any, notes: Notes) -> None:
    if not _are_names(rules.TARGETS):
        notes.add("targets", f"it is {rules.TARGETS!r}")
    elif len(set(rules.TARGETS)) < len(rules.TARGETS):
        notes.add("targets-not-unique")


def _num_players(rules: Any, notes: Notes) -> None:
    if not _is_count(rules.NUM_PLAYERS, 1) or rules.NUM_PLAYERS > 2:
        notes.add("num-players", f"it is {rules.NUM_PLAYERS!r}")


def _fields(rules: Any, notes: Notes) -> None:
    for name in rules.STATE.names:
        if rules.STATE[name].base.kind not in "biuf":
            notes.add("state-field", f"{name} is {rules.STATE[name]}")
    if rules.STATE["to_play"].kind != "i":
        notes.add("to-play-field", f"it is {rules.STATE['to_play']}")


def _optional(rules: Any, notes: Notes) -> None:
    """Find constants that promise a rule which is not there."""
    for constant, default, code, needed in _OPTIONAL:
        missing = [n for n in needed if getattr(rules, n) is getattr(complete, n)]
        if getattr(rules, constant) != default and missing:
            notes.add(code, f"missing: {', '.join(missing)}")


def constants_of(game: Game) -> dict[str, str | bytes]:
    """Return the module constants of a game in a form that shows every change."""
    kept: dict[str, str | bytes] = {}
    for name, value in vars(game.plain).items():
        if isinstance(value, np.ndarray):
            kept[name] = value.tobytes()
        elif isinstance(value, (int, float, str, tuple, list, dict, set)):
            kept[name] = repr(value)
    return kept
