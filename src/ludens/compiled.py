"""Compile the rules of a game and the kernels over them, once, and keep the result.

Numba's disk cache does not see an edit in another file, and misses closures in every
new process. So each game with its options gets module files of its own in a private
folder, named by a hash of all that they reach: bytecode, constants, tables, options,
versions. An edit leads to another name; the same rules lead to the same name in the
next process.
"""

import hashlib
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import platformdirs

from ludens.errors import UserError
from ludens.options import Loading, OptionValue, loading

PLAIN_MARK = "__ludens_plain__"
_VERSIONS = tuple(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy"))
_LIBRARIES = sys.stdlib_module_names | {"numpy", "numba"}


def run_source(
    source: str,
    name: str,
    file: Path,
    how: Loading,
    copy: Path | None = None,
    **given: Any,
) -> ModuleType:
    """Execute a module's source with `given` in its namespace."""
    module = ModuleType(name)
    module.__file__ = str(file)
    module.__dict__.update(given)
    sys.modules[name] = module
    with loading(how):
        code = compile(source, str(copy or file), "exec", dont_inherit=True)
        exec(code, module.__dict__)
    return module


def run_compiled(
    source: str,
    label: str,
    digest: str,
    file: Path,
    chosen: Mapping[str, OptionValue],
    **given: Any,
) -> ModuleType:
    """Execute the private copy of a source: Numba compiles and caches its rules."""
    copy = _private_copy(source, label, digest)
    name = f"ludens_compiled_{digest}"
    _announce_compiles(name, label)
    return run_source(source, name, file, Loading(chosen, jit), copy, **given)


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function; keep the result on disk if it comes from a private copy."""
    import numba

    private = Path(function.__code__.co_filename).parent == cache_folder()
    # The folder next to the copy is the private one; NUMBA_CACHE_DIR may not be.
    setattr(numba.config, "CACHE_DIR", "")  # noqa: B010
    # Inlined, as arrays are dear to pass: a search gains 15 to 40 % in speed by it.
    make = numba.njit(nogil=True, cache=private, forceinline=True)
    compiled: Callable[..., Any] = make(function)
    return compiled


def wrap_around(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let an uncompiled kernel wrap around in 64 bits as compiled ones do."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


def fingerprint(*values: object) -> str:
    """Hash functions, with all that they reach, and plain values."""
    digest = hashlib.sha256(repr((_VERSIONS, platform.python_version())).encode())
    seen: set[int] = set()
    for value in values:
        _feed(digest.update, value, seen)
    return digest.hexdigest()[:24]


def _feed(update: Callable[[bytes], None], value: object, seen: set[int]) -> None:
    """Hash one value; functions with their code and the globals it names."""
    update(f"{type(value).__name__}:".encode())
    if isinstance(value, FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        _feed(update, value.__code__, seen)
        _feed(update, value.__defaults__, seen)
        _feed(update, tuple(c.cell_contents for c in value.__closure__ or ()), seen)
        for name in sorted(_names(value.__code__) & value.__globals__.keys()):
            update(name.encode())
            _feed(update, value.__globals__[name], seen)
    elif isinstance(value, CodeType):
        update(value.co_code)
        _feed(update, (value.co_names, value.co_varnames, value.co_consts), seen)
    elif isinstance(value, np.ndarray):
        update(f"{value.dtype.descr}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, (tuple, list)):
        for item in value:
            _feed(update, item, seen)
    elif isinstance(value, (dict, set, frozenset)):
        items = value.items() if isinstance(value, dict) else value
        for item in sorted(items, key=repr):
            _feed(update, item, seen)
    elif isinstance(value, ModuleType):
        _feed_module(update, value, seen)
    else:
        update(repr(getattr(value, "__qualname__", value)).encode())


def _feed_module(
    update: Callable[[bytes], None], module: ModuleType, seen: set[int]
) -> None:
    """Hash a module: libraries by name, anything else by its text.

    The plain rules, which a kernel sees as a module, come in by their own hash.
    """
    update(module.__name__.encode())
    file = getattr(module, "__file__", None)
    library = module.__name__.partition(".")[0] in _LIBRARIES
    if id(module) in seen or file is None or library or hasattr(module, PLAIN_MARK):
        return
    seen.add(id(module))
    update(Path(file).read_bytes())


def _names(code: CodeType) -> set[str]:
    inner = [_names(c) for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*inner)


def cache_folder() -> Path:
    """Return the private folder of compiled code, made if it is not there."""
    given = os.environ.get("LUDENS_CACHE")
    folder = (
        Path(given)
        if given
        else Path(platformdirs.user_cache_dir("ludens")) / "compiled"
    )
    folder = folder.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_shared(folder)
    except OSError as error:
        raise UserError(
            f"cannot use the cache folder {folder}: {error.strerror}"
        ) from None
    return folder


def _refuse_shared(folder: Path) -> None:
    """Refuse a folder in which another user could plant code: it would be run."""
    if not hasattr(os, "getuid"):
        return
    for place in (folder, *folder.resolve().parents):
        facts = place.lstat()
        owners = (os.getuid(),) if place == folder else (os.getuid(), 0)
        open_to_all = facts.st_mode & 0o022 and (
            place == folder or not facts.st_mode & stat.S_ISVTX
        )
        if facts.st_uid not in owners or open_to_all or stat.S_ISLNK(facts.st_mode):
            raise UserError(
                f"the cache folder {folder} is not safe: others may write to {place};"
                " name a private folder in LUDENS_CACHE"
            )


def _private_copy(source: str, label: str, digest: str) -> Path:
    """Write the source under its hashed name, unless it is there already."""
    folder = cache_folder()
    words = "".join(c if c.isalnum() else "_" for c in label)[-60:]
    copy = folder / f"{words}_{digest}.py"
    if not copy.exists():
        draft = folder / f"{copy.name}.{os.getpid()}"
        try:
            draft.write_text(source, encoding="utf-8")
            draft.replace(copy)
        except OSError as error:
            raise UserError(f"cannot write to {folder}: {error.strerror}") from None
    return copy


_tell: ContextVar[Callable[[str], None] | None] = ContextVar("tell", default=None)


@contextmanager
def telling(tell: Callable[[str], None]) -> Iterator[None]:
    """Say once which game is compiled, if one is, in this thread and this block."""
    token = _tell.set(tell)
    try:
        yield
    finally:
        _tell.reset(token)


_labels: dict[str, str] = {}
_announced: set[str] = set()
_listeners: list[Any] = []


def _announce_compiles(module: str, label: str) -> None:
    """Say on the screen, once for a game, when Numba really has to compile it."""
    from numba.core import event

    class Announce(event.Listener):
        def on_start(self, event: Any) -> None:
            what = _labels.get(event.data["dispatcher"].py_func.__module__)
            if what is not None and (tell := _tell.get()) is not None:
                _tell.set(None)
                tell(what)
            if what is not None and what not in _announced:
                _announced.add(what)
                print(f"Compiling {what} (once) ...", file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            """Nothing to say."""

    _labels[module] = label
    if not _listeners:
        _listeners.append(Announce())
        event.register("numba:compile", _listeners[0])  # type: ignore[no-untyped-call]
