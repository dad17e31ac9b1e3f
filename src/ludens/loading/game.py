"""Find a game by name, file or entry point, and make it ready to use."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from traceback import walk_tb
from types import ModuleType
from typing import Any, cast

import numpy as np

from ludens.errors import GameFileError, UserError, nearest
from ludens.game import Rules
from ludens.loading import kernel as rules_kernel
from ludens.loading.behaviour import TurnOrder, behaviour_of, turn_order_of
from ludens.loading.compiled import (
    PLAIN_MARK,
    name_apart,
    run_kernel,
    run_rules,
    run_source,
    wrap_around,
)
from ludens.loading.complete import DEFAULT_CONSTANTS, complete, derive
from ludens.loading.environments import recorded_rules
from ludens.loading.environments.environment import Source
from ludens.loading.environments.sources import (
    check_harmless,
    is_environment,
    open_source,
)
from ludens.loading.options import Loading, Option, OptionValue
from ludens.loading.reached import fingerprint
from ludens.state import State

ENTRY_POINT_GROUP = "ludens.games"
_REQUIRED = (
    "STATE", "NUM_ACTIONS", "MAX_PLIES", "SHAPE", "PLANES",
    "legal", "apply", "observe", "action_name", "draw", "scene",
)  # fmt: skip
_RULES = (
    "start", "legal", "apply", "chance", "apply_chance", "result", "observe",
    "transform", "transform_action", "targets", "candidates", "likely", "forcing",
    "pressing", "answers", "heuristic", "foul",
)  # fmt: skip
_loading = RLock()


class Game:
    """A game with its options: sizes, rules and new states."""

    def __init__(
        self,
        name: str,
        path: Path,
        chosen: Mapping[str, OptionValue],
        compiled: bool,
        environment: Source | None = None,
    ) -> None:
        self.name = name
        self.path = path
        self.compiled = compiled
        self.environment = environment
        """Where the environment comes from, if this is one: it has no rules."""
        self._source = _read(path)
        self._kernels: dict[ModuleType, ModuleType] = {}
        self._seen: dict[str, Game] = {}
        how = Loading(chosen)
        self._plain = _run_plain(self._source, path, how)
        self._parts = how.parts
        setattr(self._plain, PLAIN_MARK, True)
        self._values = how.values
        self.declared: dict[str, Option] = {} if environment else how.declared
        self.options: dict[str, OptionValue] = {} if environment else how.values
        for option in chosen:
            if option not in how.declared:
                hint = nearest(option, how.declared) or "; it has none"
                raise UserError(f"{name} has no option {option!r}{hint}")

    @property
    def spec(self) -> str:
        """The text that names this game with its options, defaults left out."""
        return format_spec(self.name, self.changed_options)

    @property
    def changed_options(self) -> dict[str, OptionValue]:
        """The options that differ from their defaults."""
        return {k: v for k, v in self.options.items() if v != self.declared[k].default}

    def rules_among(self, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return the options without those that change only what is observed."""
        seen = {o.name for o in self.declared.values() if o.only_observed}
        return {name: value for name, value in options.items() if name not in seen}

    @property
    def title(self) -> str:
        """The first line of the file's docstring."""
        if self.environment is not None:
            return self.environment.title
        return (self._plain.__doc__ or "").strip().partition("\n")[0]

    @property
    def rules_text(self) -> str:
        """The rules in words, as the game's file tells them; "" if it does not."""
        return "" if self.environment is not None else str(self._plain.RULES).strip()

    @property
    def sources(self) -> dict[Path, str]:
        """The texts of the game's file and of its parts, as they were read."""
        return {self.path: self._source, **self._parts}

    @property
    def plain(self) -> Rules:
        """The rules as ordinary Python, and the functions for people."""
        return cast(Rules, self._plain)

    @property
    def rules(self) -> Rules:
        """The rules, compiled unless the game was loaded with compiled=False."""
        return cast(Rules, self.kernel(rules_kernel)) if self.compiled else self.plain

    @property
    def entries(self) -> Any:
        """The rules as functions over arrays, for `State`."""
        return self.kernel(rules_kernel)

    def defines(self, name: str) -> bool:
        """Whether the game's file has a function or constant that it may leave out."""
        return name in self._plain.DEFINED

    @cached_property
    def _inner_rules(self) -> ModuleType:
        """The rules as compiled code calls them."""
        from ludens.loading.jit import inner, inner_rule

        module = run_rules(
            self._source, self.rules_hash, self.path, self._values, self._parts
        )
        complete(module, inner_rule, inner)
        derive(module, lambda f: inner(name_apart(f, self.rules_hash)))
        return module

    @cached_property
    def rules_hash(self) -> str:
        """A fingerprint of the rules as code, on this machine: what is compiled."""
        functions = [getattr(self._plain, name) for name in _RULES]
        sizes = [getattr(self._plain, name) for name in DEFAULT_CONSTANTS]
        return fingerprint(self._plain.STATE.descr, self.num_actions, sizes, *functions)

    @cached_property
    def behaviour(self) -> str:
        """What the rules do, hashed; the same everywhere, for files that are kept."""
        return behaviour_of(self)

    @cached_property
    def turn_order(self) -> TurnOrder:
        """Whether players alternate, and whether chance moves between them."""
        if self.environment is not None and self.num_players == 1:
            return TurnOrder(alternates=False, has_chance=False)
        return turn_order_of(self)

    def require_rules(self, what: str) -> None:
        """Refuse what needs rules, if this is an environment."""
        if self.environment is not None:
            raise UserError(f"{what} needs rules, which {self.spec} has not")

    def kernel(self, module: ModuleType) -> Any:
        """Return a kernel module executed over these rules, which are its `rules`."""
        if module not in self._kernels:
            with _loading:  # threads that want the same one wait for it
                if module not in self._kernels:
                    self._kernels[module] = _load_kernel(self, module)
        return self._kernels[module]

    @property
    def num_players(self) -> int:
        """1 or 2."""
        return int(self.plain.NUM_PLAYERS)

    @property
    def num_actions(self) -> int:
        """How many actions there are, legal or not."""
        return int(self.plain.NUM_ACTIONS)

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation."""
        return (len(self.plain.PLANES), *self.plain.SHAPE)

    def states(self, count: int) -> Any:
        """Return an array of all-zero states."""
        return np.zeros(count, self.plain.STATE)

    def new(self, seed: int | None = None, setup: str = "") -> State:
        """Return the first state; the seed (fresh if None) decides what chance does."""
        if seed is None:
            from ludens.rng import new_seed  # loads Numba

            seed = new_seed()
        return State(self, seed, setup)

    def seen_with(self, options: Mapping[str, OptionValue]) -> "Game":
        """Return the same game with other options of what is observed alone."""
        values = {**self.options, **options}
        if values == self.options:
            return self
        spec = format_spec("", options)
        with _loading:
            if spec not in self._seen:
                self._seen[spec] = Game(self.name, self.path, values, self.compiled)
            return self._seen[spec]

    def variant(self, options: Mapping[str, OptionValue]) -> "Game":
        """Return the same game with other options, as ordinary Python."""
        return Game(self.name, self.path, {**self.options, **options}, compiled=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a game go to another process: it is its file with its options."""
        if self.environment is not None:
            return _load_environment, (self.name, self.compiled)
        return Game, (self.name, self.path, self.options, self.compiled)

    def __copy__(self) -> "Game":
        return self  # nothing in it changes

    def __deepcopy__(self, _: object) -> "Game":
        return self

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"


