"""A game on the table: who sits where, and what a person may say."""

import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Literal

from ludens.agents import Agent, Limit, make_agent
from ludens.boards import paint
from ludens.cli.analyse import format_analysis
from ludens.cli.onlookers import Trees
from ludens.cli.screen import draw, flow, is_colourful, print_table, tell_rules
from ludens.errors import Forfeit, UserError
from ludens.formats.record import Record, Variation
from ludens.formats.registry import SUFFIXES, read_games, right, save_played
from ludens.formats.rulebook import find_in_tables
from ludens.formats.words import ending, plural, points, turns
from ludens.nets.shipped import usual_agent, weakness
from ludens.state import State

HELP = """\
Type a move as it is written on the board, for example {example}. Or:
  help WORD  search the tables in the rules, such as that of cards
  moves      list the legal moves
  hint       show what the net that ships, or else a search, thinks of the moves,
             and the solver if it can tell
  undo       go back to your last move and choose again
  save FILE  write the game down, for `ludens show FILE` or `ludens play FILE`;
             .json, .sgf, .psq, .xml and .txt say in which format
  edit TEXT  change the position by hand, in games that allow it
  quit       leave (also Ctrl-D)"""

HINT_MOVES = 5
HINTS = {"net": "net:sims=2000", "mcts": "mcts:sims=20000"}
"""Who gives hints, by who plays."""


