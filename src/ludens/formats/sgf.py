"""SGF of gomoku, FF[4] GM[4]: letters from the top left, with variations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import NamedTuple

from ludens.errors import UserError
from ludens.formats.boards import (
    GOMOKU,
    MOST_SIDE,
    RULE,
    SIZE,
    Asked,
    Found,
    check_side,
    find_rule,
    one_line,
    point,
    require_stones,
    side_of,
)
from ludens.formats.record import MAX_STEPS, Record, Variation
from ludens.formats.strings import name_point
from ludens.loading.options import OptionValue
from ludens.state import Step

MAX_TOKENS = 5 * MAX_STEPS
"""Of one game."""
_TOKEN = re.compile(r"[();\[]|[A-Za-z]{1,40}")
_END = re.compile(r"[\\\]]")
_SETUP = {"AB": "first", "AW": "second", "AE": "empty"}
_COLOURS = {"B": 0, "W": 1}
_PLAYERS = ("first", "second")
_NAMES = ("black", "white")
_STEPS = {*_SETUP, *_COLOURS, "PL"}
_LETTERS = ascii_lowercase[:MOST_SIDE]
_GAMES = ("1", "4")
"""Go, as many files of gomoku say, and gomoku."""


class _Turn(NamedTuple):
    """Whose turn it is, and whether anybody has moved."""

    player: int = 0
    has_moved: bool = False


@dataclass
class _Node:
    """A node of the tree, with its properties as the file has them."""

    line: int
    values: list[tuple[str, str]] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    leads_on: bool = True
    """Whether it, or a node below it, has a move or an edit."""

    def first(self, name: str) -> str:
        """Return the first value of a property, "" if there is none."""
        return next((value for key, value in self.values if key == name), "")


def looks_like(text: str) -> bool:
    """Tell whether a text begins as a tree of SGF does."""
    return re.match(r"\s*\(\s*;", text[:2000]) is not None


def read(text: str, asked: Asked) -> Iterator[Found]:
    """Yield the games of a collection."""
    found = False
    for nodes in _trees(text):
        found = True
        try:
            yield _record(nodes, asked)
        except UserError as error:
            yield error
    if not found:
        raise UserError("line 1: there is no game in it, which begins with '(;'")


def _trees(text: str) -> Iterator[list[_Node]]:
    """Yield the nodes of each game, the root first and parents before children."""
    nodes: list[_Node] = []
    above: list[int] = []
    here, name, count, line = -1, "", 0, 1
    for token, value, line in _tokens(text):
        count += 1
        if count > MAX_TOKENS or len(nodes) > MAX_STEPS:
            raise UserError(f"line {line}: the game is too long")
        if token == "(":
            above.append(here)
            name = ""
        elif token == ")":
            if not above:
                raise UserError(f"line {line}: ')' closes nothing")
            here, name = above.pop(), ""
            if not above and nodes:
                _prune(nodes)
                yield nodes
                nodes, count = [], 0
        elif not above:
            continue  # what stands before and between games
        elif token == ";" and (here >= 0 or not nodes):
            if here >= 0:
                nodes[here].children.append(len(nodes))
            here, name = len(nodes), ""
            nodes.append(_Node(line))
        elif here < 0 or (token == "[" and not name):
            raise UserError(f"line {line}: {token[:9]!r} stands outside a node")
        elif token == "[":
            nodes[here].values.append((name, value))
        else:
            # Older files write Black for B; only capitals count.
            name = "".join(sign for sign in token if sign.isupper()) or token
    if above:
        raise UserError(f"line {line}: the file ends within a game")


def _prune(nodes: list[_Node]) -> None:
    """Take away what leads to no move, such as comments after the last one."""
    for node in reversed(nodes):
        node.children = [child for child in node.children if nodes[child].leads_on]
        node.leads_on = bool(node.children) or any(
            name in _STEPS for name, _ in node.values
        )


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield each sign or name, the value of a bracket, and the line."""
    start, line, counted = 0, 1, 0
    while found := _TOKEN.search(text, start):
        line += text.count("\n", counted, found.start())
        counted = found.start()
        value, start = "", found.end()
        if found[0] == "[":
            value, start = _value(text, start, line)
        yield found[0], value, line


def _value(text: str, start: int, line: int) -> tuple[str, int]:
    """Return what stands in brackets, and where it ends."""
    parts = []
    while found := _END.search(text, start):
        parts.append(text[start : found.start()])
        if found[0] == "]":
            return "".join(parts).strip(), found.end()
        parts.append(text[found.end() : found.end() + 1])
        start = found.end() + 1
    raise UserError(f"line {line}: a '[' is not closed")


def _record(nodes: list[_Node], asked: Asked) -> Record:
    head = nodes[0]
    at = f"line {head.line}: "
    kind = head.first("GM") or "1"
    if kind not in _GAMES:
        raise UserError(f"{at}GM[{kind[:9]}] is not gomoku, which is GM[4]")
    columns, _, rows = (head.first("SZ") or str(_side(asked))).partition(":")
    side = check_side(columns, rows or columns, at)
    lines, numbers = _lines(nodes, side)
    names = [one_line(head.first(key)) for key in ("PB", "PW")]
    return Record.foreign(
        numbers,
        game=GOMOKU,
        options=asked.gomoku(side, find_rule(head.first("RU"))),
        players=names if any(names) else [],
        history=lines[0].history,
        variations=lines[1:],
        agreed=_result(head.first("RE")),
    )


def _side(asked: Asked) -> OptionValue:
    return asked.options.get("size", SIZE) if asked.game == GOMOKU else SIZE


def _result(text: str) -> int | None:
    """Return who won by a result such as B+R; None if it does not say."""
    word = text.upper().replace(" ", "")
    if word in ("0", "DRAW", "JIGO"):
        return 0
    return {"B+": 1, "W+": -1}.get(word[:2])


