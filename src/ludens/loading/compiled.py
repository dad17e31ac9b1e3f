"""Run the sources of games and kernels, and compile them once for all processes.

Numba's disk cache does not see an edit in another file, and misses closures in every
new process. So each function that Python calls (an entry) is kept in a private folder
under a hash of all that it reaches: bytecode, constants, tables, options, versions. An
edit leads to another name; the same code leads to the same name in the next process,
and for other options that do not matter to it.
"""

import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ludens.loading.options import Loading, OptionValue, loading
from ludens.loading.reached import fingerprint

PLAIN_MARK = "__ludens_plain__"
_HOME = "ludens.loading.compiled"
"""The name of all compiled modules: what Numba loads from its cache asks for the module
it was made in, so it must be there in every process."""


_PACKAGE = Path(__file__).parents[1]


def run_source(source: str, name: str, file: Path, how: Loading) -> ModuleType:
    """Execute the source of a module.

    Files beside a game whose names begin with an underscore are its parts. It imports
    them as usual, but they are executed anew, so that they have the same options and
    their rules are compiled as well.
    """
    parts: dict[Path, ModuleType] = {}

    def execute(source: str, name: str, file: Path) -> ModuleType:
        module = ModuleType(name)
        module.__file__ = str(file)
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": find}
        if file in how.parts:
            parts[file] = module
            setattr(module, PLAIN_MARK, True)
        if name != _HOME:
            sys.modules[name] = module
        code = compile(source, str(file), "exec", dont_inherit=True)
        with loading(how):
            exec(code, vars(module))
        return module

    def find(
        wanted: str,
        globals: Any = None,
        locals: Any = None,
        members: Any = (),
        level: int = 0,
    ) -> Any:
        path = _part_path(wanted, members, file.parent)
        if path is None:
            return __import__(wanted, globals, locals, members, level)
        if path not in how.parts:
            how.parts[path] = path.read_text(encoding="utf-8")
        own_name = name if name == _HOME else f"{name}.{path.stem}"
        return parts.get(path) or execute(how.parts[path], own_name, path)

    return execute(source, name, file)


def _part_path(name: str, members: Sequence[str] | None, folder: Path) -> Path | None:
    """Return the file of an imported module if it is a part of a game."""
    found = _find_part(name, folder)
    is_ambiguous = found is not None and "." in name and not members
    inside = (f"{name}.{member}" for member in members or ())
    if is_ambiguous or any(_find_part(member, folder) for member in inside):
        raise ImportError("import from a part by name: from package._part import x")
    return found


def _find_part(name: str, folder: Path) -> Path | None:
    """Return the file of a part in a folder, or of one of our own packages.

    Those of ours are found from anywhere, so that copies of our games work and kernels
    share parts.
    """
    *packages, stem = name.split(".")
    ours = _PACKAGE.joinpath(*packages[1:] or ("games",))
    for home in (folder, ours) if stem.startswith("_") else ():
        is_inside = home.parts[len(home.parts) - len(packages) :] == (*packages,)
        if is_inside and (home / f"{stem}.py").is_file():
            return home / f"{stem}.py"
    return None


def run_rules(
    source: str,
    digest: str,
    file: Path,
    chosen: Mapping[str, OptionValue],
    parts: dict[Path, str],
) -> ModuleType:
    """Execute the source of a game; its rules are compiled for kernels to call."""
    from ludens.loading.jit import inner_rule

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        return inner_rule(name_apart(function, digest))  # type: ignore[no-any-return]

    return run_source(source, _HOME, file, Loading(chosen, wrap, parts=parts))


def run_kernel(source: str, file: Path, label: str, rules: ModuleType) -> ModuleType:
    """Execute the source of a kernel over the rules of a game.

    First it is run without compiling, to see what each of its entries depends on.
    """
    from ludens.loading.jit import entry, inner

    entries: dict[str, Callable[..., Any]] = {}

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        entries[function.__name__] = function
        return function

    run_source(source, _HOME, file, Loading({}, wrap_entry=note, rules=rules))
    digests = {name: fingerprint(function) for name, function in entries.items()}
    unit = fingerprint(sorted(digests.items()))

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        return inner(name_apart(function, unit))  # type: ignore[no-any-return]

    def wrap_entry(function: Callable[..., Any]) -> Callable[..., Any]:
        digest = digests[function.__name__]
        name = f"{file.parent.name}.{function.__name__}"
        return entry(name_apart(function, digest), name, digest, label)  # type: ignore[no-any-return]

    how = Loading({}, wrap, wrap_entry, rules=rules)
    return run_source(source, _HOME, file, how)


def name_apart(function: Callable[..., Any], digest: str) -> Callable[..., Any]:
    """Give a function a name of its own among all that compiled code may link to."""
    file = Path(function.__code__.co_filename).stem
    function.__qualname__ = f"{file}_{function.__name__}_{digest}"
    return function


def wrap_around(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let an uncompiled kernel wrap around in 64 bits as compiled ones do."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run