def load_game(
    spec: str,
    *,
    options: Mapping[str, OptionValue] | None = None,
    compiled: bool | None = None,
    file: Path | None = None,
) -> Game:
    """Load a game such as "gomoku:size=9,rule=renju" or "path/to/my_game.py".

    `file` is where the game is, if its name does not lead there. `compiled=False`, or
    LUDENS_COMPILE=0 in the environment, runs its rules as ordinary Python, with
    breakpoints and tracebacks.
    """
    name, chosen = parse_spec(spec)
    if compiled is None:
        compiled = os.environ.get("LUDENS_COMPILE", "1") != "0"
    if is_environment(name):
        return _load_environment(name, compiled)
    return Game(name, file or find_game(name), {**chosen, **(options or {})}, compiled)


def _load_environment(name: str, compiled: bool) -> Game:
    """Return an environment as a game whose rules nobody knows."""
    source = open_source(name)
    sizes = source.spaces._asdict()
    path = Path(recorded_rules.__file__)
    return Game(name, path, sizes, compiled, source)


def load_named(
    spec: str,
    *,
    rules: str = "",
    options: Mapping[str, OptionValue] | None = None,
    compiled: bool | None = None,
) -> Game:
    """Load the game that a net, a run or a record names, which a stranger wrote.

    Only a listed game is loaded, or `rules`, the game that the user himself named: a
    path in somebody's file would be code to run.
    """
    name, chosen = parse_spec(spec)
    if rules and title_of(parse_spec(rules)[0]) != title_of(name):
        raise UserError(f"it is of {name}, not of {rules}")
    if not rules and is_environment(name):
        check_harmless(name)
        return load_game(name, compiled=compiled)
    if not rules and name.endswith(".py"):
        raise UserError(
            "its game is a file of rules, which is run only if you name it yourself:"
            f" --rules {name!r}"
        )
    if not rules and name not in game_files():
        hint = nearest(name, game_files())
        raise UserError(f"there is no game {name!r}{hint} (or name its file: --rules)")
    given = {**chosen, **(options or {})}
    return load_game(rules or name, options=given, compiled=compiled)


