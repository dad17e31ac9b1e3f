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
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from ludens.agents.networks import named_net
from ludens.check import kernel as check_kernel
from ludens.check.fast import compile_fast
from ludens.cores import num_cores
from ludens.errors import UserError
from ludens.loading.announce import Background, in_background
from ludens.loading.cache import cache_folder
from ludens.loading.game import Game, parse_spec
from ludens.search import kernel as search_kernel
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.solver import kernel as solver_kernel
from ludens.solver.exact import Solver

Task = tuple[str, ...]
"""What to compile: ("search", root, leaves, number of games, entry) or one of ALONE."""
ALONE = {
    "solver": (solver_kernel, "search"),
    "check": (check_kernel, "play_checked"),
}
"""Tasks that are one entry of a kernel."""


def search_tasks(root: str, has_net: bool, has_many: bool = False) -> list[Task]:
    """Return what a search needs, what takes longest first."""
    leaves, games = "net" if has_net else "rollouts", "many" if has_many else "one"
    entries = ["collect", "absorb"] if has_net else ["simulate"]
    entries += ["read_roots", "find_idle" if has_many else "prepare_roots", "reset"]
    if root == "gumbel" and not has_many:
        entries.remove("prepare_roots")
    return [("search", root, leaves, games, entry) for entry in entries]


def agent_tasks(game: Game, spec: str) -> list[Task]:
    """Return what an agent such as `net:sims=200` needs."""
    name, given = parse_spec(spec)
    if name == "solver":
        return [("solver",)]
    if name not in ("mcts", "net"):
        return []
    net = named_net(spec, game)
    learnt = {} if net is None else net.card.search
    root = "puct" if "seconds" in given else learnt.get("root", "puct")
    return search_tasks(str(given.get("root", root)), net is not None)


def training_tasks(root: str) -> list[Task]:
    """Return what self-play, and the examination of nets by search, need."""
    played = search_tasks(root, has_net=True, has_many=True)
    examined = search_tasks("puct", has_net=True, has_many=True)
    others = search_tasks("puct", has_net=False, has_many=True)
    return list(dict.fromkeys([*played, *examined, *others]))


def perform(game: Game, task: Task) -> None:
    """Compile one thing, in this process."""
    match task:
        case ("search", root, leaves, games, entry):
            evaluator = _guess if leaves == "net" else None
            number, config = (
                2 if games == "many" else 1,
                SearchConfig(root=root, sims=1),
            )
            search = Search(game, config, number, 1, evaluator, is_lazy=True)
            search.entries()[entry]()
        case ("solver",):
            Solver(game, memory_mb=1)
        case ("check",):
            compile_fast(game)


def _guess(planes: Any) -> Any:
    raise AssertionError("there is nothing to evaluate")


def prepare_agents(game: Game, agents: Iterable[str]) -> None:
    """Begin to compile what agents need; what is wrong with them is not said here."""
    tasks: dict[Task, None] = {}
    for agent in agents:
        with suppress(UserError):
            tasks |= dict.fromkeys(agent_tasks(game, agent))
    prepare(game, tasks)


def prepare(game: Game, tasks: Iterable[Task]) -> None:
    """Begin to compile in the background what has never been compiled before."""
    known = in_background.get(game.spec)
    if not game.compiled or (known is not None and known.waiting):
        return
    left = deque(task for task in tasks if not _mark(game, task).exists())
    if not left:
        return
    names = Counter(_entry_of(task) for task in left)
    background = Background(game.spec, dict(names), len(left))
    in_background[game.spec] = background
    for _ in range(min(num_cores(), len(left))):
        arguments = (game, left, background)
        threading.Thread(target=_direct, args=arguments, daemon=True).start()


def _place_of(task: Task) -> tuple[ModuleType, str]:
    """Return the kernel and the entry that a task compiles."""
    return (search_kernel, task[-1]) if task[0] == "search" else ALONE[task[0]]


def _entry_of(task: Task) -> str:
    """Return the entry that a task compiles, as those who wait for it name it."""
    module, entry = _place_of(task)
    return f"{module.__name__.split('.')[-2]}.{entry}"


def _mark(game: Game, task: Task) -> Path:
    """Return the file that says that a task was done once."""
    module, name = _place_of(task)
    stub = getattr(game.kernel(module), name).py_func.__code__.co_filename
    return Path(stub).with_suffix(f".{'-'.join(task[:-1] or task)}.done")


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
                process.stdin.write(json.dumps(task) + "\n")
                process.stdin.flush()
                if process.stdout.readline() == "done\n":
                    _mark(game, task).touch()
            except OSError:
                pass
            finally:
                background.finish(_entry_of(task))
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
            perform(game, tuple(json.loads(tasks.popleft())))
            answer = "done"
        except Exception as error:
            answer = f"{type(error).__name__}: {error}".replace("\n", " ")
        print(answer, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
