"""The protocol of the page: JSON objects over one WebSocket at `/ws`.

A client sends requests, each with an `id` of its own choosing and a word `do`; the
models below are all there are. Every request has one answer with its id:

    {"id": 7, "ok": true, ...}            what was asked for
    {"id": 7, "error": "one clear line"}  what was wrong; nothing has changed

A message that cannot be read is answered with the id null. Requests that think or watch
send events with their id before the answer: {"id": 7, "event": "analysis", ...}. They
may be sent while others run; a new `analyse` ends the one before it (its answer has
`"stopped": true`), `stop` ends any. Any request for a game may send {"event":
"preparing", "what": "gomoku:size=9", "progress": "2 of 7 parts"} first, more than once:
it waits until that game is compiled ("" if nobody knows how far it is).

The server keeps no games. A client sends the whole game each time (`SentGame`) and gets
a position back, which has `spec`, `seed` and `history` for the next request. A new game
has an empty history; `setup` counts only then. Undo is a shorter history: cut it before
a step of a player or an edit, so that chance's steps stay with the move they follow.

A position:

    spec, name     gomoku:size=9, gomoku
    title          what the game is, a line
    players        1 or 2
    seed           decides what chance does next
    history        actions and chance outcomes (int), edits (text), as in records
    steps          for each step {notation, player (0, 1, null), is_chance, is_edit}
    num_plies      actions so far
    to_play        0, 1, or null if the game is over
    colours        whose colour each player has: [0, 1], or [1, 0] after a swap
    is_over, result (1 player 0 has won, 0, -1, null), score (null for two players)
    outcome        a sentence about how the game stands
    reason         why the game is over, in a few words; "" if it is not or nobody says
    scene          shapes: kind, points, role, label, owner, choice, size and whatever
                   `ludens.game.Shape` has; fields that have their default are left out
                   (label "", owner -1, choice "", size 0.4)
    marked         indices into the scene of what the last action brought
    legal          {action, name, choices} for each legal action
    fouls          the same for illegal ones that would lose at once
    drawn          the position as text
    can_edit, can_solve
    edits          forms of `edit`, such as "set CELL first|second|empty": CELL stands
                   for the `choice` of a shape that is clicked, a|b|c for one of these,
                   another word in capitals for a text, the rest for itself

An analysis (event of `analyse`, `analysis` of `move`), all for the player to move:

    agent, player, sims, sims_per_s, value, winrate, discount, is_full (of memory)
    is_imagined    whether a learned model planned it, not the rules
    proof          "", win, draw or loss
    moves          best first: {action, name, visits, value, winrate, prior, proof,
                   interval: [low, high] of the winrate at 95 % (null: unknown),
                   line: [names]}; the first moves only have a long line, which `line`
                   turns into shapes
    is_done        whether this is the last event

In single-player games value and winrate are the expected score to come; if `discount`
is not 1, what comes n moves later counts that to the power of n, and the sum is no
forecast of a score. Scores in `outcome` and on the page are multiplied by
`points_per_score` (see `games`).

The address of a page: `/?game=SPEC&vs=AGENT&side=SIDE&seed=N&setup=TEXT` is what
`ludens play GAME --web` opens (vs=human: two people; side: first, second, 0 or 1),
`/?record=NAME` one of `records`; all parts may be missing. What follows # is the
client's own.
"""

import json
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from ludens.errors import Refusal
from ludens.web import limits

MAX_SEED = 2**53 - 1
"""JavaScript has no greater whole numbers."""
MAX_ERROR = 300
"""Characters of an error: a bad message is not sent back whole."""

Words = Annotated[str, StringConstraints(max_length=limits.MAX_WORDS)]
Step = Annotated[StrictInt, Field(ge=0, le=2**31 - 1)] | Words
Seconds = Annotated[float, Field(gt=0, le=limits.MAX_SECONDS, allow_inf_nan=False)]
Sims = Annotated[StrictInt, Field(ge=1, le=limits.MAX_SIMS)]


class Message(BaseModel):
    """What all messages and their parts have in common: nothing unknown."""

    model_config = ConfigDict(extra="forbid")


class SentGame(Message):
    """A game, whole: a position comes by replaying it."""

    spec: Words
    """A listed game with its options, such as gomoku:size=9."""
    history: Annotated[list[Step], Field(max_length=limits.MAX_STEPS)] = []
    seed: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)] | None = None
    """Decides what chance does next; without one the server makes one up."""
    setup: Annotated[str, StringConstraints(max_length=2_000)] = ""


class Variation(Message):
    """Another way that a game might have gone, as records have it."""

    of: Annotated[StrictInt, Field(ge=0, le=limits.MAX_STEPS)]
    at: Annotated[StrictInt, Field(ge=0, le=limits.MAX_STEPS)]
    history: Annotated[list[Step], Field(min_length=1, max_length=limits.MAX_STEPS)]


