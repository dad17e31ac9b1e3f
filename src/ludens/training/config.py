"""All settings of a training: layers of defaults, preset, file and command line."""

import json
import reprlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludens.errors import UserError, nearest
from ludens.files import read_bytes
from ludens.infer import DEVICES
from ludens.learn.config import LearnConfig, ReplayConfig
from ludens.loading.game import Game
from ludens.loading.options import Option, OptionValue
from ludens.nets.config import SIZES, NetConfig, fit
from ludens.search.config import SearchConfig
from ludens.selfplay.config import SelfplayConfig
from ludens.settings import options_of, setting, verify
from ludens.training.presets import (
    BASE,
    DEFAULT,
    Layer,
    game_layers,
    preset_layers,
)
from ludens.training.progress import BudgetConfig
from ludens.training.ranges import NOISE, widen

MAX_BYTES = 50_000
"""Of a file with settings; one with all of them, and their help, has 8,000."""
MAX_DOTS = 100
"""In a line: the reader takes a time that grows with the square of a key's parts."""
LARGEST_NUMBER = 2**64


@dataclass(frozen=True)
class EvalConfig:
    """How a net is examined while it learns."""

    every: int = setting(5, "iterations between evaluations; 0: never")
    games: int = setting(40, "games against each opponent")
    sims: int = setting(64, "simulations of the net", low=1)
    mcts_sims: int = setting(400, "simulations of the rollout search it plays")
    opponents: str = setting("", "more agents it plays, such as: greedy mcts:sims=50")
    earlier: int = setting(2, "earlier nets it plays")
    solved_positions: int = setting(
        200, "solved positions to test on, never learned from"
    )
    solving_seconds: float = setting(60.0, "time limit for solving them")
    gate: bool = setting(False, "a new net must beat the old one to be used")
    gate_share: float = setting(0.55, "score that a new net needs", high=1)
    gate_games: int = setting(100, "games of a gating match", low=2)

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class KeepConfig:
    """What a run keeps of its iterations; all games are kept."""

    nets: int = setting(5, "newest nets that stay", low=2, high=1_000_000)
    nets_every: int = setting(
        10, "nets of iterations that this divides stay, too; 0: no others"
    )
    # The newest, and the one before in case the newest is damaged.
    states: int = setting(2, "newest states of the learner that stay", 2, 1_000_000)

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class ClusterConfig:
    """How a cluster plays, where there is one."""

    threads: int = setting(0, "threads of a worker; 0: the cores of its node")
    device: str = setting("auto", "where its networks run", choices=DEVICES)
    lag: int = setting(
        0, "1: an iteration is played while the one before is learned", high=1
    )

    def __post_init__(self) -> None:
        verify(self)


@dataclass(frozen=True)
class Config:
    """What a run is made from; with the same one it can be made again."""

    game: str
    seed: int
    preset: str
    net: NetConfig
    search: SearchConfig
    selfplay: SelfplayConfig
    replay: ReplayConfig
    learn: LearnConfig
    evaluate: EvalConfig
    budget: BudgetConfig
    keep: KeepConfig
    cluster: ClusterConfig

    def __post_init__(self) -> None:
        searched, learned = self.search.discount, self.replay.discount
        if searched != learned:
            raise UserError(
                f"search.discount={searched:g} and replay.discount={learned:g} must be"
                " the same: what is learned is what the search adds up"
            )
        if self.net.codes and self.replay.unroll < 2:
            raise UserError(
                "net.codes needs replay.unroll of at least 2: an action, then chance"
            )


SECTIONS: Mapping[str, Any] = {
    "net": NetConfig,
    "search": SearchConfig,
    "selfplay": SelfplayConfig,
    "replay": ReplayConfig,
    "learn": LearnConfig,
    "evaluate": EvalConfig,
    "budget": BudgetConfig,
    "keep": KeepConfig,
    "cluster": ClusterConfig,
}
SEED = Option("seed", 0, "decides all that is random", low=0, high=2**53)
RENAMED = {
    ("evaluate", "truth_positions"): "solved_positions",
    ("evaluate", "truth_seconds"): "solving_seconds",
}
"""Settings by the names that older versions gave them, which still work."""
TEXTS = ("game", "preset")
Values = dict[str, dict[str, OptionValue]]


