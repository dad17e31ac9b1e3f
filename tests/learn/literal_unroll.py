"""What follows a position in a game, worked out by replaying it, one step at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ludens import Game, State
from ludens.learn.config import ReplayConfig
from ludens.nets.heads import TURNS
from ludens.selfplay.share import GameRecord


@dataclass
class Step:
    """What is to be learned of one step; None: nothing."""

    choice: int | None = None
    policy: Any = None
    value: float | None = None
    draw: float | None = None
    reward: float | None = None
    turn: int | None = None
    outcome: int | None = None
    legal: Any = None
    planes: Any = None
    player: int | None = None
    """For whom the value is."""


@dataclass
class Ply:
    """A player's position, the action and what it led to."""

    state: State
    action: int
    outcomes: list[int] = field(default_factory=list)
    reward: float = 0.0
    value: float = 0.0
    draw: float = 0.0


class Literal:
    """Games, replayed by `State` alone."""

    def __init__(
        self,
        game: Game,
        config: ReplayConfig,
        games: Sequence[GameRecord],
        held_out: Sequence[State] = (),
    ) -> None:
        self.game = game
        self.config = config
        self.games = games
        self.plies = [self._replay(played) for played in games]
        self.places = [
            (g, p)
            for g, played in enumerate(games)
            for p, kind in enumerate(played.kinds)
            if kind
        ]
        """Of each row: the game and the ply."""
        images = range(game.plain.NUM_SYMMETRIES)
        self.secret = {s.transformed(k).raw.tobytes() for s in held_out for k in images}

    def _replay(self, played: GameRecord) -> list[Ply]:
        state, plies = State(self.game), []
        for step in played.history.tolist():
            before, was_chance = state.copy(), state.is_chance
            state.apply_step(step)
            gain = state.score - before.score
            if not was_chance:
                plies.append(Ply(before, step, reward=gain))
            elif plies:
                plies[-1].outcomes.append(step)
                plies[-1].reward += self.config.discount * gain
        self._set_values(played, plies, state.is_over)
        return plies

    def _set_values(self, played: GameRecord, plies: list[Ply], is_over: bool) -> None:
        for at, ply in enumerate(plies):
            root = float(played.values[at])
            if self.game.num_players == 2:
                share = 1.0 if played.ending == "cut" else self.config.q_share
                result = played.result * (1 - 2 * ply.state.to_play)
                ply.value = (1 - share) * result + share * root
                ply.draw = (1 - share) * (1 - abs(result))
            else:
                ply.value = self._score(played, plies, at, is_over)

    def _score(
        self, played: GameRecord, plies: list[Ply], at: int, is_over: bool
    ) -> float:
        """Return the rewards of all moves to the end, or to the last root."""
        assert self.config.n_steps == 0
        assert played.kinds.all()
        last = len(plies) if is_over else len(plies) - 1
        total = 0.0 if is_over else float(played.values[last])
        for ply in reversed(plies[at:last]):
            total = ply.reward + self.config.discount * total
        return total

    def same(self, g: int, p: int) -> list[tuple[int, int]]:
        """Return where a position was searched; nowhere if it is held out."""
        key = self._key(g, p)
        if key in self.secret:
            return []
        if not self.config.merge:
            return [(g, p)]
        return [(i, j) for i, j in self.places if self._key(i, j) == key]

    def _key(self, g: int, p: int) -> bytes:
        return bytes(self.plies[g][p].state.raw.tobytes())

    def unroll(self, g: int, p: int, symmetry: int, alternates: bool) -> list[Step]:
        """Return what follows a ply: as many steps as are unrolled, and itself."""
        found = [self._position(g, p, symmetry)]
        while len(found) <= self.config.unroll and self._is_followed(g, p):
            found += self._moves(g, p, symmetry)
            p += 1
            if p < len(self.plies[g]):
                reached = self._position(g, p, symmetry)
                before, after = (self.plies[g][i].state for i in (p - 1, p))
                who = "mover" if before.to_play == after.to_play else "other"
                reached.turn = TURNS.index(who)
                reached.choice, reached.reward = found[-1].choice, found[-1].reward
                found[-1] = reached
            else:
                self._end(g, found, alternates)
                break
        found += [Step() for _ in range(self.config.unroll)]
        return found[: self.config.unroll + 1]

    def _is_followed(self, g: int, p: int) -> bool:
        """Tell whether it is known what an action led to."""
        played = self.games[g]
        if p + 1 < len(self.plies[g]):
            return bool(played.kinds[p + 1])
        is_given = played.ending != "cut" and self.game.num_players == 2
        return played.is_over or is_given

    def _position(self, g: int, p: int, symmetry: int) -> Step:
        state = self.plies[g][p].state
        image = state.transformed(symmetry)
        step = Step(legal=set(image.legal_actions()), planes=image.observe())
        step.player = state.to_play
        places = self.same(g, p)
        if places:
            step.value = np.mean([self.plies[i][j].value for i, j in places])
            step.draw = np.mean([self.plies[i][j].draw for i, j in places])
        taught = [
            self.games[i].policies[j] for i, j in places if self.games[i].kinds[j] == 2
        ]
        if taught:
            step.policy = np.zeros(self.game.num_actions)
            for action, share in enumerate(np.mean(taught, 0, np.float64)):
                image_action = self.game.plain.transform_action(action, symmetry)
                step.policy[image_action] = share
        return step

    def _moves(self, g: int, p: int, symmetry: int) -> list[Step]:
        """Return the step after an action, and those after each outcome of chance."""
        ply = self.plies[g][p]
        action = self.game.plain.transform_action(ply.action, symmetry)
        choices = [action, *(self.game.num_actions + o for o in ply.outcomes)]
        steps = [Step(choice=choice, reward=0.0) for choice in choices]
        steps[0].reward = ply.reward
        for step, outcome in zip(steps, ply.outcomes, strict=False):
            step.turn, step.outcome = TURNS.index("chance"), outcome
            step.value, step.draw = self._later(g, p)
            step.player = ply.state.to_play
        return steps

    def _later(self, g: int, p: int) -> tuple[float | None, float | None]:
        """Return the value after a ply and chance, for its player."""
        mover = self.plies[g][p].state.to_play
        if p + 1 < len(self.plies[g]):
            later = self._position(g, p + 1, 0)
            if later.value is None:
                return None, None
            is_same = self.plies[g][p + 1].state.to_play == mover
            return later.value if is_same else -later.value, later.draw
        if self.game.num_players == 1:
            return 0.0, 0.0
        result = self.games[g].result
        return result * (1 - 2 * mover), 1 - abs(result)

    def _end(self, g: int, found: list[Step], alternates: bool) -> None:
        """Write what is known when a game has ended."""
        last = len(self.plies[g]) - 1
        value, draw = self._later(g, last)
        assert value is not None
        step = found[-1]
        if not self.games[g].is_over:
            history = self.games[g].history.tolist()
            to_play = State.replay(self.game, history).to_play
            is_same = to_play == self.plies[g][last].state.to_play
            step.value, step.draw = value if is_same else -value, draw
            step.reward = None
            return
        step.turn = TURNS.index("over")
        step.value, step.draw = -value if alternates else value, draw
        mover = self.plies[g][last].state.to_play
        step.player = 1 - mover if alternates else mover
        for _ in range(self.config.unroll):
            value = -found[-1].value
            found.append(Step(value=value, draw=draw, reward=0.0))
            is_alone = self.game.num_players == 1
            found[-1].player = mover if is_alone else 1 - found[-2].player
