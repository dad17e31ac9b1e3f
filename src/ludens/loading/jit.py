"""How Numba compiles our functions: entries are called from Python, the rest inlined.

Numba optimises every function, makes native code of it and wraps it for Python and C,
before it compiles whatever calls it. Here all are inlined into a few entries, so that
only these are optimised and made native: an empty cache then costs half as much.
"""

import gc
import hashlib
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.errors import CompilerError
from numba.core.ir import Loc
from numba.core.targetconfig import TargetConfig
from numba.extending import overload
from numba.np import arrayobj

from ludens.loading.announce import ANNOUNCER
from ludens.loading.cache import stub_for

Function = Callable[..., Any]
_njit: Any = numba.njit  # not all of its options have types
_UNRESOLVED = ".numba.unresolved$"
"""How the names of addresses begin that are known only when code is loaded."""
_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the globals begin through which compiled code finds its Python objects."""


@cache
def _hash_of(kind: type[TargetConfig]) -> int:
    """Return Numba's hash of any flags, which is that of their names."""
    return hash(tuple(sorted(kind.options)))


_is_equal = TargetConfig.__eq__


def _is_same(flags: TargetConfig, others: object) -> Any:
    """Compare what is set, before Numba compares all options with their defaults."""
    if type(flags) is type(others) and flags._values == others._values:
        return True
    return _is_equal(flags, others)


# Numba looks at the flags with every call that it resolves: a tenth of its time.
TargetConfig.__hash__ = lambda flags: _hash_of(type(flags))  # type: ignore[method-assign]
TargetConfig.__eq__ = _is_same  # type: ignore[method-assign]


class LazyLibrary(JITCodeLibrary):
    """The code of a function, optimised and made native when its address is wanted."""

    _codegen: Any

    def _optimize_functions(self, module: Any) -> None:
        """Tidy up each function; the rest is left to the passes over the entry."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def add_linking_library(self, library: Any) -> None:
        """Remember a library that this one calls."""
        self._linking_libraries.append(library)

    def _get_module_for_linking(self) -> Any:
        if self._finalized:
            return super()._get_module_for_linking()
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            for function in self._shared_module.functions:
                is_public = function.linkage == binding.Linkage.external
                if is_public and not function.is_declaration:
                    function.linkage = "linkonce_odr"
        return self._shared_module

    def _reached(self) -> list[Any]:
        """Return all libraries that are called from here, callers before the called.

        LLVM drops what it links in before anything calls it.
        """
        seen: set[Any] = set()
        reached: list[Any] = []

        def visit(library: Any) -> None:
            if library in seen:
                return
            seen.add(library)
            if isinstance(library, LazyLibrary) and not library._finalized:
                for called in library._linking_libraries:
                    visit(called)
            reached.append(library)

        for library in self._linking_libraries:
            visit(library)
        return reached[::-1]

    def finalize(self) -> None:
        """Link, optimise and make native code; connect it to its Python objects."""
        self._linking_libraries = self._reached()
        self._shared_module = None
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, 0 if it is not defined here."""
        own = (f.name for f in self._final_module.functions if not f.is_declaration)
        if not self._finalized and name not in own:
            return 0
        address: int = super().get_pointer_to_function(name)
        return address


class RuleLibrary(LazyLibrary):
    """The code of a rule, optimised by itself before it is inlined.

    As part of a whole search its loops would be optimised less well: evaluations of
    triangle took a quarter longer.
    """

    def get_pointer_to_function(self, name: str) -> int:
        """Optimise the rule when it is complete; nobody calls it by its address.

        One that calls itself would do so by its address, in other processes too.
        """
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_UNRESOLVED):
                raise RecursionError("a rule cannot call itself; write a loop")
        for library in self._reached():
            module = library._get_module_for_linking()
            self._final_module.link_in(module, preserve=True)
        self._linking_libraries.clear()
        self._optimize_final_module()
        return 0


def _refuse_shape(source: Any, target: Any) -> None:
    """Stand in for Numba's error of arrays that do not fit.

    Its message names both shapes; to write it takes 2 s of compiling.
    """


@overload(_refuse_shape)
def _refuse_shape_compiled(source: Any, target: Any) -> Any:
    def refuse(source: Any, target: Any) -> None:
        raise ValueError("cannot assign an array to a slice of another shape")

    return refuse


