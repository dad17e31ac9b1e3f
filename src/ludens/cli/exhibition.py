"""A game that an agent plays with itself, or an episode, shown move by move."""

import sys
import time

from ludens.agents import Agent
from ludens.cli.onlookers import Trees
from ludens.cli.screen import draw, is_colourful
from ludens.formats.words import ending, plural, points
from ludens.state import State

PACE_S = 0.5
"""How long a position stays on a terminal, at least."""
HOME, END_OF_LINE, REST = "\x1b[H", "\x1b[K", "\x1b[J"


class Exhibition:
    """A game to look at: in one place on a terminal, else position by position."""

    def __init__(
        self,
        state: State,
        agent: Agent,
        name: str,
        pace_s: float | None,
        trees: Trees | None = None,
    ) -> None:
        self.state = state
        self.agent = agent
        self.name = name
        self._trees = trees
        self._is_live = is_colourful()
        usual_s = PACE_S if sys.stdout.isatty() else 0.0
        self._pace_s = usual_s if pace_s is None else pace_s

    def play(self) -> None:
        """Play to the end, or until somebody has seen enough."""
        state = self.state
        print(HOME + REST if self._is_live else "", end="")
        self._show("The start.")
        try:
            while not state.is_over:
                shown_s = time.perf_counter()
                action = self.agent.choose(state.copy())
                if self._trees is not None:
                    self._trees.write(self.agent, state)
                time.sleep(max(0.0, shown_s + self._pace_s - time.perf_counter()))
                caption = f"{self._mover()} {state.action_name(action)}"
                state.apply(action)
                self._show(caption)
        except KeyboardInterrupt:
            print(f"\nLeft {plural(state.num_plies, 'move')} into the game.")
            raise
        print(ending(state, ("player 0", "player 1")))

    def _mover(self) -> str:
        """Say which move it is, and whose."""
        number = f"Move {self.state.num_plies + 1}"
        if self.state.game.num_players == 1:
            return f"{number}:"
        return f"{number}, player {self.state.to_play}:"

    def _show(self, caption: str) -> None:
        state = self.state
        score = f"  Score {points(state.score)}." if state.game.num_players == 1 else ""
        title = f"{state.game.spec}, played by {self.name}. Ctrl-C leaves."
        if not self._is_live:
            print(f"{caption}{score}\n\n{draw(state)}\n", flush=True)
            return
        frame = f"{title}\n\n{draw(state)}\n\n{caption}{score}\n"
        lines = frame.replace("\n", f"{END_OF_LINE}\n")
        sys.stdout.write(f"{HOME}{lines}{REST}")
        sys.stdout.flush()


def show_episode(state: State, agent: Agent, name: str, pace_s: float | None) -> None:
    """Print each step of an episode: what is seen, what is done, what it brings."""
    print(f"{state.game.title}, played by {name}. Ctrl-C leaves.", flush=True)
    score, is_alone = state.score, state.game.num_players == 1
    while not state.is_over:
        seen, player = _indent(draw(state)), state.to_play
        action = agent.choose(state.copy())
        value = _value_of(agent)
        time.sleep(pace_s or 0.0)
        state.apply(action)
        gain = f"reward {points(state.score - score)}" if is_alone else f"by {player}"
        print(f"{state.num_plies:>5}. action {action}, {gain}{value}{seen}", flush=True)
        score = state.score
    print(ending(state, ("player 0", "player 1")))


def _value_of(agent: Agent) -> str:
    """Say what a search thought of the position that it has just seen."""
    if agent.search is None:
        return ""
    value = float(agent.search.read_roots().values[0])
    is_alone = agent.search.game.num_players == 1
    return f", value {points(value) if is_alone else f'{value:+.2f}'}"


def _indent(drawing: str) -> str:
    """Put a drawing of one line behind others, a larger one below them."""
    lines = drawing.split("\n")
    return f", seen {drawing}" if len(lines) == 1 else "\n" + "\n".join(lines)
