"""How gomoku looks: names of moves, text, shapes and named parts."""

from typing import Any

import numpy as np

from ludens.boards import PLAYERS, cell_name, disc, draw_grid, paint, square, text
from ludens.game import Shape
from ludens.games._gomoku_board import CELLS, POINTS, RENJU, RIF, SIZE, wins
from ludens.games._gomoku_fouls import is_legal
from ludens.games._gomoku_opening import (
    BY_CHOICE,
    CHOICES,
    FIRST_OFFER,
    PICK,
    SECOND_OFFER,
    THREE_STONES,
    colour,
    first_colour,
    is_opening,
    num_choices,
)

COLOURS = ("black", "white")


def action_name(state: np.record, action: int) -> str:
    if action >= CELLS:
        return CHOICES[action - CELLS]
    return cell_name(action // SIZE, action % SIZE)


def colours(state: np.record) -> tuple[int, ...]:
    return (0, 1) if first_colour(state) > 0 else (1, 0)


def look(state: np.record) -> dict[str, Any]:
    """Return the board [rows, columns]: 1 is black, -1 white; who has which colour,
    where players choose; the points offered, by rif; and renju's fouls."""
    parts: dict[str, Any] = {"board": state.board.reshape(SIZE, SIZE).copy()}
    if BY_CHOICE:
        parts["colours"] = caption(state)
    if RIF:
        parts["offered"] = [action_name(state, cell) for cell in _offered(state)]
    if RENJU and state.to_play >= 0 and colour(state) == 0 and not is_opening(state):
        empty = map(int, np.flatnonzero(state.board == 0))
        fouls = [cell for cell in empty if not is_legal(state, cell)]
        parts["forbidden"] = [action_name(state, cell) for cell in fouls]
    return parts


def draw(state: np.record) -> str:
    marks = {0: ".", 1: paint("X", 0), -1: paint("O", 1)}
    board = state.board.reshape(SIZE, SIZE)
    cells = [[marks[int(mark)] for mark in row] for row in board]
    for cell in _offered(state):
        cells[cell // SIZE][cell % SIZE] = paint("?", 0)
    grid = draw_grid(cells)
    return f"{grid}\n{caption(state)}" if BY_CHOICE else grid


def caption(state: np.record) -> str:
    """Say who has which colour, or what is to be done before."""
    if not is_opening(state):
        first, second = COLOURS[:: first_colour(state)]
        return f"first player: {first}, second player: {second}"
    who = f"{PLAYERS[state.to_play]} player"
    if num_choices(state):
        means = [f"{word} ({_meaning(state, i)})" for i, word in _choices(state)]
        return f"{who}: {', '.join(means)}"
    stone = f"a {COLOURS[colour(state)]} stone"
    if RIF and state.phase in (FIRST_OFFER, SECOND_OFFER):
        number = ("first", "second")[state.phase - FIRST_OFFER]
        return f"{who}: offer the {number} of two points for {stone}"
    if RIF and state.phase == PICK:
        return f"{who}: put {stone} on one of the two points offered"
    last = 3 if state.phase == THREE_STONES else 4 if RIF else 5
    return f"{who}: {stone}, {last - state.ply} to put"


def _offered(state: np.record) -> list[int]:
    return [int(cell) - 1 for cell in state.offered if cell] if RIF else []


def _choices(state: np.record) -> list[tuple[int, str]]:
    return list(enumerate(CHOICES[: num_choices(state)]))


def _meaning(state: np.record, choice: int) -> str:
    """Return what a choice means to who makes it."""
    if CHOICES[choice] == "more":
        return "two more stones"
    return f"play {COLOURS[colour(state) ^ choice]}"


def scene(state: np.record) -> list[Shape]:
    names = [action_name(state, cell) for cell in range(CELLS)]
    cells = [
        square(*p, role="point", label=n, choice=n)
        for p, n in zip(POINTS, names, strict=True)
    ]
    stones = [(i, int(mark < 0)) for i, mark in enumerate(state.board) if mark]
    discs = [disc(*POINTS[i], owner=p, label="XO"[p]) for i, p in stones]
    winning = [i for i, _ in stones if state.board[i] == state.winner]
    rings = [i for i in winning if wins(state.board, i, int(state.winner))]
    won = [disc(*POINTS[i], role="won", size=0.3) for i in rings]
    offered = [POINTS[i] for i in _offered(state)]
    offers = [disc(*at, role="ring", owner=0, label="?") for at in offered]
    beside = _colours_and_choices(state) if BY_CHOICE else []
    return cells + discs + offers + won + beside


def _colours_and_choices(state: np.record) -> list[Shape]:
    """Write below the board who has which colour; beside it, show what to choose."""
    middle, size = SIZE / 2 - 0.5, min(0.45, SIZE / 20)
    shapes = (
        []
        if num_choices(state)
        else [text(SIZE + 0.4, middle, caption(state), size=size)]
    )
    for i, word in _choices(state):
        left, top, what = SIZE + 0.8, SIZE / 2 - 2 + 1.3 * i, _meaning(state, i)
        right, bottom, part = left + 3.4, top + 1.1, f"choices/{word}"
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        shapes += [
            Shape(
                "polygon", corners, "slot", f"{word}: {what}", choice=word, part=part
            ),
            text(top - 0.15, left + 1.2, word, size=0.42, part=part),
            text(top + 0.28, left + 1.2, what, size=0.32, part=part),
        ]
    return shapes
