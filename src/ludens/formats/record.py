"""A played game as JSON: the game, its options, the history and the result."""

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from ludens.errors import UserError
from ludens.files import read_bytes, write_text
from ludens.loading.game import Game, load_named
from ludens.loading.options import OptionValue
from ludens.state import State

MAX_BYTES = 2_000_000
MAX_STEPS = 20_000
MAX_EDITS = 1_000
"""An edit is done by plain rules and takes 0.1 ms."""


class Record(BaseModel):
    """One played game; everything else follows by replaying it."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["ludens-record-1"] = "ludens-record-1"
    game: str = Field(pattern=r"^[^/\\:]+$")  # a name, never a path: it would be run
    options: dict[str, OptionValue] = Field(default_factory=dict)
    players: list[str] = Field(default_factory=list)
    history: list[StrictInt | StrictStr]
    result: float | None = None
    score: float | None = None

    @classmethod
    def of(cls, state: State, players: tuple[str, ...] = ()) -> "Record":
        """Return the record of the game that led to a state."""
        alone = state.game.num_players == 1
        return cls(
            game=Path(state.game.name).stem,
            options=state.game.changed_options,
            players=list(players),
            history=list(state.history),
            result=state.result,
            score=round(state.score, 9) if alone else None,
        )

    def load_game(self, rules: str = "") -> Game:
        """Return the game with these options; `rules` is its file if it has one."""
        return load_named(self.game, rules=rules, options=self.options)

    def replay(self, game: Game) -> State:
        """Return the state at the end of the history; the result must be the same."""
        self._refuse_long()
        state = State.replay(game, self.history)
        truth = Record.of(state)
        for name in ("result", "score"):
            claim, fact = getattr(self, name), getattr(truth, name)
            if claim != fact:
                raise UserError(f"the record says {name} {claim}, the rules say {fact}")
        return state

    def _refuse_long(self) -> None:
        edits = sum(isinstance(step, str) for step in self.history)
        if len(self.history) > MAX_STEPS or edits > MAX_EDITS:
            most = f"{MAX_STEPS:,} steps and {MAX_EDITS:,} edits"
            raise UserError(f"the record is too long; one has at most {most}")


def load_record(path: Path) -> Record:
    """Read a record file, or say in one line what is wrong with it."""
    written = _parse(read_bytes(path, MAX_BYTES, "a game record"), path)
    try:
        return Record.model_validate(written)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(
            f"{path} is not a game record: {place}: {first['msg']}"
        ) from None


def _parse(content: bytes, path: Path) -> object:
    try:
        written = json.loads(content)
    except (ValueError, RecursionError) as error:  # a number may be too long, too
        raise UserError(f"{path} is not JSON: {error}") from None
    for part in written.values() if isinstance(written, dict) else ():
        if isinstance(part, (list, dict)) and len(part) > MAX_STEPS:
            raise UserError(f"{path} is not a game record: it is too long")
    return written


def save_record(record: Record, path: Path) -> None:
    """Write a record; a crash leaves the old file or the new one, whole."""
    write_text(path, json.dumps(record.model_dump(exclude_none=True), indent=1) + "\n")
