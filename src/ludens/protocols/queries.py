"""What a client asks an engine: lines of JSON with the names of KataGo's engine."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from ludens.errors import UserError

MAX_VISITS = 10**9
Word = Annotated[str, Field(max_length=200)]
Move = Word | tuple[Any, Word]
"""A move, or a player and a move, as KataGo has it."""
Count = Annotated[StrictInt, Field(ge=0, lt=2**53)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class BadQuery(UserError):
    """A query that cannot be answered: its id, and the field that is to blame."""

    def __init__(self, why: object, field: str = "", id: str | None = None) -> None:
        super().__init__(str(why))
        self.field = field
        self.id = id


class Query(BaseModel):
    """What all queries have in common."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow")

    id: Annotated[str, Field(min_length=1, max_length=1000)]

    @property
    def unknown(self) -> list[str]:
        """The fields that nobody reads."""
        return sorted(self.model_extra or {})


class Position(Query):
    """A query about a position, which moves or a history lead to."""

    moves: str | list[Move] = []
    history: list[StrictInt | Word] | None = None
    """Actions, chance outcomes and edits, as in records, in place of moves."""
    setup: Annotated[str, Field(max_length=2000)] = ""
    seed: Count = 0
    """Decides what chance does, where the history does not say it."""

    @property
    def moves_text(self) -> str:
        """The moves in notation, one after the other."""
        if isinstance(self.moves, str):
            return self.moves
        return " ".join(m if isinstance(m, str) else m[1] for m in self.moves)


class Thinking(Position):
    """A query that takes time."""

    max_visits: Annotated[StrictInt, Field(ge=1, le=MAX_VISITS)] | None = None
    max_time: Seconds | None = None
    priority: Annotated[StrictInt, Field(ge=-(2**31), lt=2**31)] = 0
    """Greater ones come first."""


class AllowedMoves(BaseModel):
    """Moves that are allowed, as KataGo has it; here they are those of the next turn.

    `player` is who is to move, and is not read.
    """

    model_config = ConfigDict(alias_generator=to_camel)

    moves: list[Word]
    until_depth: int = 1


class Analyze(Thinking):
    """Analyse positions of a game."""

    action: Literal["analyze"] = "analyze"
    analyze_turns: Annotated[list[Count], Field(min_length=1)] | None = None
    """After how many moves; None: after all of them."""
    report_during_search_every: Seconds | None = None
    include_policy: bool = False
    allow_moves: list[Word | AllowedMoves] = []
    """The only moves to look at; none: all."""

    @property
    def allowed(self) -> Iterator[str]:
        """Each allowed move."""
        for one in self.allow_moves:
            if isinstance(one, AllowedMoves) and one.until_depth != 1:
                raise BadQuery("untilDepth can be 1 only", "allowMoves")
            yield from [one] if isinstance(one, str) else one.moves


class Genmove(Thinking):
    """Choose a move."""

    action: Literal["genmove"]


class Solve(Thinking):
    """Solve a position."""

    action: Literal["solve"]


class Legal(Position):
    """List the legal moves."""

    action: Literal["legal"]


class QueryVersion(Query):
    """Say what this is."""

    action: Literal["query_version"]


class Terminate(Query):
    """End a query, which is answered with what is known by then."""

    action: Literal["terminate"]
    terminate_id: str
    turn_numbers: list[Count] | None = None


class TerminateAll(Query):
    """End all queries."""

    action: Literal["terminate_all"]
    turn_numbers: list[Count] | None = None


class ClearCache(Query):
    """Forget what was thought before."""

    action: Literal["clear_cache"]


AnyQuery = Annotated[
    Analyze
    | Genmove
    | Solve
    | Legal
    | QueryVersion
    | Terminate
    | TerminateAll
    | ClearCache,
    Field(discriminator="action"),
]
_ANY: TypeAdapter[Any] = TypeAdapter(AnyQuery)


def read_query(text: str) -> Any:
    """Return the query of a line, or raise BadQuery."""
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        raise BadQuery("the line is not JSON") from None
    if not isinstance(sent, dict):
        raise BadQuery("the line is not a JSON object")
    try:
        return _ANY.validate_python({"action": "analyze"} | sent)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = (*first["loc"], "action")[min(1, len(first["loc"]))]
        known = sent.get("id")
        known = known if isinstance(known, str) else None
        raise BadQuery(first["msg"], str(place), known) from None
