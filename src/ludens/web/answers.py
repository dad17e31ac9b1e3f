"""Answers that need no thinking: what there is, positions, moves, edits, records."""

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

from ludens.agents.foresight import can_look_ahead
from ludens.errors import UserError
from ludens.formats.boards import Asked, Found
from ludens.formats.record import Record, Variation, parse_record
from ludens.formats.registry import FORMATS, format_of, right, seen_format
from ludens.formats.rulebook import Block, read_rules
from ludens.formats.words import POINTS
from ludens.nets.shipped import usual_agent, weakness
from ludens.pictures.planes import planes_of
from ludens.web import limits, messages
from ludens.web.leaving import unless_gone
from ludens.web.levels import levels_of
from ludens.web.library import Library, describe_game
from ludens.web.players import list_agents
from ludens.web.positions import (
    frames_of,
    open_game,
    position_of,
    scene_of,
    tell_game,
    tell_variations,
    why_not,
)
from ludens.web.runs import list_all

Reply = dict[str, Any]


class Answers:
    """Answer a request at once, from the games of a library."""

    def __init__(self, library: Library, is_watched: bool = False) -> None:
        self.library = library
        self._is_watched = is_watched
        self._version = version("ludens")
        self._by_kind: dict[type[messages.Request], Callable[[Any], Reply]] = {
            messages.Games: self._games,
            messages.Describe: self._describe,
            messages.Position: self._position,
            messages.Play: self._play,
            messages.Observe: self._observe,
            messages.Line: self._line,
            messages.Why: self._why,
            messages.Edit: self._edit,
            messages.Record: self._record,
            messages.Read: self._read,
            messages.Rules: self._rules,
            messages.Runs: self._runs,
        }

    def knows(self, request: messages.AnyRequest) -> bool:
        """Tell whether a request is answered here."""
        return type(request) in self._by_kind

    def answer(self, request: messages.AnyRequest) -> Reply:
        """Return the answer; a UserError says what is wrong with the request."""
        return self._by_kind[type(request)](request)

    def _games(self, _: messages.Games) -> Reply:
        games = []
        for name in self.library.files:
            try:
                game = self.library.shelve(name).game
            except UserError as error:  # one that does not load hides no other
                games.append({"name": name, "trouble": str(error)})
                continue
            games.append(describe_game(name, game) | {"levels": levels_of(game)})
        return {
            "games": games,
            "agents": list_agents(self.library.engines),
            "records": list(self.library.records),
            "formats": [name for name in FORMATS if name != "moves"],
            "points_per_score": POINTS,
            "max_message_bytes": limits.MAX_MESSAGE_BYTES,
            "max_text": limits.MAX_TEXT,
            "version": self._version,
            "is_watched": self._is_watched,
        }

    def _describe(self, request: messages.Describe) -> Reply:
        state, told = tell_game(self.library, request.game)
        return {
            "position": position_of(state, told),
            "levels": levels_of(state.game),
            "nets": self.library.nets(state.game),
            "books": self.library.books_for(state.game),
            "default_agent": usual_agent(state.game),
            "note": weakness(state.game),
            "can_look_ahead": can_look_ahead(state.game),
        }

    def _position(self, request: messages.Position) -> Reply:
        return {"position": position_of(*tell_game(self.library, request.game))}

    def _play(self, request: messages.Play) -> Reply:
        state, told = tell_game(self.library, request.game)
        length = len(state.history)
        state.apply(request.step)
        num_new = len(state.history) - length
        return {"position": position_of(state, told), "num_new": num_new}

    def _observe(self, request: messages.Observe) -> Reply:
        state = open_game(self.library, request.game)
        planes = [plane.to_json() for plane in planes_of(state)]
        return {"player": state.to_play, "planes": planes}

    def _line(self, request: messages.Line) -> Reply:
        state = open_game(self.library, request.game)
        return {"frames": frames_of(state, request.steps)}

    def _why(self, request: messages.Why) -> Reply:
        state = open_game(self.library, request.game)
        return {"why": why_not(state, request.choices)}

    def _edit(self, request: messages.Edit) -> Reply:
        state, told = tell_game(self.library, request.game)
        state.edit(request.text)
        return {"position": position_of(state, told)}

    def _record(self, request: messages.Record) -> Reply:
        state = open_game(self.library, request.game)
        lines = [Variation(**vars(one)) for one in request.variations]
        record = Record.of(state, tuple(request.players), lines)
        record.replay(state.game)
        kind = format_of(request.format)
        suffix = (*kind.suffixes, ".txt")[0]
        return {
            "record": record.written(),
            "text": kind.write(record),
            "name": f"{record.game}{suffix}",
        }

    def _read(self, request: messages.Read) -> Reply:
        if request.name:
            return self._replay(self.library.record(request.name))
        text = request.text.strip()
        kind = seen_format(text)
        if kind is FORMATS["json"]:
            return self._replay(parse_record(text, "this"))
        asked = self._asked(request.spec)
        if kind is not None and (kind.name != "moves" or text.startswith("#")):
            return self._replay(*_pick(kind.read(text, asked), request.number))
        if not request.spec:
            raise UserError("moves need the game that they are of")
        state = open_game(self.library, messages.SentGame(spec=request.spec))
        for _ in unless_gone(state.play_moves(text)):
            _refuse_long(state.history)
        position = position_of(state)
        return {"position": position, "players": [], "variations": [], "num_games": 1}

    def _asked(self, spec: str) -> Asked:
        """Return the game on the table, for what a file leaves open."""
        return Asked.of(self.library.shelve(spec).game) if spec else Asked()

    def _replay(self, record: Record, num_games: int = 1) -> Reply:
        lines = [record.history, *(one.history for one in record.variations)]
        _refuse_long([step for line in lines for step in line])
        game = self.library.game_of(record)
        sent = messages.SentGame(spec=game.spec, history=record.replay(game).history)
        position = position_of(*tell_game(self.library, sent))
        variations = tell_variations(game, record)
        return {
            "position": position,
            "players": record.players,
            "variations": variations,
            "num_games": num_games,
        }

    def _rules(self, request: messages.Rules) -> Reply:
        blocks = read_rules(self.library.shelve(request.spec).game)
        return {"blocks": [_told(block) for block in blocks]}

    def _runs(self, _: messages.Runs) -> Reply:
        return {"runs": list_all(self.library)}


def _told(block: Block) -> Reply:
    """Return a piece of the rules as JSON; a board is named by what it draws."""
    text = block.text if block.kind != "board" else "an example on a small board"
    return vars(block) | {"text": text, "scene": scene_of(block.scene)}


def _pick(games: Iterator[Found], number: int) -> tuple[Record, int]:
    """Return a game of a text by its number, and how many games there are."""
    picked, count = None, 0
    try:
        for count, found in enumerate(unless_gone(games), 1):
            picked = found if count == number else picked
    except UserError:  # the rest cannot be read
        if picked is None:
            raise
    if picked is None:
        raise UserError(f"there is no game {number:,} in this text")
    return right(picked), count


def _refuse_long(history: Sequence[object]) -> None:
    if len(history) > limits.MAX_STEPS:
        raise UserError(f"a game here has at most {limits.MAX_STEPS:,} steps")
