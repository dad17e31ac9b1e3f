"""Every way to edit a game: what a rule may depend on, in its file and elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MARK = "$N"
"""Stands for the number that is edited: that of the legal actions."""
GAME = "toy.py"
_TOY = """
import numpy as np
from ludens.game import OVER, rule
{head}
STATE = np.dtype([("to_play", "i1")])
NUM_ACTIONS, MAX_PLIES, SHAPE, PLANES = 9, 9, (3, 3), ("nothing",)
@rule
def legal(state, actions):
    count = {count}
    for i in range(count):
        actions[i] = i
    return count
@rule
def apply(state, action):
    state.to_play = OVER
@rule
def observe(state, planes):
    pass
@rule
def result(state):
    return 0.0
def action_name(state, action):
    return str(action)
def draw(state):
    return ""
def scene(state):
    return []
"""


@dataclass(frozen=True)
class Edit:
    """A game whose one number stands somewhere."""

    name: str
    head: str
    """What the game's file begins with."""
    count: str
    """The expression that a rule reads the number by."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Files beside the game, by name."""
    is_refused: bool = False
    """Whether such a game is refused in a sentence."""
    is_lasting: bool = False
    """Whether what it does lasts as long as the process."""

    def files(self, number: int) -> dict[str, str]:
        """Return the texts of all files, by name."""
        texts = {GAME: _TOY.format(head=self.head, count=self.count), **self.beside}
        return {name: text.replace(MARK, str(number)) for name, text in texts.items()}

    def write(self, folder: Path, number: int) -> Path:
        """Write all files; return the game's."""
        for name, text in self.files(number).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder / GAME


_NJIT = "import numba\n@numba.njit\ndef number():\n    return $N\n"
_CONSTANT = "N = $N\n"
_SETTING = "import os\nN = int(os.environ['TOY_N'])"
_BUILT_IN = "import builtins\nbuiltins.TOY_N = $N"
_HELPER = {"helper.py": _CONSTANT}
_TABLE = (
    "from pathlib import Path\nN = int(Path(__file__).with_name('n').read_text())\n"
)
_CHAIN = """
import numba
@numba.njit
def inner():
    return $N
@numba.njit
def number():
    return inner()
"""
_ENUM = "import enum\nclass Size(enum.{}):\n    SMALL = 1\n    BOARD = $N\n"
_OVERLOAD = """
from numba.extending import overload
def number():
    return $N
@overload(number)
def _number():
    return lambda: $N
"""
_METHOD = """
from numba import types
from numba.extending import overload_method
@overload_method(types.Array, "number")
def _number(array):
    return lambda array: $N
"""
_JITCLASS = """
from numba import int64
from numba.experimental import jitclass
@jitclass([("a", int64)])
class Counter:
    def __init__(self):
        self.a = 1
    def number(self):
        return $N * self.a
"""
_INTRINSIC = """
from numba import types
from numba.extending import intrinsic
@intrinsic
def number(typing):
    def generate(context, builder, signature, arguments):
        return context.get_constant(types.int64, $N)
    return types.int64(), generate
"""
_DECORATED = """
def times(n):
    def decorate(function):
        @rule
        def wrapped():
            return n * function()
        return wrapped
    return decorate
@times($N)
@rule
def number():
    return 1
"""
_LAZY = """
def __getattr__(name):
    if name == "N":
        return $N
    raise AttributeError(name)
"""
_CLOSURE = """
def make(n):
    @rule
    def number():
        return n
    return number
number = make($N)
"""
_SIGNATURE = """
import numba
@numba.njit(["int64(int8)" if $N == 3 else "int64(int64)"])
def number(n):
    return n
"""
_UFUNC = """
import numba
@numba.vectorize
def add(n):
    return n + $N
"""

