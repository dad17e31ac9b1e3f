"""An exported file next to our own rules: the same games, position by position."""

import base64
import json
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludens.envs.muzero_general import player
from ludens.errors import UserError
from ludens.game import Planes
from ludens.loading.game import Game
from ludens.state import State

GAMES = 200
CLOSE = 1e-5
"""How much compiled rules may differ from plain ones in a number they observe."""


class Difference(UserError):
    """What an exported file does otherwise than our rules."""


@dataclass(frozen=True)
class Trial:
    """Games that were the same with both."""

    games: int
    moves: int
    seconds: float

    def __str__(self) -> str:
        pace = 1000 * self.seconds / max(1, self.moves)
        counts = f"{self.games:,} games, {self.moves:,} moves"
        return f"{counts}, all as the rules play them; {pace:.1f} ms a move"


def try_out(text: str, game: Game, games: int, seed: int = 0) -> Trial:
    """Play games with the text of a file; raise Difference where the rules differ."""
    moves, seconds, number = 0, 0.0, 0
    for number, played in enumerate(_played(text, games, seed), 1):
        follow(game, played, f"game {number}")
        moves += len(played["positions"]) - 1
        seconds += played["seconds"]
    return Trial(number, moves, seconds)


def _played(text: str, games: int, seed: int) -> Iterator[dict[str, Any]]:
    """Let another interpreter play games, and give them as they come."""
    with tempfile.TemporaryDirectory(prefix="ludens_") as folder:
        file, said = Path(folder) / "exported.py", Path(folder) / "said.txt"
        file.write_text(text, encoding="utf-8")
        words = [str(player.__file__), str(file), str(games), str(seed)]
        with (
            said.open("wb") as complaints,
            subprocess.Popen(
                [sys.executable, "-I", "-B", *words],
                stdout=subprocess.PIPE,
                stderr=complaints,
            ) as process,
        ):
            assert process.stdout is not None
            try:
                yield from map(json.loads, process.stdout)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            lines = said.read_text(encoding="utf-8", errors="replace").split("\n")
            last = [line for line in lines if line.strip()][-1:]
            raise Difference(f"the exported file does not run: {' '.join(last)}")


def follow(game: Game, played: dict[str, Any], place: str) -> None:
    """Play a game with our rules, and compare each position."""
    state, mover, known = State(game), None, 0
    for ply, position in enumerate(played["positions"]):
        here, reward = f"{place}, move {ply}", 0.0
        if position["action"] is not None:
            mover = state.to_play
            reward = state.apply(position["action"])
        for outcome in position["outcomes"][known:]:
            reward += state.apply_chance(outcome)
        known = len(position["outcomes"])
        _compare(state, mover, reward if ply else 0.0, position, here)
    if state.is_over:
        last = {**played["positions"][-1], "reward": 0.0}
        last["action"] = played["beyond"]["action"]
        _same("what follows the end", played["beyond"], last, place)


def _compare(
    state: State, mover: int | None, reward: float, told: dict[str, Any], place: str
) -> None:
    if state.is_chance:
        raise Difference(f"{place}: it is chance's turn, and the file waits for a move")
    player, legal = state.to_play, state.legal_actions()
    if state.is_over:
        player, legal = _after(mover), list(range(state.game.num_actions))
        if state.result is not None and mover is not None:
            reward = state.result * (1 - 2 * mover)
    player = player if state.game.num_players == 2 else 0
    _same("over", told["done"], state.is_over and mover is not None, place)
    _same("the player to move", told["to_play"], player, place)
    _same("the legal actions", told["legal"], legal, place)
    if abs(told["reward"] - reward) > CLOSE:
        raise Difference(f"{place}: the reward is {told['reward']:g}, not {reward:g}")
    seen, ours = _read(told["observation"], place), _observe_as(state, player)
    if seen.shape != ours.shape or not np.allclose(seen, ours, rtol=0, atol=CLOSE):
        raise Difference(f"{place}: the observation is not that of the rules")


def _after(mover: int | None) -> int:
    """Return whose turn it would be after the end."""
    return 0 if mover is None else 1 - mover


def _same(what: str, told: Any, ours: Any, place: str) -> None:
    if told != ours or type(told) is not type(ours):
        raise Difference(f"{place}: {what}: {told!r}, not {ours!r}")


def _read(told: list[Any], place: str) -> Planes:
    dtype, shape, content = told
    _same("the type of an observation", dtype, "float32", place)
    raw = zlib.decompress(base64.b64decode(content))
    return np.frombuffer(raw, np.float32).reshape(shape)


def _observe_as(state: State, player: int) -> Planes:
    """Return what a player sees, also after the end."""
    twin = state.game.states(1)
    twin[0] = state.raw
    twin[0].to_play = player
    planes = np.zeros(state.game.observation_shape, np.float32)
    state.game.entries.observe(twin[0], planes)
    return planes
