"""The brain: commands of a manager in, answers out, while a thread thinks."""

import re
import threading
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version

from ludens.errors import UserError
from ludens.loading.game import format_spec
from ludens.loading.options import OptionValue
from ludens.protocols.gomocup import swap2
from ludens.protocols.gomocup.board import SIZES, Board
from ludens.protocols.gomocup.preparing import Preparing
from ludens.protocols.gomocup.terms import Terms, used_bytes
from ludens.protocols.gomocup.thinking import Job, Thinker, move

MAX_ECHO = 40
"""Characters of a line that was not understood."""
OWN, OPPONENT, OUT_OF_PLAY = 1, 2, 3
USUAL = {"size": 15, "rule": "freestyle"}
"""What a game is named without."""


class Brain:
    """Plays gomoku for a manager; `write` gets each line, from one thread at a time.

    `agent` names who thinks, "": the net that ships, or else a search with rollouts.
    """

    def __init__(self, write: Callable[[str], None], agent: str = "") -> None:
        self._write = write
        self._lock = threading.RLock()
        self._terms = Terms()
        self._board: Board | None = None
        self._listed: list[str] | None = None
        """The lines of a BOARD so far, None outside of one."""
        self._list_of: Callable[[list[str]], None] = self._end_board
        self._job: Job | None = None
        self._is_idle = threading.Condition(self._lock)
        complain = self._complain
        self._preparing = Preparing(agent, complain)
        self._thinker = Thinker(self._preparing, complain)
        self._commands: dict[str, Callable[[str], None]] = {
            "START": self._start,
            "RECTSTART": self._rect_start,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._list_board,
            "SWAP2BOARD": self._list_swap2,
            "TAKEBACK": self._take_back,
            "PLAY": self._play,
            "SUGGEST": self._suggest,
            "INFO": self._info,
            "ABOUT": self._about,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Obey until END, or until the input ends and the last move is answered."""
        for line in lines:
            if line.strip().upper() == "END":
                self._abandon()
                return
            self.take(line)
        with self._is_idle:
            self._is_idle.wait_for(lambda: self._job is None)

    def take(self, line: str) -> None:
        """Obey a line."""
        word, _, rest = line.strip().partition(" ")
        with self._lock:
            try:
                if self._listed is not None and self._goes_on(line.strip()):
                    return
                if word.upper() in self._commands:
                    self._commands[word.upper()](rest.strip())
                elif word:
                    self._say(f"UNKNOWN {_echo(line)}")
            except UserError as error:
                self._say(f"ERROR {error}")

    def _start(self, rest: str) -> None:
        size = int(rest) if re.fullmatch(r"[0-9]{1,4}", rest) else 0
        if size not in SIZES:
            span = f"{SIZES.start} to {SIZES.stop - 1}"
            raise UserError(f"unsupported size; a board has {span} lines")
        self._abandon()
        self._board = Board(size)
        self._terms.begin()
        self._preparing.want(self._spec(size))
        self._say("OK")

    def _rect_start(self, rest: str) -> None:
        sides = [side.strip() for side in rest.split(",")]
        if len(sides) != 2 or sides[0] != sides[1]:
            raise UserError("unsupported size; a board is as wide as it is high")
        self._start(sides[0])

    def _restart(self, _: str) -> None:
        self._start(str(self._started.size))

    def _begin(self, _: str) -> None:
        self._refuse_busy()
        if self._started.stones:
            raise UserError("the board is not empty")
        self._think(move, self._place)

    def _turn(self, rest: str) -> None:
        self._refuse_busy()
        self._started.put(self._started.read_empty(rest))
        self._think(move, self._place)

    def _play(self, rest: str) -> None:
        cell = self._started.read_empty(rest)
        self._abandon()
        self._place([cell])

    def _suggest(self, _: str) -> None:
        self._refuse_busy()
        self._think(move, lambda cells: self._say(f"SUGGEST {self._points(cells)}"))

    def _take_back(self, rest: str) -> None:
        board = self._started
        cell = board.read(rest)
        if cell not in board.stones:
            raise UserError(f"{board.point(cell)} is empty")
        self._abandon()
        board.take(cell)
        self._say("OK")

    def _info(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        self._terms.take(key, value.strip())
        if self._board is not None:
            self._preparing.want(self._spec(self._board.size))

    def _about(self, _: str) -> None:
        said = f'name="Ludens", version="{version("ludens")}"'
        self._say(f'{said}, author="The Ludens authors"')

    def _list_board(self, _: str) -> None:
        self._begin_list(self._end_board)

    def _list_swap2(self, _: str) -> None:
        self._begin_list(self._end_swap2)

    def _begin_list(self, end: Callable[[list[str]], None]) -> None:
        self._started.copy()  # refuses if there is none
        self._abandon()
        self._listed, self._list_of = [], end

    def _goes_on(self, line: str) -> bool:
        """Take a line of a BOARD; False if it is a command, which ends it."""
        assert self._listed is not None
        word = line.partition(" ")[0].upper()
        if word in self._commands:
            self._listed = None
            self._say("ERROR the board has no DONE")
            return False
        if word == "DONE":
            lines, self._listed = self._listed, None
            self._list_of(lines)
        elif line and len(self._listed) <= self._started.size**2:
            self._listed.append(line)
        return True

    def _end_board(self, lines: list[str]) -> None:
        """Set up the board that a manager has told, and move on it."""
        old = self._started
        fields: dict[int, int] = {}
        for line in lines:
            point, _, who = line.rpartition(",")
            if who.strip() not in ("1", "2", "3"):
                raise UserError(f"a line of a board is X,Y,WHO, not {_echo(line)}")
            if fields.setdefault(cell := old.read(point), int(who)) != int(who):
                raise UserError(f"{old.point(cell)} is taken")
        own, others = (list(fields.values()).count(who) for who in (OWN, OPPONENT))
        board = Board(old.size)
        board.to_play = int(own < others)  # black has as many stones, or one more
        seats = {OWN: board.to_play, OPPONENT: 1 - board.to_play}
        if self._terms.rule != "renju":  # which knows itself where nobody may play
            seats[OUT_OF_PLAY] = seats[OPPONENT]
        board.stones = {c: seats[who] for c, who in fields.items() if who in seats}
        self._board = board
        self._think(move, self._place)

    def _end_swap2(self, lines: list[str]) -> None:
        """Set up the stones of an opening, and answer to it."""
        board = Board(self._started.size)
        for line in lines:
            board.put(board.read_empty(line))
        if len(lines) not in (0, 3, 5):
            raise UserError(f"swap2 has 0, 3 or 5 stones, not {len(lines)}")
        self._board = board
        self._think(swap2.answer, self._place)

    @property
    def _started(self) -> Board:
        if self._board is None:
            raise UserError("there is no board yet; START makes one")
        return self._board

    def _spec(self, size: int) -> str:
        chosen: dict[str, OptionValue] = {"size": size, "rule": self._terms.rule}
        changed = chosen.items() - USUAL.items()
        return format_spec("gomoku", dict(sorted(changed, reverse=True)))

    def _refuse_busy(self) -> None:
        if self._job is not None:
            raise UserError("a move is being thought about")

    def _think(
        self,
        work: "Callable[[Job, Thinker], list[int]]",
        finish: Callable[[list[int]], None],
    ) -> None:
        """Let the thread think; it places stones, and answers, when it is done."""
        board, terms, now_s = self._started, self._terms, time.perf_counter()
        memory_mb = terms.tree_mb(used_bytes())
        end_s = now_s + terms.move_s(board.num_empty)
        spec = self._spec(board.size)

        def tell(job: Job, found: list[int] | UserError) -> None:
            with self._lock:
                if job.is_stopped:
                    return
                self._job = None
                terms.spend(now_s)
                if isinstance(found, UserError):
                    self._say(f"ERROR {found}")
                else:
                    finish(found)
                self._is_idle.notify_all()

        self._job = Job(work, board.copy(), spec, memory_mb, end_s, tell)
        self._thinker.begin(self._job)

    def _abandon(self) -> None:
        """Let what is being thought about have no answer."""
        with self._lock:
            if self._job is not None:
                self._job.is_stopped = True
                self._job = None

    def _place(self, cells: list[int]) -> None:
        """Put stones, and say where."""
        for cell in cells:
            self._started.put(cell)
        self._say(self._points(cells) or "SWAP")

    def _points(self, cells: list[int]) -> str:
        return " ".join(map(self._started.point, cells))

    def _complain(self, line: str) -> None:
        with self._lock:
            self._say(f"MESSAGE {line}")

    def _say(self, line: str) -> None:
        self._write(_plain(line))


def _echo(text: str) -> str:
    """Return the beginning of a stranger's line."""
    return _plain(text.strip()[:MAX_ECHO])


def _plain(text: str) -> str:
    """Return a text as one line of ASCII."""
    return "".join(sign if " " <= sign <= "~" else "?" for sign in text)
