"""A played game as JSON: the game, its options, the history and the result."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictInt,
    StrictStr,
    ValidationError,
)

from ludens.errors import BadStep, UserError
from ludens.files import read_bytes, write_text
from ludens.loading.game import Game, load_named
from ludens.loading.options import OptionValue
from ludens.state import State, Step

MAX_BYTES = 2_000_000
MAX_STEPS = 20_000
"""Of the game and all its variations."""
MAX_EDITS = 1_000
"""An edit is done by plain rules and takes 0.1 ms."""
Steps = list[StrictInt | StrictStr]
Model = TypeVar("Model", bound=BaseModel)


class Variation(BaseModel):
    """Another way that a game might have gone."""

    model_config = ConfigDict(extra="forbid")

    of: Annotated[int, Field(strict=True, ge=0)] = 0
    """The line that it leaves: 0 is the game itself, n the n-th variation."""
    at: Annotated[int, Field(strict=True, ge=0)]
    """How many steps from the start of the game it shares with that line."""
    history: Annotated[Steps, Field(min_length=1)]
    """Its own steps."""


class Record(BaseModel):
    """One played game; everything else follows by replaying it."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["ludens-record-1"] = "ludens-record-1"
    game: str = Field(pattern=r"^[^/\\:]+$")  # a name, never a path: it would be run
    options: dict[str, OptionValue] = Field(default_factory=dict)
    players: list[str] = Field(default_factory=list)
    history: Steps
    variations: list[Variation] = Field(default_factory=list)
    result: float | None = None
    agreed: Literal[-1, 0, 1] | None = None
    """The result of a game that was resigned, or ended by agreement or by the clock."""
    score: float | None = None
    _lines: list[int] | None = PrivateAttr(None)
    """The line of each step in a file of another program, which may know no result."""

    @classmethod
    def of(
        cls,
        state: State,
        players: tuple[str, ...] = (),
        variations: Sequence[Variation] = (),
        agreed: Literal[-1, 0, 1] | None = None,
    ) -> "Record":
        """Return the record of the game that led to a state."""
        alone = state.game.num_players == 1
        return cls(
            game=Path(state.game.name).stem,
            options=state.game.changed_options,
            players=list(players),
            history=list(state.history),
            variations=list(variations),
            result=state.result,
            agreed=None if state.is_over else agreed,
            score=round(state.score, 9) if alone else None,
        )

    @classmethod
    def foreign(cls, lines: list[int], **fields: Any) -> "Record":
        """Return the record of another program's file; `lines` are those of steps."""
        record = cls(**fields)
        record._lines = lines
        return record

    def load_game(self, rules: str = "") -> Game:
        """Return the game with these options; `rules` is its file if it has one."""
        return load_named(self.game, rules=rules, options=self.options)

    def replay(self, game: Game) -> State:
        """Return the state at the end of the history; the result must be the same."""
        self._refuse_long()
        try:
            state = State.replay(game, self.history)
        except BadStep as error:
            if self._lines is None:
                raise
            line = self._lines[error.number - 1]
            raise UserError(f"line {line}: {error}") from None
        self._check_claims(state)
        if self.variations:
            _check_variations(state.copy(), [self._main, *self.variations])
        return state

    def settled(self, game: Game) -> "Record":
        """Return the record as our own files have it, its result by the rules."""
        state = self.replay(game)
        return Record.of(state, tuple(self.players), self.variations, self.agreed)

    def written(self) -> dict[str, Any]:
        """Return what a file has of the record."""
        fields = self.model_dump(exclude_none=True)
        if not self.variations:
            del fields["variations"]
        return fields

    @property
    def _main(self) -> Variation:
        """The game itself as a line among its variations."""
        return Variation.model_construct(of=0, at=0, history=self.history)

    def _check_claims(self, state: State) -> None:
        """Refuse a result or a score that the rules do not confirm."""
        truth = Record.of(state)
        claims = {"result": self.result, "score": self.score}
        if self._lines is not None:
            claims = {}
        if state.is_over and self.agreed is not None:
            claims = {"result": self.agreed}
        for name, claim in claims.items():
            fact = getattr(truth, name)
            if claim != fact:
                raise UserError(f"the record says {name} {claim}, the rules say {fact}")

    def _refuse_long(self) -> None:
        lines = (self.history, *(one.history for one in self.variations))
        steps = sum(map(len, lines))
        edits = sum(isinstance(step, str) for line in lines for step in line)
        if steps > MAX_STEPS or edits > MAX_EDITS:
            most = f"{MAX_STEPS:,} steps and {MAX_EDITS:,} edits"
            raise UserError(f"the record is too long; one has at most {most}")


def _check_variations(state: State, lines: list[Variation]) -> None:
    """Play all variations, each step once; `state` is at the end of the game."""
    branches: list[list[int]] = [[] for _ in lines]
    for number, line in enumerate(lines[1:], 1):
        _check_branch(number, line, lines)
        branches[line.of].append(number)
    waiting = _last_first(branches[0], lines)
    while waiting:
        number = waiting.pop()
        try:
            _rewind(state, lines[number].at)
            _play(state, lines[number].history)
        except UserError as error:
            raise UserError(f"variation {number}: {error}") from None
        waiting += _last_first(branches[number], lines)


def _check_branch(number: int, line: Variation, lines: list[Variation]) -> None:
    """Refuse a variation of a line that comes later, or that it cannot leave there."""
    left = lines[line.of] if line.of < number else None
    if left is None or not left.at <= line.at < left.at + len(left.history):
        where = f"line {line.of} after {line.at:,} steps"
        raise UserError(f"variation {number} cannot leave {where}")


def _last_first(numbers: list[int], lines: list[Variation]) -> list[int]:
    """Return lines for a stack: those that leave theirs late are on top."""
    return sorted(numbers, key=lambda number: lines[number].at)


def _rewind(state: State, length: int) -> None:
    while len(state.history) > length:
        state.undo()
    if len(state.history) < length:
        raise UserError("it does not begin with a move")


def _play(state: State, history: Sequence[Step]) -> None:
    for step in history:
        try:
            state.apply_step(step)
        except UserError as error:
            raise BadStep(len(state.history) + 1, error) from None


def parse_record(content: str | bytes, source: Path | str) -> Record:
    """Return the record that a text is, or say in one line what is wrong with it."""
    return parse_as(Record, "a game record", content, source)


def parse_as(
    model: type[Model], what: str, content: str | bytes, source: Path | str
) -> Model:
    """Return what a text of JSON is, or say in one line why it is not that."""
    try:
        written = json.loads(content)
    except (ValueError, RecursionError) as error:  # a number may be too long, too
        raise UserError(f"{source} is not JSON: {error}") from None
    for part in written.values() if isinstance(written, dict) else ():
        if isinstance(part, (list, dict)) and len(part) > MAX_STEPS:
            raise UserError(f"{source} is not {what}: it is too long")
    try:
        return model.model_validate(written)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"{source} is not {what}: {place}: {first['msg']}") from None


def format_record(record: Record) -> str:
    """Return a record as JSON."""
    return json.dumps(record.written(), indent=1) + "\n"


def load_record(path: Path) -> Record:
    """Read a record file, or say in one line what is wrong with it."""
    return parse_record(read_bytes(path, MAX_BYTES, "a game record"), path)


def save_record(record: Record, path: Path) -> None:
    """Write a record; a crash leaves the old file or the new one, whole."""
    write_text(path, format_record(record))
