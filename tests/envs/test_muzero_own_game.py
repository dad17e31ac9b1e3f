"""A user's own game as a file for muzero-general, and what cannot be one."""

import sys
from random import Random
from textwrap import dedent

import pytest
from exported import module_of

from ludens.envs.muzero_general import make_file
from ludens.envs.muzero_general.player import play
from ludens.envs.muzero_general.trial import Difference, follow, try_out
from ludens.errors import GameFileError
from ludens.loading.game import load_game

RULES = '''
"""Race: roll a die, step that far or stay; who is first at the end wins."""

import math as maths
from functools import cache, reduce

import numpy as np

from _race_track import END, FACES, Mark, advance, marks_of
from ludens.game import CHANCE, OVER, Shape, rule

STATE = np.dtype([("at", "i4", 2), ("to_play", "i1"), ("mover", "i1"), ("die", "i1")])
NUM_ACTIONS, MAX_PLIES, MAX_OUTCOMES = 2, 0, len(FACES)
SHAPE, PLANES = (1, 3), ("own", "other", "die")
REST = {"odd": {1, 3}, "nan": float("nan"), "deep": [(1, ("a",)), b"x"]}
TABLE = np.arange(3000).reshape(2, 1500)
ENDS = (maths.floor, len)


@rule
def start(state: np.record) -> None:
    state.to_play = CHANCE


@rule
def chance(state: np.record, probabilities) -> int:
    probabilities[0], probabilities[1] = 0.75, 0.25
    return 2


@rule
def apply_chance(state: np.record, outcome: int) -> None:
    state.die = FACES[outcome].steps
    state.to_play = state.mover


@rule
def legal(state: np.record, actions) -> int:
    actions[0], actions[1] = 0, 1
    return 2


@rule
def apply(state: np.record, action: int) -> None:
    here: int = int(state.to_play)
    if action == 1:
        advance(state, here)
    state.mover = 1 - here
    state.to_play = OVER if state.at[here] >= END else CHANCE


@rule
def result(state: np.record) -> float:
    return 1.0 if state.at[0] >= END else -1.0


@rule
def observe(state: np.record, planes) -> None:
    planes[0, 0, 0] = state.at[state.to_play] / END
    planes[1, 0, 1] = state.at[1 - state.to_play] / END
    planes[2] = state.die / TABLE[0, 4]


@cache
def word(action: int, /, *, upper: bool = (False), size: int = 4) -> str:
    def cut(text: str) -> str:
        rest: str
        return text[:size]

    return cut(("stay", "step")[action].upper() if upper else ("stay", "step")[action])


spell = word


def action_name(state: np.record, action: int) -> str:
    return spell(action)


def draw(state: np.record) -> "str":
    total = reduce(lambda one, other: one + other, REST["odd"])
    return f"{marks_of(state, Mark.FIRST)} {total} {REST['nan']} {maths.floor(2.5)}"


def scene(state: np.record) -> list[Shape]:
    return []
'''
PART = """
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from ludens.game import option, rule

END = option("end", 9, "where the track ends", low=1)


class Face(NamedTuple):
    steps: int
    name: str = ""


class Mark(Enum):
    FIRST = "X"
    SECOND = "O"


@dataclass(frozen=True)
class Field:
    mark: Mark
    cells: tuple[int, ...] = ()

    def text(self, end: str = "!") -> str:
        return self.mark.value + end


FACES = (Face(1), Face(3, "three"))
FIELDS = [Field(Mark.FIRST), Field(Mark.SECOND, (1, 2))]


@rule
def advance(state: np.record, player: int) -> None:
    state.at[player] += state.die


def marks_of(state: np.record, mark: Mark) -> str:
    return "".join(field.text() for field in FIELDS if field.mark is mark)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "race.py").write_text(dedent(RULES), encoding="utf-8")
    (tmp_path / "_race_track.py").write_text(dedent(PART), encoding="utf-8")
    return tmp_path


def load(folder, options=""):
    return load_game(f"{folder / 'race.py'}{options}", compiled=False)


def test_rules_of_several_files_become_one(folder):
    game = load(folder, ":end=5")
    made = make_file(game)
    assert [path.name for path in made.sources] == ["race.py", "_race_track.py"]
    assert "END = 5\n" in made.text
    assert "def word(action, /, *, upper=(False), size=4):\n" in made.text
    assert max(map(len, made.text.splitlines())) <= 88
    module = module_of(made.text)
    for seed in range(10):
        follow(game, play(module.Game(seed), 50, Random(seed), False), "a game")
    exported = module.Game()
    assert module.draw(exported.state) == game.plain.draw(game.new(0).raw)
    assert exported.action_to_string(1) == "step"


def test_chance_gives_outcomes_as_often_as_the_rules_say(folder):
    game = module_of(make_file(load(folder)).text).Game(0)
    rolls = [(game.reset(), game.outcomes)[1] for _ in range(2000)]
    assert sum(outcome == [0] for outcome in rolls) == pytest.approx(1500, abs=60)


def test_the_class_of_muzero_general_is_used_where_there_is_one(folder, monkeypatch):
    games = folder / "their_games"
    games.mkdir()
    base = "class AbstractGame:\n    is_theirs = True\n"
    (games / "abstract_game.py").write_text(base, encoding="utf-8")
    (games / "race.py").write_text(make_file(load(folder)).text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    from their_games.race import Game, MuZeroConfig

    assert Game.is_theirs
    assert MuZeroConfig().results_path.startswith(str(folder / "results" / "race"))
    for name in [name for name in sys.modules if name.startswith("their_games")]:
        del sys.modules[name]


def test_a_game_without_turns_fails_its_trial(folder):
    rules = dedent(RULES).replace("state.mover = 1 - here", "state.mover = here")
    (folder / "race.py").write_text(rules, encoding="utf-8")
    game = load(folder)
    with pytest.raises(Difference, match="RuntimeError: a player moves twice"):
        try_out(make_file(game).text, game, games=1)


REFUSALS = [
    ("spell = word", "spell = lambda action: 'x'", "spell is a lambda; write it with"),
    ("TABLE = ", "TABLE = np.array([object()]) ; MORE = ", "write TABLE, which has a"),
    ('"deep": [', '"deep": [complex, object(), ', "a value of type object"),
    ("ENDS = ", "from numba import njit as reduce ; ENDS = ", "reduce, something of n"),
    ("END = option", "spell = 3 ; END = option", None),
    ("def marks_of", "def spell(state):\n    pass\n\n\ndef marks_of", None),
    ('return "".join', 'spell(state) ; return "".join', "spell is not defined"),
    ("def cut(", "from ludens.boards import paint\n\n    def cut(", "imports ludens.b"),
    ("spell = word", "def spell(a): return Game\nGame = 3", "Game has two meanings"),
    ("spell = word", "def spell(a): return len\nlen = 3", "len has two meanings"),
    ("spell = word", "import pytest\ndef spell(a): return pytest", "pytest, a module"),
]


@pytest.mark.parametrize(("old", "new", "words"), REFUSALS)
def test_what_one_file_cannot_hold_is_refused_by_name(folder, old, new, words):
    for name, text in ("race.py", RULES), ("_race_track.py", PART):
        changed = dedent(text).replace(old, new, 1)
        (folder / name).write_text(changed, encoding="utf-8")
    if words is None:  # nobody looks up the other meaning
        assert make_file(load(folder)).text
        return
    with pytest.raises(GameFileError, match=words):
        make_file(load(folder))


def test_two_meanings_of_a_name_are_refused_with_both_places(folder):
    part = dedent(PART) + "\n\ndef word(mark):\n    return mark.value\n"
    part = part.replace('return "".join(', 'return word(mark) + "".join(')
    (folder / "_race_track.py").write_text(part, encoding="utf-8")
    places = r"race\.py and .*_race_track\.py: word has two meanings; rename one"
    with pytest.raises(GameFileError, match=places):
        make_file(load(folder))
