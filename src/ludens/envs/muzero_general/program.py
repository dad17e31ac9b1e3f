"""All that functions reach, as the text of one module that needs only NumPy."""

import builtins
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ludens.envs.muzero_general.literals import UNPACK, UnknownType, written
from ludens.envs.muzero_general.source import Source, imported_modules, loaded_names
from ludens.errors import GameFileError
from ludens.loading.libraries import is_library, is_of_library
from ludens.loading.reached import seen_by

CONSTANT, CLASS, MADE, FUNCTION, ALIAS = range(5)
"""The order of definitions: a constant may be made of classes."""


@dataclass(frozen=True)
class Definition:
    """A piece of the module: a constant, a class or a function."""

    kind: int
    file: int
    """The number of the file it comes from, in the order of their use."""
    line: int
    text: str


class Program:
    """Collects definitions, each under the name by which it is looked up.

    All share one namespace: where two files mean different things by a name, nothing is
    written. `sources` has the texts of files as they were when they were executed.
    """

    def __init__(self, sources: Mapping[Path, str]) -> None:
        self._texts = {str(path): text for path, text in sources.items()}
        self._sources: dict[str, Source] = {}
        self._values: dict[str, tuple[Any, str]] = {}
        self._imports: set[str] = set()
        self._definitions: list[Definition] = []

    @property
    def files(self) -> list[Path]:
        """The files that the definitions come from."""
        return [Path(path) for path in self._sources]

    @property
    def imports(self) -> str:
        """The statements that import modules: Python's own, then NumPy's."""
        lines = sorted(self._imports, key=lambda line: (line.startswith("from"), line))
        numpy = [line for line in lines if line.split()[1].startswith("numpy")]
        python = [line for line in lines if line not in numpy]
        return "\n".join([*python, "", *numpy, ""])

    @property
    def constants(self) -> str:
        """The constants, and the classes that some are made of."""
        unpack = f"\n{UNPACK}\n\n" if "import zlib" in self._imports else ""
        classes, made = self._text(CLASS, "\n\n"), self._text(MADE, "")
        return unpack + self._text(CONSTANT, "") + classes + (made and f"\n\n{made}")

    @property
    def functions(self) -> str:
        """The functions, file by file as they stand there."""
        aliases = self._text(ALIAS, "")
        return self._text(FUNCTION, "\n\n") + (aliases and f"\n\n{aliases}")

    def reserve(self, names: Iterable[str]) -> None:
        """Keep names for what stands in the file besides our definitions."""
        for name in names:
            value = getattr(builtins, name, object())
            self._values[name] = (value, "the exported file")

    def import_as(self, name: str, statement: str) -> None:
        """Import a module under a name."""
        module = import_module(statement.split()[1])
        self._values[name] = (module, "the exported file")
        self._imports.add(statement)

    def use(self, text: str, names: Mapping[str, Any], place: str) -> None:
        """Add all that the text of a definition looks up; `place` is its file."""
        for name in loaded_names(text):
            if name not in names:
                raise GameFileError(f"{place}: {name} is not defined")
            self.add(name, names[name], place)

    def add(self, name: str, value: Any, place: str) -> None:
        """Add the definition of a name, and of all that it looks up itself."""
        value = _plain(value)
        if name not in self._values:
            self._values[name] = (value, place)
            self._define(name, value, place)
            return
        known, other = self._values[name]
        if known is not value and not _are_alike(known, value):
            both = other if other == place else f"{other} and {place}"
            raise GameFileError(
                f"cannot write one file of {both}: {name} has two meanings; rename one"
            )

    def _define(self, name: str, value: Any, place: str) -> None:
        if getattr(builtins, name, None) is value:
            return
        if isinstance(value, FunctionType) and not _is_of_library(value):
            self._define_function(name, value)
        elif isinstance(value, type) and not is_library(value.__module__):
            self._define_class(name, value)
        elif isinstance(value, ModuleType | type) or callable(value):
            self._import(name, value, place)
        else:
            self._define_constant(name, value, place)

    def _define_function(self, name: str, function: FunctionType) -> None:
        code = function.__code__
        if code.co_name == "<lambda>":
            raise GameFileError(
                f"{code.co_filename}: {name} is a lambda; write it with def"
            )
        if code.co_name != name:
            self.add(code.co_name, function, code.co_filename)
            self._append(ALIAS, code.co_filename, 0, f"{name} = {code.co_name}\n")
            return
        names = seen_by(function)
        text = self._source(code.co_filename).function(code, names)
        self._check_imports(text, name, code.co_filename)
        line = code.co_firstlineno
        self._append(FUNCTION, code.co_filename, line, text + "\n")
        self.use(text, names, code.co_filename)

    def _define_class(self, name: str, cls: type) -> None:
        module = sys.modules.get(cls.__module__)
        file = getattr(module, "__file__", None) or cls.__module__
        if cls.__name__ != name:
            self.add(cls.__name__, cls, file)
            self._append(MADE, file, 0, f"{name} = {cls.__name__}\n")
            return
        text = self._source(file).class_(name)
        self._check_imports(text, name, file)
        self.use(text, {**vars(builtins), **vars(module)}, file)
        self._append(CLASS, file, 0, text + "\n")

    def _define_constant(self, name: str, value: Any, place: str) -> None:
        made_of: list[Any] = []

        def note(part: Any) -> str:
            made_of.append(part)
            self.add(part.__name__, part, place)
            return str(part.__name__)

        try:
            text = written(name, value, note)
        except UnknownType as error:
            raise GameFileError(
                f"{place}: cannot write {name}, which has a value of type {error};"
                " constants are numbers, texts, arrays, and tuples, lists or dicts"
            ) from None
        if "unpack(" in text:
            self._imports |= {"import base64", "import zlib"}
        if any(isinstance(part, FunctionType) for part in made_of):
            kind = ALIAS
        else:
            kind = MADE if made_of else CONSTANT
        self._append(kind, place, 0, text)

    def _import(self, name: str, value: Any, place: str) -> None:
        """Import what belongs to Python or NumPy, as the file does."""
        home = value.__name__ if isinstance(value, ModuleType) else value.__module__
        statement = self._source(place).import_of(name)
        if statement is None or not _is_everywhere(home):
            what = "a module" if isinstance(value, ModuleType) else "something"
            raise GameFileError(
                f"{place}: cannot write {name}, {what} of {home}; the file may use"
                " Python and NumPy only"
            )
        self._imports.add(statement)

    def _check_imports(self, text: str, name: str, place: str) -> None:
        for module in sorted(imported_modules(text)):
            if not _is_everywhere(module):
                raise GameFileError(
                    f"{place}: {name} imports {module}; the file may use Python and"
                    " NumPy only"
                )

    def _source(self, path: str) -> Source:
        if path not in self._sources:
            try:
                text = self._texts.get(path) or Path(path).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                raise GameFileError(f"cannot read the source file {path}") from None
            self._sources[path] = Source(path, text)
        return self._sources[path]

    def _append(self, kind: int, file: str, line: int, text: str) -> None:
        number = list(self._sources).index(file) if file in self._sources else -1
        self._definitions.append(Definition(kind, number, line, text))

    def _text(self, kind: int, before: str) -> str:
        found = [d for d in self._definitions if d.kind == kind]
        found.sort(key=lambda d: (d.file, d.line))
        return "".join(before + definition.text for definition in found)


def _plain(value: Any) -> Any:
    """Return the function that a compiled or a caching one stands for."""
    value = getattr(value, "py_func", value)
    is_cached = type(value).__name__ == "_lru_cache_wrapper"
    return value.__wrapped__ if is_cached else value


def _is_of_library(function: FunctionType) -> bool:
    return is_of_library(function.__code__.co_filename)


def _is_everywhere(module: str | None) -> bool:
    """Tell whether a module belongs to Python or to NumPy."""
    first = (module or "").partition(".")[0]
    return first in sys.stdlib_module_names or first == "numpy"


def _are_alike(one: Any, other: Any) -> bool:
    """Tell whether two constants would be written alike."""
    try:
        return written("_", one, repr) == written("_", other, repr)
    except UnknownType:
        return False