class Table:
    """A game in progress at the terminal. A seat is an agent, or None for a person."""

    def __init__(
        self,
        state: State,
        seats: tuple[Agent | None, ...],
        vs: str,
        seconds: float,
        loaded: Record | None = None,
        trees: Trees | None = None,
    ) -> None:
        self.state = state
        self.seats = seats
        self.vs = vs
        self.seconds = seconds
        self._loaded = loaded
        self._trees = trees
        self._advisers: dict[str, Agent] = {}
        self._is_drawn = False
        self._is_left = False
        self._agreed: Literal[-1, 1] | None = None
        """The result of a game that an agent has lost by a fault."""
        self._words: dict[str, Callable[[str], None]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "edit": self._edit,
            "help": self._help,
            "?": self._help,
            "quit": self._quit,
            "exit": self._quit,
        }

    def play(self) -> None:
        """Play until the person leaves or the input ends."""
        _prepare_input()
        self._greet()
        try:
            while not self._is_left:
                if not self._agent_moved():
                    self._draw_once()
                    self._answer(self._ask())
        except EOFError:
            print()
        except KeyboardInterrupt:
            print()
            raise
        finally:
            for agent in filter(None, self.seats):
                agent.close()
            if not self.state.is_over:
                print(f"Left {plural(self.state.num_plies, 'move')} into the game.")

    @property
    def names(self) -> tuple[str, ...]:
        """How each player is called."""
        if self.seats.count(None) == 1:
            return tuple(self.vs if agent else "you" for agent in self.seats)
        return ("player 0", "player 1")

    def _greet(self) -> None:
        game = self.state.game
        about = game.title
        print(about if game.spec == game.name else f"{about} [{game.spec}]")
        if len(self.seats) == 2 and None in self.seats and self.vs != "human":
            you = self.seats.index(None)
            name = paint(f"player {you}", you) if is_colourful() else f"player {you}"
            print(f"You are {name}, against {self.vs}. Type help at the prompt.")
            if self.vs == usual_agent(game) and weakness(game):
                print(f"({weakness(game)})")
        else:
            print("Type help at the prompt.")

    def _agent_moved(self) -> bool:
        """Let the agent to move do so; for one that is at a loss another does."""
        state = self.state
        agent = None if state.is_over else self.seats[state.to_play]
        if agent is None:
            return False
        try:
            action = agent.choose(state.copy())
            print(f"{self.vs} plays {state.action_name(action)}")
            if self._trees is not None:
                self._trees.write(agent, state)
        except Forfeit as error:
            print(f"{self.vs} has lost: {error}.")
            self._agreed = -1 if state.to_play == 0 else 1
            self._is_left = True
            return True
        except UserError as error:
            other = usual_agent(state.game)
            action = self._adviser(other).choose(state.copy())
            name = state.action_name(action)
            print(f"{self.vs} plays {name}, which {other} chose: {error}")
        self._go(lambda: state.apply(action))
        return True

    def _draw_once(self) -> None:
        """Show the position, unless it is still on the screen."""
        if self._is_drawn:
            return
        self._is_drawn = True
        print(f"\n{draw(self.state)}\n")
        if self.state.is_over:
            print(ending(self.state, self.names))
            print("Enter leaves; undo and save FILE still work.")

    def _ask(self) -> str:
        state = self.state
        if state.is_over:
            prompt = "over"
        elif len(self.seats) == 1:
            prompt = f"move {state.num_plies + 1}, score {points(state.score)}"
        else:
            prompt = f"move {state.num_plies + 1}, {self.names[state.to_play]}"
        line = input(f"{prompt}> ").strip()
        if not sys.stdin.isatty():  # a transcript shows what was typed
            print(line)
        return line

    def _answer(self, line: str) -> None:
        """Do what a line says; a mistake costs a sentence, nothing else."""
        word, _, rest = line.partition(" ")
        try:
            if word.lower() in self._words:
                self._words[word.lower()](rest.strip())
            elif line:
                self._go(lambda: self.state.apply(line))
            elif self.state.is_over:
                self._is_left = True
        except UserError as error:
            print(error)

    def _go(self, change: Callable[[], object]) -> None:
        """Change the state, and say what chance made of it."""
        state, length = self.state, len(self.state.history)
        change()
        self._is_drawn = False
        if len(state.history) > length + 1:  # one step is the move itself
            new = [*turns(state.game, state.history)][length + 1 :]
            print(f"chance: {', '.join(turn.name for turn in new)}")

    def _list_moves(self, _: str) -> None:
        legal = self.state.legal_actions()
        print(f"{plural(len(legal), 'legal move')}:")
        print(flow(map(self.state.action_name, legal)))

    def _hint(self, _: str) -> None:
        if self.state.is_over:
            raise UserError("the game is over")
        state = self.state.copy()
        state.game.require_rules("a hint")
        search = self._adviser(HINTS[usual_agent(state.game)])
        print(format_analysis(search.analyse(state), HINT_MOVES))
        if state.game.num_players == 2:
            try:
                solver = self._adviser("solver").analyse(state)
                print(f"solver: {solver.moves[0].move} is a {solver.proof}")
            except UserError as error:
                print(f"solver: {error}")

    def _adviser(self, spec: str) -> Agent:
        """Return an agent that gives hints, the same one each time."""
        if spec not in self._advisers:
            game, seed = self.state.game, self.state.seed or 0
            limit = Limit(seconds=self.seconds)
            self._advisers[spec] = make_agent(spec, game, seed, limit)
        return self._advisers[spec]

    def _undo(self, _: str) -> None:
        """Go back to before the last move or edit of a person."""
        state = self.state
        state.game.require_rules("to take moves back")
        for length, turn in reversed(list(enumerate(turns(state.game, state.history)))):
            if turn.player is None or (
                turn.player >= 0 and self.seats[turn.player] is None
            ):
                history = state.history[:length]
                self.state = State.replay(state.game, history, state.seed)
                self._is_drawn = False
                return
        raise UserError("there is no move of yours to take back")

    def _save(self, name: str) -> None:
        try:
            self.save(place_for(name))
        except (OSError, RuntimeError) as error:
            raise UserError(f"cannot write {name}: {error}") from None

    def save(self, path: Path) -> None:
        """Write the game, with the variations of the file that it came from."""
        state, loaded = self.state, self._loaded
        state.game.require_rules("a saved game")
        players = tuple(self.vs if agent else "human" for agent in self.seats)
        variations: list[Variation] = []
        if loaded and state.history[: len(loaded.history)] == loaded.history:
            variations = loaded.variations
        record = Record.of(state, players, variations, self._agreed)
        save_played(record, path)
        print(f"Saved to {path}.")

    def _edit(self, text: str) -> None:
        self._go(lambda: self.state.edit(text))

    def _help(self, words: str) -> None:
        """Tell the rules, then what can be typed; or what the rules have on a word."""
        game, legal = self.state.game, self.state.legal_actions()
        if words:
            found = find_in_tables(game, words)
            if not found:
                raise UserError(f"no table in the rules has {words!r}")
            for rows in found:
                print_table(rows, num_words=len(rows[0]))
            return
        try:
            rules = tell_rules(game, "Search it: help WORD")
        except UserError as error:  # a board in them cannot be drawn
            rules = str(error)
        if rules:
            print(rules, end="\n\n")
        example = self.state.action_name(legal[0]) if legal else "(none now)"
        print(HELP.format(example=example))

    def _quit(self, _: str) -> None:
        self._is_left = True


def place_for(name: str) -> Path:
    """Return where to save; only another saved game may be overwritten."""
    if not name or not name.isprintable():
        raise UserError("save needs the name of a file, such as: save game.json")
    path = Path(name).expanduser()
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file")
    if path.suffix.lower() not in SUFFIXES:  # by which `ludens play` knows a saved game
        path = path.with_name(f"{path.name}.json")
    if path.exists() and not (path.is_file() and _is_record(path)):
        raise UserError(f"{path} exists and is not a saved game")
    return path


def _is_record(path: Path) -> bool:
    try:
        for found in read_games(path):
            right(found)
    except UserError:
        return False
    return True


def _prepare_input() -> None:
    """Let arrow keys work at the prompt, and let no byte of a pipe stop the game."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401
    elif isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