EDITS = (
    Edit("a number in a rule", "", "$N"),
    Edit("a constant", "N = $N", "N"),
    Edit("a constant of a constant", "M = $N\nN = M", "N"),
    Edit("an annotated constant", "from typing import Final\nN: Final = $N", "N"),
    Edit("an item of a tuple", "T = (1, $N)", "T[1]"),
    Edit("the shape of a tuple", "T = ((1,) * $N, (1,) * (9 - $N))", "len(T[0])"),
    Edit("an item of an array", "T = np.array([1, $N])", "T[1]"),
    Edit("the shape of an array", "T = np.zeros(($N, 10 - $N), np.int8)", "T.shape[0]"),
    Edit("a record", "T = np.array([(1, $N)], 'i1,i1')", "T[0].f1"),
    Edit("a dtype", "D = np.dtype(('i1', $N))\nT = np.zeros(2, D)", "T.shape[1]"),
    Edit("a NumPy scalar", "N = np.int16($N)", "N"),
    Edit("an enum", _ENUM.format("Enum"), "Size.BOARD.value"),
    Edit("an int enum", _ENUM.format("IntEnum"), "Size.BOARD + 0"),
    Edit("a member of an enum", _ENUM.format("IntEnum") + "N = Size.BOARD", "N + 0"),
    Edit(
        "a named tuple",
        "from collections import namedtuple\nP = namedtuple('P', 'a b')(1, $N)",
        "P.b",
    ),
    Edit(
        "the order of a named tuple",
        "from collections import namedtuple\n"
        "P = namedtuple('P', sorted('ab', key=lambda c: (c == 'a') == ($N > 4)))(3, 5)",
        "P.a",
    ),
    Edit("a helper", "@rule\ndef number():\n    return $N", "number()"),
    Edit(
        "which helper of two",
        "@rule\ndef f():\n    return 3\n@rule\ndef g():\n    return 5\n"
        "a, b, c = f, g, (g if $N > 4 else f)",
        "0 * (a() + b()) + c()",
    ),
    Edit("a default argument", "@rule\ndef number(n=$N):\n    return n", "number()"),
    Edit("a closure", _CLOSURE, "number()"),
    Edit("a decorator", _DECORATED, "number()"),
    Edit("compiled code", _NJIT, "number()"),
    Edit("compiled code that calls compiled code", _CHAIN, "number()"),
    Edit("a signature of compiled code", _SIGNATURE, "min(number(259), 5)"),
    Edit("a NumPy ufunc", _UFUNC, "add(0)"),
    Edit("an overload", _OVERLOAD, "number()"),
    Edit("an overloaded method", _METHOD, "actions.number()", is_lasting=True),
    Edit("an intrinsic", _INTRINSIC, "number()"),
    Edit("a compiled class", _JITCLASS, "Counter().number()"),
    Edit(
        "code that is inlined",
        "from numba.extending import register_jitable\n"
        "@register_jitable\ndef number():\n    return $N",
        "number()",
    ),
    Edit(
        "items of different types",
        "from numba import literal_unroll\nT = (1, 2.0, $N)\n@rule\ndef number():\n"
        "    last = 0\n    for item in literal_unroll(T):\n        last = int(item)\n"
        "    return last",
        "number()",
    ),
    Edit("a module", "import helper", "helper.N", _HELPER),
    Edit("a name of a module", "from helper import N", "N", _HELPER),
    Edit("all of a module", "from helper import *", "N", _HELPER),
    Edit("a name by text", "import helper", "getattr(helper, 'N')", _HELPER),
    Edit(
        "a module that is handed on",
        "import helper\n@rule\ndef number(module):\n    return module.N",
        "number(helper)",
        _HELPER,
    ),
    Edit("a lazy module", "import helper", "helper.N", {"helper.py": _LAZY}),
    Edit(
        "a module of a module",
        "import helper",
        "helper.N",
        {"helper.py": "from other import N\n", "other.py": _CONSTANT},
    ),
    Edit(
        "a module by way of a module",
        "import helper",
        "helper.other.N",
        {"helper.py": "import other\n", "other.py": _CONSTANT},
    ),
    Edit(
        "an enum of a module",
        "import helper",
        "helper.Size.BOARD.value",
        {"helper.py": _ENUM.format("Enum")},
    ),
    Edit(
        "compiled code of a module",
        "import helper",
        "helper.number()",
        {"helper.py": _NJIT},
    ),
    Edit(
        "compiled code of a module of a module",
        "import helper",
        "helper.number()",
        {
            "helper.py": "import numba, other\n@numba.njit\ndef number():\n"
            "    return other.number()\n",
            "other.py": _NJIT,
        },
    ),
    Edit(
        "a constant that compiled code of a module imports",
        "from helper import number",
        "number()",
        {
            "helper.py": "import numba\nfrom other import N\n@numba.njit\n"
            "def number():\n    return N\n",
            "other.py": _CONSTANT,
        },
    ),
    Edit(
        "a submodule",
        "import pack.sub",
        "pack.sub.N",
        {"pack/__init__.py": "", "pack/sub.py": _CONSTANT},
    ),
    Edit(
        "a submodule by name",
        "from pack import sub",
        "sub.N",
        {"pack/__init__.py": "", "pack/sub.py": _CONSTANT},
    ),
    Edit(
        "a package",
        "import pack",
        "pack.N",
        {"pack/__init__.py": "from .sub import N\n", "pack/sub.py": _CONSTANT},
    ),
    Edit("a part", "from _part import N", "N", {"_part.py": _CONSTANT}),
    Edit("a part as a module", "import _part", "_part.N", {"_part.py": _CONSTANT}),
    Edit(
        "a part of a part",
        "from _part import N",
        "N",
        {"_part.py": "from _other import N\n", "_other.py": _CONSTANT},
    ),
    Edit(
        "a module of a part",
        "from _part import N",
        "N",
        {"_part.py": "from helper import N\n", "helper.py": _CONSTANT},
    ),
    Edit("a data file", _TABLE, "N", {"n": "$N"}),
    Edit(
        "a data file of a module",
        "import helper",
        "helper.N",
        {"helper.py": _TABLE, "n": "$N"},
    ),
    Edit(
        "an array in a data file of a module",
        "import helper",
        "helper.T[0]",
        {
            "helper.py": "import numpy as np\nfrom pathlib import Path\n"
            "T = np.array([int(Path(__file__).with_name('n').read_text())])\n",
            "n": "$N",
        },
    ),
    Edit(
        "a module named as one of Python's",
        "import this",
        "this.N",
        {"this.py": _CONSTANT},
    ),
    Edit("a setting of the environment", _SETTING, "N"),
    Edit("something built in", _BUILT_IN, "TOY_N", is_lasting=True),
    Edit(
        "compiled code that Numba keeps",
        _NJIT.replace("njit", "njit(cache=True)"),
        "number()",
        is_refused=True,
    ),
    Edit(
        "compiled code with threads",
        _NJIT.replace("njit", "njit(parallel=True)"),
        "number()",
        is_refused=True,
    ),
    Edit("a list in itself", "T = [$N]\nT.append(T)\nN = T[0]", "N"),
    Edit(
        "the end of a chain",
        "@rule\ndef f0():\n    return $N\n"
        + "".join(f"@rule\ndef f{i + 1}():\n    return f{i}()\n" for i in range(8)),
        "f8()",
    ),
)
