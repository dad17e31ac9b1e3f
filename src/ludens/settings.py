"""Settings: frozen dataclasses whose every field has a default and one line of help."""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, TypeVar

from ludens.errors import UserError, nearest
from ludens.loading.options import Option, OptionValue

LARGEST = 1e9
Settings = TypeVar("Settings")


def setting(
    default: Any,
    help: str,
    low: float = 0,
    high: float = LARGEST,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare a setting: its default, one line of help, and what it may be."""
    facts = {"help": help, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=facts)


def options_of(kind: Any) -> dict[str, Option]:
    """Return each setting with its default, help and allowed values."""
    return {
        f.name: Option(
            f.name,
            f.default,  # type: ignore[arg-type]
            f.metadata["help"],
            f.metadata["low"],
            f.metadata["high"],
            f.metadata["choices"],
        )
        for f in fields(kind)
    }


def verify(settings: Any) -> None:
    """Refuse a setting of the wrong type or out of its range."""
    for name, option in options_of(settings).items():
        given = getattr(settings, name)
        if option.read(given) != given:
            raise UserError(f"{name} cannot be {given!r}")


def read_settings(
    kind: type[Settings], given: Mapping[str, OptionValue], whose: str, **defaults: Any
) -> Settings:
    """Return settings from text such as {"sims": "1000"}, or say what is wrong."""
    known = options_of(kind)
    chosen = dict(defaults)
    for name, value in given.items():
        if name not in known:
            raise UserError(f"{whose} has no setting {name!r}{nearest(name, known)}")
        chosen[name] = known[name].read(value)
    return kind(**chosen)
