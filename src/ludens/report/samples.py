"""Games of a run drawn move by move, with what the search thought of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from ludens.errors import UserError
from ludens.formats.words import plural, points
from ludens.loading.game import Game, load_named
from ludens.pictures.board import draw_board, new_shapes
from ludens.selfplay.share import FAST, NOT_SEARCHED, GameRecord
from ludens.state import State
from ludens.store.reading import Reading

SHOWN_AT_EACH_END = 30
"""Moves of a long game that are drawn at its beginning and at its end."""
NUM_BEST, LEAST = 3, 0.005
"""How many moves are named that the search liked, and the least share of one."""
_HOW = {NOT_SEARCHED: "random opening", FAST: "quick search"}


@dataclass(frozen=True)
class Move:
    """An action of a game and the position after it."""

    ply: int
    name: str
    before: State
    after: State


def draw_samples(run: Reading, game: Game | None = None) -> str:
    """Return the first, a middle and the newest game as HTML."""
    try:
        found = samples(run).items()
        if any(played.trace is not None for _, played in found):
            return "".join(_draw_episode(title, played) for title, played in found)
        if game is None:
            game = load_named(run.facts().get("game", ""), compiled=False)
        return "".join(draw_game(game, title, played) for title, played in found)
    except UserError as error:
        return f"<p>The games cannot be drawn: {escape(str(error))}.</p>"


def samples(run: Reading) -> dict[str, GameRecord]:
    """Return the first game of a run, one in the middle and the newest."""
    newest = next(reversed(list(run.last_games(1))), None)
    if newest is None:
        return {}
    found = {
        "The first game": next(run.games()),
        "A game in the middle": next(run.games(newest.number // 2)),
        "The newest game": newest,
    }
    numbers = [played.number for played in found.values()]
    return {
        title: played
        for i, (title, played) in enumerate(found.items())
        if played.number not in numbers[:i]
    }


def draw_game(game: Game, title: str, played: GameRecord) -> str:
    """Return a game as HTML: a board after each move, and a line on how it ended."""
    steps = [_draw_move(move, played) for move in _moves(game, played)]
    num_hidden = len(steps) - 2 * SHOWN_AT_EACH_END
    if num_hidden > 0:
        between = f"<p>{plural(num_hidden, 'move')} left out</p>"
        steps = [
            *steps[:SHOWN_AT_EACH_END],
            between,
            *steps[-SHOWN_AT_EACH_END:],
        ]
    about = (
        f"Game {played.number:,}, played by net {played.net:,}. {_ending(game, played)}"
    )
    return (
        f"<details open><summary>{title}</summary><p>{about}</p>"
        f'<div class="moves">{"".join(steps)}</div></details>'
    )


def _draw_episode(title: str, played: GameRecord) -> str:
    """Return an episode in an environment as a table, a row a step."""
    trace = played.trace
    assert trace is not None
    is_alone = bool(trace.rewards.any())
    head = ["step", "action", "reward" if is_alone else "player", "value"]
    rows = [
        [str(ply + 1), str(action), points(reward) if is_alone else str(mover), value]
        for ply, (action, reward, mover, value) in enumerate(
            zip(
                played.history.tolist(),
                trace.rewards.tolist(),
                trace.to_play.tolist(),
                (_value(float(v), 1 if is_alone else 2) for v in played.values),
                strict=False,  # who is next at the end plays nothing
            )
        )
    ]
    shown = rows
    if len(rows) > 2 * SHOWN_AT_EACH_END:
        shown = [*rows[:SHOWN_AT_EACH_END], ["..."], *rows[-SHOWN_AT_EACH_END:]]
    about = f"Episode {played.number:,}, played by net {played.net:,}."
    score = f" {points(played.result)} points" if is_alone else ""
    lines = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in shown]
    heads = "".join(f"<th>{word}</th>" for word in head)
    return (
        f"<details><summary>{title}</summary><p>{about}{score} after"
        f" {plural(len(rows), 'step')}{' (cut)' * (played.ending == 'cut')}.</p>"
        f"<table><tr>{heads}</tr>{''.join(lines)}</table></details>"
    )


def _moves(game: Game, played: GameRecord) -> Iterator[Move]:
    """Replay a game action by action; what chance does shows in the next position."""
    state, ply = State(game), 0
    for step in map(int, played.history):
        if state.is_chance:
            state.apply_chance(step)
            continue
        before, name = state.copy(), state.action_name(step)
        state.apply_step(step)
        yield Move(ply, name, before, state.copy())
        ply += 1


def _draw_move(move: Move, played: GameRecord) -> str:
    shapes = move.after.scene()
    marked = new_shapes(move.before.scene(), shapes)
    title = f"{move.ply + 1}. {move.name}"
    board = draw_board(shapes, title, marked, is_alone=False)
    player = f'<span class="swatch p{move.before.to_play}"></span>'
    head = f"{player}<b>{escape(title)}</b>"
    return f'<div class="move">{board}<div>{head}</div>{_thought(move, played)}</div>'


def _thought(move: Move, played: GameRecord) -> str:
    """Return what the search made of the position before a move."""
    kind = int(played.kinds[move.ply])
    how = f"<div>{_HOW[kind]}</div>" if kind in _HOW else ""
    if kind == NOT_SEARCHED:
        return how
    policy = played.policies[move.ply].astype(np.float64)
    best = [
        a for a in np.argsort(-policy, kind="stable")[:NUM_BEST] if policy[a] >= LEAST
    ]
    names = [move.before.action_name(int(a)) for a in best]
    words = [
        f"{name}\N{NO-BREAK SPACE}{100 * policy[a]:.0f}\N{NO-BREAK SPACE}%"
        for name, a in zip(names, best, strict=True)
    ]
    value = _value(float(played.values[move.ply]), move.before.game.num_players)
    return f"<div>value {value}</div><div>{escape(', '.join(words))}</div>{how}"


def _value(value: float, num_players: int) -> str:
    return f"{value:+.2f}" if num_players == 2 else f"{points(value)} points"


def _ending(game: Game, played: GameRecord) -> str:
    """Say how a game ended."""
    after = f"after {plural(len(played.kinds), 'move')}"
    if game.num_players == 1:
        cut = ", cut off there" if played.ending == "cut" else ""
        return f"{points(played.result)} points {after}{cut}."
    if played.ending == "cut":
        return f"Cut off {after}."
    if played.result == 0:
        return f"A draw {after}."
    winner = "first" if played.result > 0 else "second"
    gave_up = ": the other one gave up" if played.ending == "resigned" else ""
    return f"The {winner} player won {after}{gave_up}."