def title_of(name: str) -> str:
    """Return what a game is called, given its name or the path of its file."""
    kind = f"{name.partition(':')[0]}:" if is_environment(name) else ""
    return kind + Path(name.removeprefix(kind)).name.removesuffix(".py")


def parse_spec(spec: str) -> tuple[str, dict[str, OptionValue]]:
    """Split "name:key=value,key=value"; the name of an environment has a colon."""
    if is_environment(spec):
        return spec.strip(), {}
    # The path of a file may have a colon, but none before an option.
    parts = r"((?:(?!:\w+=).)*?\.py|[^:]*)(?::(.*))?"
    match = re.fullmatch(parts, spec.strip(), re.DOTALL)
    name, rest = match.groups() if match else (spec, None)
    chosen: dict[str, OptionValue] = {}
    # A value may have commas of its own, as the name of a run may.
    for part in re.split(r",(?=[^,=]*=)", rest) if rest else []:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise UserError(
                f"cannot read option {part!r} in {spec!r}; write game:option=value"
            )
        chosen[key.strip()] = value.strip()
    return name, chosen


def format_spec(name: str, chosen: Mapping[str, OptionValue]) -> str:
    """Return the text that `parse_spec` splits."""
    parts = [f"{key}={_option_text(value)}" for key, value in chosen.items()]
    return f"{name}:{','.join(parts)}" if parts else name


def split_spec(spec: str) -> tuple[str, str]:
    """Return the name of a game and its options as text, whatever they say."""
    if is_environment(spec):
        return spec, ""
    name, _, options = spec.partition(":")
    return name, options


def find_game(name: str) -> Path:
    """Return the file of a game."""
    if name.endswith(".py"):
        path = Path(name)
        if not path.is_file():
            raise UserError(f"there is no game file {name}")
        return path.absolute()
    known = game_files()
    if name not in known:
        raise UserError(f"there is no game {name!r}{nearest(name, known)}")
    return known[name]


def game_files() -> dict[str, Path]:
    """Return the file of every known game: ours, then those of installed packages."""
    ours = sorted((Path(__file__).parents[1] / "games").glob("[a-z]*.py"))
    files = {path.stem: path for path in ours}
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        files.setdefault(entry.name, _file_of(entry.module))
    return files


def _file_of(module: str) -> Path:
    """Return the file of a module; of one that is not there, where it should be.

    A package that does not import must not stand in the way of the other games.
    """
    found = None
    with suppress(Exception):
        found = find_spec(module)
    origin = found.origin if found is not None else None
    return Path(origin or f"{module.replace('.', '/')}.py")


def _option_text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: it is not text") from None


def _run_plain(source: str, path: Path, how: Loading) -> ModuleType:
    """Execute a game file as ordinary Python."""
    try:
        module = run_source(source, f"ludens_plain_{path.stem}", path, how)
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}"
        raise GameFileError(
            f"{_place_of(error, path)} does not load: {what}"
        ) from error
    missing = [name for name in _REQUIRED if not hasattr(module, name)]
    if missing:
        raise GameFileError(f"{path} does not define {', '.join(missing)}")
    if not isinstance(module.STATE, np.dtype) or "to_play" not in (
        module.STATE.names or ()
    ):
        raise GameFileError(f"{path}: STATE must be a NumPy dtype with a field to_play")
    complete(module, how.wrap, how.wrap)
    return module


def _place_of(error: BaseException, path: Path) -> str:
    """Return "my_game.py:12": where in the file, or in a part of it, an error arose."""
    frames = [(f.f_code.co_filename, n) for f, n in walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        frames.append((error.filename or "", error.lineno or 0))
    inside = [(f, n) for f, n in frames if Path(f).parent == path.parent]
    return "{}:{}".format(*inside[-1]) if inside else str(path)


def _load_kernel(game: Game, module: ModuleType) -> ModuleType:
    """Execute the source of a kernel module over the rules of a game."""
    assert module.__file__ is not None
    path = Path(module.__file__)
    source = _read(path)
    derive(game._plain)
    if not game.compiled:
        name = f"ludens_plain_{path.parent.name}_{game.name}"
        how = Loading({}, wrap_around, wrap_around, rules=game.plain)
        return run_source(source, name, path, how)
    return run_kernel(source, path, game.spec, game._inner_rules)