class Request(Message):
    """What all requests have."""

    id: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)]


class Games(Request):
    """List what there is.

    {games, agents, records, formats (names), points_per_score, version,
    max_message_bytes, max_text, is_watched (whether `changes` has something to tell)}.
    A longer message closes the socket. A game: {name, title, about,
    players, options, can_edit, can_solve, has_setup, levels}; an option: {name,
    default, help, low, high, choices}; a level: {level, agent, elo}, the first
    the weakest. An agent: {name, help, needs_net, players
    (1, 2, null: any), options}.
    """

    do: Literal["games"]


class Describe(Request):
    """Load a game with its options: {position, levels, nets, books, default_agent,
    note, can_look_ahead}.

    `position` is of its start; `levels` are for these options, `nets` the names that
    `net:weights=NAME` may have here, "" being the one that ships; `books` the names of
    books with openings of this game that `match` may begin from; `note` says that the
    default agent is weak, if it is; `can_look_ahead`, whether the agent lookahead plays
    the game.
    """

    do: Literal["describe"]
    game: SentGame


class Position(Request):
    """Show a position: {position}."""

    do: Literal["position"]
    game: SentGame


class Play(Request):
    """Play a step, an action or the text of one: {position, num_new}.

    `num_new` steps were added to the history: the move and what chance made of it.
    """

    do: Literal["play"]
    game: SentGame
    step: Step


class Observe(Request):
    """Show what a network sees: {player, planes: [{name, values: [[number]]}]}.

    A game that is over is an error.
    """

    do: Literal["observe"]
    game: SentGame


class Line(Request):
    """Show what steps would change, for ghosts and replays: {frames: [{added, gone}]}.

    Both are shapes as in `scene`: those that a step adds to it and takes away. Where
    chance has its turn a step is its outcome; none is drawn. Illegal is an error.
    """

    do: Literal["line"]
    game: SentGame
    steps: Annotated[list[Step], Field(min_length=1, max_length=40)]


class Why(Request):
    """Ask why no move begins with some choices: {why}, "" if nobody can tell."""

    do: Literal["why"]
    game: SentGame
    choices: Annotated[list[Words], Field(min_length=1, max_length=8)]


class Move(Request):
    """Let an agent play: {position, num_new, action, name, analysis}.

    For an agent that is at a loss (the solver out of time) the default agent moves, and
    `note` says so. `sims` and `seconds` come before what the agent's text says; seconds
    alone mean as many simulations as they allow.
    """

    do: Literal["move"]
    game: SentGame
    agent: Words
    sims: Sims | None = None
    seconds: Seconds | None = None


class Analyse(Request):
    """Think about a position: events `analysis` about 5 times a second, then {}.

    The answer has `stopped: true` if something ended it. `policy` as an agent is the
    view of the network alone.
    """

    do: Literal["analyse"]
    game: SentGame
    agent: Words
    sims: Sims | None = None
    seconds: Seconds | None = None


class Review(Request):
    """Look at every move of a game: an event `review` for each action, then {}.

    {step (index into history), player, name, value, winrate and score (before the
    move), best, best_action, played_winrate (null if nobody can tell), drop (of the
    winrate, 0 or more; in single-player games of the expected score), proof}; all for
    the player who moved.
    """

    do: Literal["review"]
    game: SentGame
    agent: Words
    sims: Sims | None = None


class Solve(Request):
    """Solve a position: {outcome (1, 0, -1 for the player to move), plies (null for a
    draw), words, best: [actions], best_names, line: [names], nodes, took_s}.

    Not solved in time is an error.
    """

    do: Literal["solve"]
    game: SentGame
    seconds: Seconds = 10.0


class Tree(Request):
    """Show the tree of a search: {tree}, and a tree is

    {title, choice, visits, rate, prior, proof, player (-1: chance, -2: the root),
    children: [trees], num_hidden (children that are not shown), is_leaf (there is
    nothing below)}. `path` leads from the root by the `choice` of each node to the one
    to show; the search of the last request is kept, so that opening a node is quick.
    """

    do: Literal["tree"]
    game: SentGame
    agent: Words
    sims: Sims | None = None
    path: Annotated[list[StrictInt], Field(max_length=200)] = []
    depth: Annotated[StrictInt, Field(ge=1, le=6)] = 2
    width: Annotated[StrictInt, Field(ge=1, le=32)] = 6
    min_visits: Annotated[StrictInt, Field(ge=1)] = 1


