"""No edit of a game leaves its old compiled rules in use."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults import stale
from faults.edits import EDITS, Edit
from ludens import UserError, load_game
from ludens.loading.reached import Follower, fingerprint

BY_NAME = {edit.name: edit for edit in EDITS}
IN_ONE_PROCESS = [name for name, edit in BY_NAME.items() if not edit.is_lasting]


def is_told(edit: Edit, folder: Path) -> bool:
    """Tell whether an edit leads to another name, and the way back to the old one."""
    names = [stale.kept_under(edit, number, folder) for number in (3, 5, 3)]
    if edit.is_refused:
        return set(names) == {""}
    return names[0] == names[2] != names[1] and "" not in names


@pytest.mark.parametrize("name", IN_ONE_PROCESS)
def test_every_edit_leads_to_another_name(tmp_path: Path, name: str) -> None:
    assert is_told(BY_NAME[name], tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "an enum",
        "an int enum",
        "compiled code that calls compiled code",
        "a constant that compiled code of a module imports",
        "a data file of a module",
        "a submodule",
    ],
)
def test_the_new_rules_answer(tmp_path: Path, name: str) -> None:
    for number in stale.NUMBERS:
        with stale.edited(BY_NAME[name], number, tmp_path) as game:
            assert game is not None
            assert len(game.new(0).legal_actions()) == number


def test_the_campaign_asks_new_processes(tmp_path: Path) -> None:
    edit = BY_NAME["something built in"]
    answers = [stale.ask(edit, n, tmp_path, tmp_path / "cache") for n in stale.NUMBERS]
    assert answers == ["3", "5"]


def test_code_that_numba_keeps_itself_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = BY_NAME["compiled code that Numba keeps"].write(tmp_path, 3)
    with pytest.raises(UserError, match=r"toy\.py: rules cannot use number, compiled"):
        load_game(str(file)).rules  # noqa: B018


@pytest.mark.parametrize(
    "value", ["object()", "iter(())", "np.random.default_rng(1)", "memoryview(b'ab')"]
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(
    tmp_path: Path, value: str
) -> None:
    file = Edit("", f"THING = {value}", "3 if THING is None else 4").write(tmp_path, 3)
    with pytest.raises(UserError, match=r"toy\.py: rules cannot use THING, "):
        load_game(str(file)).rules  # noqa: B018


def test_a_long_chain_of_functions_is_followed() -> None:
    def hash_of(end: int) -> str:
        names: dict[str, Any] = {"f0": lambda: end}
        for i in range(3000):
            exec(f"def f{i + 1}(): return f{i}()", names)
        return fingerprint(names["f3000"])

    assert hash_of(3) != hash_of(5)


def test_a_table_edited_between_reading_and_compiling_is_compiled_as_it_is(
    tmp_path: Path,
) -> None:
    """The file of a game is read once, but what it reads is read again."""
    edit = BY_NAME["a data file"]
    game = load_game(str(edit.write(tmp_path, 3)))
    edit.write(tmp_path, 5)
    assert len(game.new(0).legal_actions()) == 5
    edit.write(tmp_path, 3)
    assert len(load_game(str(tmp_path / "toy.py")).new(0).legal_actions()) == 3


SKIPPED: dict[str, tuple[str, Callable[..., None]]] = {
    "an enum": ("_feed_class", lambda self, cls: None),
    "a closure": ("_feed_named", lambda self, name, value: None),
    "a module": ("_feed_attributes", lambda self: False),
    "compiled code": ("_feed_new", lambda self, value: None),
}


@pytest.mark.parametrize("name", SKIPPED)
def test_a_kind_that_is_not_followed_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(Follower, *SKIPPED[name])
    assert not is_told(BY_NAME[name], tmp_path)