def read_config(
    game: Game,
    preset: str = "",
    toml: Path | None = None,
    sets: Iterable[str] = (),
    method: str = "",
    origin: Layer | None = None,
) -> Config:
    """Return the settings for a game: preset, game, file, then `section.key=value`.

    Without a preset it is the one that the file names. `origin` comes before the file:
    the network of the one to begin with.
    """
    written = read_file(toml) if toml else {}
    texts = written.pop("", {})
    if "game" in texts and texts["game"] != game.spec:
        raise UserError(f"{toml} is for {texts['game']}, not for {game.spec}")
    name = preset or str(texts.get("preset", DEFAULT))
    layers = [*preset_layers(game, name, method), *_read_training(game, name, method)]
    layers += [origin or {}, written, read_sets(sets)]
    config = _build(game.spec, name, layers)
    if game.environment is not None:
        config = _suit(config, game)
    return replace(config, net=fit(config.net, game)[0])


def _suit(config: Config, game: Game) -> Config:
    """Set what is to be learned in an environment by what random episodes bring."""
    net = widen(config.net, game, config.replay.discount)
    spread = config.search.least_spread or NOISE * (net.value_high - net.value_low)
    return replace(
        config, net=net, search=replace(config.search, least_spread=round(spread, 9))
    )


def size_sets(size: str) -> list[str]:
    """Return the settings of a net of a size such as small; none for no size."""
    if not size:
        return []
    if size not in SIZES:
        raise UserError(f"there is no net of size {size!r}{nearest(size, SIZES)}")
    names = ("blocks", "channels", "pool_every", "hidden")
    return [f"net.{name}={getattr(SIZES[size], name)}" for name in names]


def parse_config(text: str, whose: str) -> Config:
    """Return the settings that `to_toml` has written."""
    written = _parse(text, whose)
    texts = written.pop("", {})
    for name in TEXTS:
        if name not in texts:
            raise UserError(f"{whose} does not say which {name} it is for")
    return _build(str(texts["game"]), str(texts["preset"]), [BASE, written])


def to_toml(config: Config) -> str:
    """Write every setting with its line of help; reading it gives the same config."""
    lines = [f"{name} = {_literal(getattr(config, name))}" for name in TEXTS]
    lines.append(f"seed = {config.seed}  # {SEED.help}")
    for section in SECTIONS:
        settings = getattr(config, section)
        lines += ["", f"[{section}]"]
        for name, option in options_of(settings).items():
            value = _literal(getattr(settings, name))
            lines.append(f"{name} = {value}  # {option.help}")
    return "\n".join(lines) + "\n"


def describe() -> str:
    """List every setting with its default and its line of help, by section."""
    paragraphs = [_row("seed", SEED)]
    for section, kind in SECTIONS.items():
        rows = [f"{section}: {_first_line(kind)}"]
        for name, option in options_of(kind).items():
            default = BASE.get(section, {}).get(name, option.default)
            rows.append(_row(f"{section}.{name}", replace(option, default=default)))
        paragraphs.append("\n".join(rows))
    return "\n\n".join(paragraphs)


def _build(game: str, preset: str, layers: Sequence[Layer]) -> Config:
    """Put layers on top of the defaults, the last one uppermost."""
    merged: Values = {}
    for layer in layers:
        for section, values in layer.items():
            today = {_today(section, key): value for key, value in values.items()}
            merged.setdefault(section, {}).update(today)
    seed = merged.pop("seed", {}).get("seed", SEED.default)
    built = {}
    for section, kind in SECTIONS.items():
        try:
            built[section] = kind(**merged.get(section, {}))
        except UserError as error:
            raise UserError(f"{section}: {error}") from None
    return Config(game, int(seed), preset, **built)