class Match(Request):
    """Let two agents play each other: events `match` about 5 times a second, then {}.

    {done (games), note (what it does before the first game), standing, boards,
    finished}. A board that has changed: {number,
    names (who plays first, who second), frame (as in `line`; a new number is a new
    game), plies, last (the move, and what its player expects), outcome
    ("" while it goes on)}. Of finished games {number, result (of the first player; in
    single-player games the score), record}. The standing, empty at first, is for the
    first agent: {wins, draws, losses, score, elo}; in a single-player game {means,
    gain}. Each but the counts is {value, low, high} at 95 %.

    Games come in pairs with sides swapped, from openings of so many random plies, or of
    a `book` that `describe` lists, or, where `even` is true, from random positions that
    the default agent finds about even. In a single-player game both agents have the
    same dice.
    """

    do: Literal["match"]
    spec: Words
    agents: Annotated[list[Words], Field(min_length=2, max_length=2)]
    games: Annotated[StrictInt, Field(ge=2, le=limits.MAX_MATCH_GAMES)] = 20
    openings: Annotated[StrictInt, Field(ge=0, le=100)] | None = None
    book: Words = ""
    even: bool = False
    seed: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)] = 0


class Edit(Request):
    """Change a position by hand, in words such as `set c3 first`: {position}."""

    do: Literal["edit"]
    game: SentGame
    text: Words


class Record(Request):
    """Write a game down: {record, text, name}: a file as commands have it.

    `format` is one of those that `games` lists; `variations` are as in records.
    """

    do: Literal["record"]
    game: SentGame
    players: Annotated[list[Words], Field(max_length=2)] = []
    variations: Annotated[list[Variation], Field(max_length=limits.MAX_STEPS)] = []
    format: Words = "json"


class Read(Request):
    """Read a game: {position, players, variations: [{of, at, history, steps}],
    num_games}.

    One of `text` (a file in any format, which may have many games: `number` says which,
    from 1; or moves of the game `spec`) and `name` (a record that `games` lists). A
    variation is as in records, and has `steps` as a position does.
    """

    do: Literal["read"]
    text: Annotated[str, StringConstraints(max_length=limits.MAX_TEXT)] = ""
    name: Words = ""
    spec: Words = ""
    number: Annotated[StrictInt, Field(ge=1, le=MAX_SEED)] = 1


class Rules(Request):
    """Tell the rules of a game in words: {blocks: [{kind, text, rows, scene}]}.

    A kind is heading, text, item, table (`rows`, the header first) or board (`scene` as
    in a position, and `text`, what it says to those who do not see it).
    """

    do: Literal["rules"]
    spec: Words


class Runs(Request):
    """List the runs of training: {runs: [{name, game, iteration, games, positions, elo,
    age_s, trouble, is_known (whether its game is listed), is_live}]}."""

    do: Literal["runs"]


class Run(Request):
    """Watch a run: the event `run` at once and after each iteration, until `stop`.

    {name, game, is_known, facts, config: {section: {setting: value}}, totals:
    {iterations, games, positions, seconds}, results: [won, drawn, lost by player 0],
    metrics: [{iteration, loss, elo, ...}] from the iteration after the last event on,
    nets: [iterations], size_bytes, net: {words, parameters}, is_live, cluster: what
    it did, in words, workers: a table under its header, empty without a cluster,
    games: those that are played now, the newest and ongoing: [{number, net, game:
    {spec, history}, values (what the searches expected for who moved), kinds (0: no
    search), ending, result, is_over, is_finished, is_live}]}.
    """

    do: Literal["run"]
    name: Words
    num_games: Annotated[StrictInt, Field(ge=0, le=24)] = 9


class Changes(Request):
    """Hear of rules whose files were changed: the event `changes`, until `stop`.

    {games: [names that were read again], troubles: {name: why it does not load}}.
    """

    do: Literal["changes"]


class Stop(Request):
    """End what the request with the id `of` began: {}; its own answer comes first."""

    do: Literal["stop"]
    of: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)]


AnyRequest = Annotated[
    Games
    | Describe
    | Position
    | Play
    | Observe
    | Line
    | Why
    | Move
    | Analyse
    | Review
    | Solve
    | Tree
    | Match
    | Edit
    | Record
    | Read
    | Rules
    | Runs
    | Run
    | Changes
    | Stop,
    Field(discriminator="do"),
]
_ANY: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)


def read_request(text: str) -> AnyRequest:
    """Return the request of a message, or say in one line what is wrong with it."""
    try:
        return _ANY.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        words = f"{place}: {first['msg']}" if place else first["msg"]
        raise Refusal(f"cannot read the message: {words[:MAX_ERROR]}") from None


def id_of(text: str) -> int | None:
    """Return the id that a message without a meaning may have all the same."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if type(found) is int and 0 <= found <= MAX_SEED else None


def printable(text: str) -> str:
    """Return a stranger's text as one line for the log."""
    short = text[:MAX_ERROR]
    return "".join(sign if sign.isprintable() else "?" for sign in short)
