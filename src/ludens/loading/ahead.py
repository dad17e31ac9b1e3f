"""Compile what a command will need, on all cores, while it does something else.

Numba compiles on one core only. So some processes of our own fill the cache, from which
the command then loads; whoever needs an entry earlier waits for it.
"""

import json
import os
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ludens.cores import num_cores
from ludens.loading.announce import ANNOUNCER, Background
from ludens.loading.cache import cache_folder
from ludens.loading.game import Game


@dataclass(frozen=True)
class Task:
    """One entry of a kernel, and the function of a module that compiles it.

    The function is called with the game and the arguments, in another process.
    """

    kernel: ModuleType
    entry: str
    function: Callable[..., None]
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The entry, as those who wait for it name it."""
        return f"{self.kernel.__name__.split('.')[-2]}.{self.entry}"

    def to_json(self) -> str:
        """Return what `perform` reads."""
        function = self.function
        return json.dumps([function.__module__, function.__qualname__, self.arguments])


def perform(game: Game, text: str) -> None:
    """Do a task, in this process."""
    module, name, arguments = json.loads(text)
    getattr(import_module(module), name)(game, *arguments)


def prepare(game: Game, tasks: Iterable[Task]) -> None:
    """Begin to compile in the background what has never been compiled before."""
    if not game.compiled or ANNOUNCER.is_busy(game.spec):
        return
    left = deque(task for task in tasks if not _mark(game, task).exists())
    if not left:
        return
    background = ANNOUNCER.begin(game.spec, Counter(task.name for task in left))
    for _ in range(min(num_cores(), len(left))):
        arguments = (game, left, background)
        threading.Thread(target=_direct, args=arguments, daemon=True).start()


def _mark(game: Game, task: Task) -> Path:
    """Return the file that says that a task was done once."""
    entry = getattr(game.kernel(task.kernel), task.entry)
    words = (task.function.__name__, *task.arguments)
    stub = Path(entry.py_func.__code__.co_filename)
    return stub.with_suffix(f".{'-'.join(words)}.done")


_few = threading.BoundedSemaphore(num_cores())
"""As many processes as there are cores, for all games together."""


def _direct(game: Game, left: deque[Task], background: Background) -> None:
    """Let one process do tasks until none is left; what it cannot do is left undone."""
    with _few:
        if left:
            _direct_process(game, left, background)


def _direct_process(game: Game, left: deque[Task], background: Background) -> None:
    game_facts = json.dumps([str(game.path), game.name, dict(game.options)])
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "ludens.loading.ahead", game_facts],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"LUDENS_CACHE": str(cache_folder())},
        start_new_session=True,  # Ctrl-C is for the command; this ends with its pipe
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        while left:
            try:
                task = left.popleft()
            except IndexError:
                break
            try:
                process.stdin.write(task.to_json() + "\n")
                process.stdin.flush()
                if process.stdout.readline() == "done\n":
                    _mark(game, task).touch()
            except OSError:
                pass
            finally:
                background.finish(task.name)
        process.stdin.close()


def main(facts: str) -> None:
    """Do the tasks that come in; end with the process that gives them."""
    path, name, options = json.loads(facts)
    game = Game(name, Path(path), options, compiled=True)
    tasks: deque[str] = deque()
    arrived = threading.Semaphore(0)

    def read() -> None:
        for line in sys.stdin:
            tasks.append(line)
            arrived.release()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        arrived.acquire()
        try:
            perform(game, tasks.popleft())
            answer = "done"
        except Exception as error:
            answer = f"{type(error).__name__}: {error}".replace("\n", " ")
        print(answer, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
