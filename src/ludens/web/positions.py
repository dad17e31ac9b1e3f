"""A position as a client gets it, and the state of what a client sent."""

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any

from ludens.errors import UserError
from ludens.formats.record import Record
from ludens.formats.words import Turn, ending, reason_of, turns
from ludens.game import Shape
from ludens.loading.game import Game
from ludens.pictures.board import new_shapes
from ludens.pictures.tones import coloured, paint, tone_of
from ludens.rng import new_seed
from ludens.state import State
from ludens.web.leaving import unless_gone
from ludens.web.library import Library, can_solve
from ludens.web.messages import SentGame, Step

NAMES = ("the first player", "the second player")
_DEFAULTS = {f.name: f.default for f in fields(Shape) if f.default is not MISSING}


def open_game(library: Library, sent: SentGame) -> State:
    """Return the state that a game leads to; chance goes on by its seed."""
    game = library.load(sent.spec)
    if not sent.history:
        return game.new(_seed_of(sent), sent.setup)
    return State.replay(game, unless_gone(sent.history), _seed_of(sent))


def _seed_of(sent: SentGame) -> int:
    return new_seed() if sent.seed is None else sent.seed


def tell_game(library: Library, sent: SentGame) -> tuple[State, list[Turn]]:
    """Return the state that a game leads to, and its turns, by one replay."""
    if not sent.history:
        return open_game(library, sent), []
    told = list(turns(library.load(sent.spec), unless_gone(sent.history)))
    state = told[-1].state.copy()
    state.history = [turn.state.history[-1] for turn in told]
    state.roll_from(_seed_of(sent))
    return state, told


def tell_variations(game: Game, record: Record) -> list[dict[str, Any]]:
    """Return the variations of a record with their steps in words."""
    told: list[list[Turn]] = []
    if record.variations:
        told.append(list(turns(game, unless_gone(record.history))))
    answers = []
    for one in record.variations:
        before = told[one.of][: one.at]
        told.append([*before, *turns(game, unless_gone(one.history), before)])
        words = [_step(turn) for turn in told[-1][one.at :]]
        answers.append({**one.model_dump(), "steps": words})
    return answers


def position_of(state: State, known: Sequence[Turn] = ()) -> dict[str, Any]:
    """Return all that a client shows of a position; `known` are turns told before."""
    rest = turns(state.game, state.history[len(known) :], known)
    told = [*known, *unless_gone(rest)]
    shapes = state.scene()
    return {
        "spec": state.game.spec,
        "name": state.game.name,
        "title": state.game.title,
        "players": state.game.num_players,
        "seed": state.seed,
        "history": state.history,
        "steps": [_step(turn) for turn in told],
        "num_plies": state.num_plies,
        "to_play": state.to_play if state.to_play >= 0 else None,
        "colours": state.game.plain.colours(state.raw),
        "is_over": state.is_over,
        "result": state.result,
        "score": state.score if state.game.num_players == 1 else None,
        "outcome": ending(state, NAMES),
        "reason": reason_of(state),
        "scene": scene_of(coloured(shapes, State(state.game), told)),
        "marked": _marked(state, told, shapes),
        "legal": [_action(state, action) for action in state.legal_actions()],
        "fouls": [_action(state, action) for action in state.foul_actions()],
        "drawn": str(state),
        "can_edit": state.game.defines("edit"),
        "can_solve": can_solve(state.game),
        "edits": list(state.game.plain.EDITS),
    }


def _action(state: State, action: int) -> dict[str, Any]:
    name, choices = state.action_name(action), state.choices(action)
    return {"action": action, "name": name, "choices": choices}


def scene_of(shapes: Sequence[Shape]) -> list[dict[str, Any]]:
    """Return shapes as JSON, without what has its default."""
    return [
        {k: v for k, v in vars(shape).items() if _DEFAULTS.get(k, MISSING) != v}
        for shape in shapes
    ]


def _step(turn: Turn) -> dict[str, Any]:
    is_player = turn.player is not None and turn.player >= 0
    return {
        "notation": turn.name,
        "player": turn.player if is_player else None,
        "is_chance": turn.player is not None and not is_player,
        "is_edit": turn.player is None,
    }


def _marked(
    state: State, told: Sequence[Turn], shapes: Sequence[Shape]
) -> Sequence[int]:
    """Return the indices of the shapes that the last action brought."""
    acted = [i for i, turn in enumerate(told) if turn.player in (0, 1, None)]
    if not acted or told[acted[-1]].player is None:
        return []
    before = told[acted[-1] - 1].state if acted[-1] > 0 else State(state.game)
    brought = set(_added(before, told[acted[-1]].state))
    return [i for i, shape in enumerate(shapes) if shape in brought]


def _added(before: State, after: State) -> list[Shape]:
    shapes = after.scene()
    return [shapes[i] for i in new_shapes(before.scene(), shapes)]


def why_not(state: State, choices: Sequence[str]) -> str:
    """Say why no legal action begins with some choices, "" if nobody can tell."""
    begun = tuple(choices)
    for action in range(state.game.num_actions):
        if state.choices(action)[: len(begun)] == begun:
            return state.why_illegal(action)
    return ""


def frames_of(state: State, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Return what each of some steps changes in the scene; coming dice stay hidden."""
    twin, frames = state.copy(), []
    before = twin.scene()
    for step in steps:
        tone = _advance(twin, before, step)
        after = twin.scene()
        old, new = set(before), set(after)
        added = [paint(shape, tone) for shape in after if shape not in old]
        gone = [shape for shape in before if shape not in new]
        frames.append({"added": scene_of(added), "gone": scene_of(gone)})
        before = after
    return frames


def _advance(state: State, scene: Sequence[Shape], step: Step) -> int:
    """Take a step; return the tone of what it fills."""
    if state.is_chance:
        if isinstance(step, str):
            raise UserError("it is the turn of chance")
        state.apply_chance(step)
        return 0
    action = state.read_action(step) if isinstance(step, str) else step
    before = state.copy()
    state.apply(action)
    return tone_of(before, scene, action)