def _lines(nodes: list[_Node], side: int) -> tuple[list[Variation], list[int]]:
    """Return the game and its variations, and in which lines the game's steps are."""
    lines = [Variation.model_construct(of=0, at=0, history=[])]
    numbers: list[int] = []
    waiting = [(0, 0, _Turn())]
    while waiting:
        here, number, turn = waiting.pop()
        node, line = nodes[here], lines[number]
        steps, turn = _steps(node, side, turn)
        line.history.extend(steps)
        if number == 0:
            numbers += [node.line] * len(steps)
        end = line.at + len(line.history)
        for child in node.children[1:]:
            of = number if line.history else line.of
            waiting.append((child, len(lines), turn))
            lines.append(Variation.model_construct(of=of, at=end, history=[]))
        if node.children:
            waiting.append((node.children[0], number, turn))
    return lines, numbers


def _steps(node: _Node, side: int, turn: _Turn) -> tuple[list[Step], _Turn]:
    """Return the moves and edits of a node, and whose turn it is after them."""
    steps: list[Step] = []
    for name, value in node.values:
        at = f"line {node.line}: {name}[{value[:20]}]: "
        if name in _COLOURS:
            player = _COLOURS[name]
            if player != turn.player and turn.has_moved:
                raise UserError(f"{at}it is not {_NAMES[player]}'s turn")
            if player != turn.player:  # who begins after a set-up need not be said
                steps.append(f"to_play {_PLAYERS[player]}")
            steps.append(_point(value, side, at))
            turn = _Turn(1 - player, True)
        elif name in _SETUP:
            for move in _rectangle(value, side, at):
                steps.append(f"set {name_point(move, side, False)} {_SETUP[name]}")
        elif name == "PL":
            if value.upper()[:1] not in _COLOURS:
                raise UserError(f"{at}a player is B or W")
            player = _COLOURS[value.upper()[:1]]
            steps.append(f"to_play {_PLAYERS[player]}")
            turn = _Turn(player, turn.has_moved)
    return steps, turn


def _point(word: str, side: int, at: str) -> int:
    """Return the point of two letters."""
    if not word or (word == "tt" and side < len(_LETTERS)):
        raise UserError(f"{at}there is no pass in gomoku")
    if not re.fullmatch("[a-zA-Z]{2}", word):
        raise UserError(f"{at}a point is two letters, such as hh")
    column, row = (ord(letter) - ord("a") for letter in word)
    return point(column, row, side, at, word)


def _rectangle(word: str, side: int, at: str) -> list[int]:
    """Return the points of a set-up: one, or all between two corners."""
    first, _, last = word.partition(":")
    (top, left), (bottom, right) = (
        divmod(_point(corner, side, at), side) for corner in (first, last or first)
    )
    if top > bottom or left > right:
        raise UserError(f"{at}the first corner is the upper left one")
    rows, columns = range(top, bottom + 1), range(left, right + 1)
    return [row * side + column for row in rows for column in columns]


def write(record: Record) -> str:
    """Return a game with its variations and edits."""
    require_stones(record, "SGF", (GOMOKU,))
    side = side_of(record)
    facts = {"FF": "4", "GM": "4", "CA": "UTF-8", "AP": "Ludens", "SZ": str(side)}
    facts["RU"] = str(record.options.get("rule", RULE))
    names = [*map(_escape, record.players)]
    if len(names) == 2 and any(names):
        facts |= dict(zip(("PB", "PW"), names, strict=True))
    result = record.result if record.agreed is None else record.agreed
    if result is not None:
        facts["RE"] = {1: "B+", -1: "W+"}.get(int(result), "0")
    head = "".join(f"{name}[{value}]" for name, value in facts.items())
    return f"(;{head}\n{''.join(_write_lines(record, side))})\n"


def _escape(text: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", one_line(text))


def _write_lines(record: Record, side: int) -> Iterator[str]:
    """Yield the nodes of all lines; where lines part, each is in parentheses."""
    lines = [(0, record.history), *((one.at, one.history) for one in record.variations)]
    branches: dict[tuple[int, int], list[int]] = {}
    for number, one in enumerate(record.variations, 1):
        branches.setdefault((one.of, one.at), []).append(number)
    waiting: list[tuple[int, int, int] | str] = [(0, 0, 0)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        number, length, player = item
        at, history = lines[number]
        for step in history[length - at :]:
            parting = branches.pop((number, length), [])
            if parting:
                for other in (*reversed(parting), number):
                    waiting += [")\n", (other, length, player), "("]
                break
            yield _node(step, side, player)
            player = _next(step, player)
            length += 1


def _next(step: Step, player: int) -> int:
    """Return whose turn it is after a step."""
    if not isinstance(step, str):
        return 1 - player
    kind, _, who = step.partition(" ")
    return _PLAYERS.index(who) if kind == "to_play" and who in _PLAYERS else player


def _node(step: Step, side: int, player: int) -> str:
    if not isinstance(step, str):
        return f";{'BW'[player]}[{_letters(step, side)}]"
    match step.split():
        case ["to_play", who] if who in _PLAYERS:
            return f";PL[{'BW'[_PLAYERS.index(who)]}]"
        case ["set", cell, stone] if stone in _SETUP.values():
            name = next(key for key, word in _SETUP.items() if word == stone)
            column, row = ord(cell[0]) - ord("a"), int(cell[1:]) - 1
            return f";{name}[{_letters(row * side + column, side)}]"
    raise UserError(f"SGF has no words for the edit {step!r}")


def _letters(move: int, side: int) -> str:
    row, column = divmod(move, side)
    return _LETTERS[column] + _LETTERS[row]