def read_sets(sets: Iterable[str]) -> Values:
    """Read texts such as learn.lr=0.001."""
    found: Values = {}
    for text in sets:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"cannot read --set {text}; write section.key=value")
        section, _, key = name.strip().partition(".")
        if section == "seed" and not key:
            key = section
        key = _today(section, key)
        found.setdefault(section, {})[key] = _read_value(section, key, value.strip())
    return found


def read_file(path: Path) -> Values:
    try:
        text = read_bytes(path, MAX_BYTES, "settings").decode("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: it is not text") from None
    return _parse(text, str(path))


def _parse(text: str, whose: str) -> Values:
    """Read TOML: values by section and key; the texts at the top have no section."""
    try:
        if len(text) > MAX_BYTES:
            raise ValueError("it is too long for settings")
        if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
            raise ValueError("a line has too many dots")
        written = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number may be too long, too
        raise UserError(f"cannot read {whose}: {error}") from None
    try:
        return _read_sections(written)
    except UserError as error:
        raise UserError(f"{whose}: {error}") from None


def _read_training(game: Game, preset: str, method: str) -> list[Values]:
    """Return the layers of settings that the game's own file gives."""
    try:
        return [_read_sections(layer) for layer in game_layers(game, preset, method)]
    except UserError as error:
        raise UserError(f"{game.path}: TRAINING: {error}") from None


def _read_sections(written: Mapping[str, Any]) -> Values:
    """Return the values by section and key, each in its setting's own type."""
    found: Values = {}
    for name, value in written.items():
        if name in TEXTS:
            found.setdefault("", {})[name] = str(value)
        elif isinstance(value, dict):
            _refuse_unknown(name, "any")
            today = {_today(name, key): v for key, v in value.items()}
            found[name] = {k: _read_value(name, k, v) for k, v in today.items()}
        else:
            key = "seed" if name == "seed" else ""
            found[name] = {name: _read_value(name, key, value)}
    return found


def _today(section: str, key: str) -> str:
    """Return the name that a setting has now."""
    return RENAMED.get((section, key), key)


def _read_value(section: str, key: str, value: Any) -> OptionValue:
    """Return the value of a setting in its own type, or say what is wrong."""
    name = f"{section}.{key}" if key not in ("", section) else section
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        raise UserError(f"{name} is too large a number")
    if not isinstance(value, (bool, int, float, str)):
        raise UserError(f"{name} cannot be {_shown(value)}; it is a single value")
    if section == key == SEED.name:
        return SEED.read(value)
    _refuse_unknown(section, key)
    known = options_of(SECTIONS[section])
    if key not in known:
        raise UserError(f"{section} has no setting {key!r}{nearest(key, known)}")
    return replace(known[key], name=f"{section}.{key}").read(value)


def _shown(value: Any) -> str:
    """Return a value as it is written, if it is short."""
    try:
        return reprlib.repr(value)
    except ValueError:  # a number of thousands of digits
        return f"such a {type(value).__name__}"


def _refuse_unknown(section: str, key: str) -> None:
    """Refuse a section that does not exist, or a key or section without the other."""
    if section == SEED.name:
        raise UserError("seed is a setting without a section; write seed=value")
    if section in SECTIONS and not key:
        raise UserError(f"{section} is a section; write {section}.key=value")
    if section in SECTIONS:
        return
    owners = [s for s, kind in SECTIONS.items() if section in options_of(kind)]
    if owners and not key:
        raise UserError(f"{section!r} needs its section; write {owners[0]}.{section}")
    hint = nearest(section, (*SECTIONS, SEED.name))
    raise UserError(f"there is no section {section!r}{hint}")


def _literal(value: OptionValue) -> str:
    """Write a value as TOML does, which for these types is as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def _row(name: str, option: Option) -> str:
    default = _literal(option.default).strip('"')
    choices = f" ({option.allowed})" if option.choices else ""
    return f"  {name:<26} {default:>7}  {option.help}{choices}"


def _first_line(kind: Any) -> str:
    return str(kind.__doc__).splitlines()[0].rstrip(".").lower()