@contextmanager
def _using(library: type[LazyLibrary], codegen: Any) -> Iterator[None]:
    """Let all code that is made meanwhile, Numba's own too, be made lazily.

    Numba holds its lock while it compiles, so that nobody else meets the change.
    """
    if "_library_class" in vars(codegen):
        outer, codegen._library_class = codegen._library_class, library
        try:
            yield
        finally:
            codegen._library_class = outer
        return
    set_env = codegen.set_env

    def set_known_env(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_env(name, environment)

    codegen._library_class, codegen.set_env = library, set_known_env
    wordy = arrayobj.raise_with_shape_context
    arrayobj.raise_with_shape_context = _refuse_shape
    try:
        yield
    finally:
        del codegen._library_class, codegen.set_env
        arrayobj.raise_with_shape_context = wordy


class _InnerCompiler(Compiler):
    """Compile a function that compiled code calls."""

    library = LazyLibrary

    def _compile_bytecode(self) -> Any:
        with _using(self.library, self.state.targetctx.codegen()):
            made = super()._compile_bytecode()
        # What Numba found out about every variable is not needed any more, and large.
        made.fndesc.typemap = made.fndesc.calltypes = None
        return made._replace(type_annotation=None, metadata=None)


class _RuleCompiler(_InnerCompiler):
    """Compile a function of a game; name its line if Numba fails without doing so."""

    library = RuleLibrary

    def _compile_bytecode(self) -> Any:
        try:
            return super()._compile_bytecode()
        except Exception as error:
            if type(error).__module__.startswith("numba."):
                raise
            rule = self.state.func_id
            why, line = _what_failed(error, rule.filename)
            place = f'File "{rule.filename}", line {line or rule.firstlineno}'
            raise CompilerError(f"{rule.func.__name__}: {why}\n{place}") from error


def _what_failed(error: Exception, file: str) -> tuple[str, int]:
    """Say what an error within Numba means, and the line that it was at; 0: unknown."""
    why, line = f"{type(error).__name__}: {error}", 0
    for frame, _ in traceback.walk_tb(error.__traceback__):
        mine = frame.f_locals.get("self")
        place = frame.f_locals.get("loc", getattr(mine, "loc", None))
        if isinstance(place, Loc) and place.filename == file:
            line = place.line
        if isinstance(mine, types.Record) and isinstance(error, KeyError):
            why = f"there is no field {error}"
    return why, line


class _EntryCompiler(_InnerCompiler):
    """Compile a function that Python calls."""

    def define_pipelines(self) -> Any:
        # Numba compiles its own functions anew for callers with other flags, so an
        # entry has the same ones as all others until here.
        self.state.flags.no_cpython_wrapper = False
        return super().define_pipelines()


_OPTIONS = {
    "nogil": True,
    # Arrays are dear to pass: a search gains 15 to 40 % in speed by inlining.
    "forceinline": True,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
}


_INTS = (types.int8, types.int16, types.int32)


def inner_rule(function: Function) -> Any:
    """Compile a function of a game for compiled callers; large ones are not inlined."""
    options = {**_OPTIONS, "forceinline": False}
    return _njit(pipeline_class=_RuleCompiler, **options)(function)


def inner(function: Function) -> Any:
    """Compile our own function for compiled callers, once for ints of any size."""
    dispatcher = _njit(pipeline_class=_InnerCompiler, **_OPTIONS)(function)
    resolve = dispatcher.get_call_template

    def resolve_widened(arguments: tuple[Any, ...], keywords: Any) -> Any:
        return resolve(tuple(map(_widen, arguments)), keywords)

    dispatcher.get_call_template = resolve_widened
    return dispatcher


def _widen(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if kind in _INTS else kind


class EntryCache(FunctionCache):
    """Numba's cache in a private folder, with an index for each signature.

    Numba has one for all of a function: of two processes that save for two signatures
    at a time, one could find its name on the code of the other. NUMBA_CACHE_DIR, which
    may not be private, does not count.
    """

    def __init__(self, function: Function, folder: Path) -> None:
        super().__init__(function)
        folder.mkdir(exist_ok=True)
        self._cache_path = str(folder)

    def _use(self, signature: Any) -> None:
        words = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}-{words}",
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        self._use(sig)
        return super()._load_overload(sig, target_context)

    def _save_overload(self, sig: Any, data: Any) -> None:
        self._use(sig)
        super()._save_overload(sig, data)


@contextmanager
def _collecting_later() -> Iterator[None]:
    """Let Python's collector wait: it would take an eighth of the time to compile."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def entry(function: Function, name: str, digest: str, label: str) -> Any:
    """Compile a function for Python; keep the result in the cache under its hash."""
    stub = stub_for(name, digest)
    function.__code__ = function.__code__.replace(co_filename=str(stub))
    dispatcher = _njit(pipeline_class=_EntryCompiler, **_OPTIONS)(function)
    dispatcher._cache = EntryCache(function, stub.parent / "__pycache__")
    find_or_make, make = dispatcher.compile, dispatcher._compiler.compile

    def find_or_make_later(signature: Any) -> Any:
        ANNOUNCER.wait_for(label, name)
        return find_or_make(signature)

    def make_aloud(arguments: Any, return_type: Any) -> Any:
        ANNOUNCER.tell(label)
        with _collecting_later():
            return make(arguments, return_type)

    dispatcher.compile, dispatcher._compiler.compile = find_or_make_later, make_aloud
    return dispatcher
