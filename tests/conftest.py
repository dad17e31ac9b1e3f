"""What holds for all tests."""

import hashlib
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from filelock import FileLock

# Threads of two workers on two cores would wait for each other, and use the CPU for it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure() -> None:
    """Let Ctrl-C reach the commands that tests start, even from a background job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _compile_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let one worker compile an entry; the others wait and load it from the cache.

    Nothing is compiled ahead: processes of its own would have to load all libraries.
    """
    from numba.core.dispatcher import Dispatcher

    from ludens.agents import compiling
    from ludens.loading import ahead
    from ludens.loading.jit import EntryCache

    locks = tmp_path_factory.getbasetemp().parent  # the same for all workers
    load_or_compile = Dispatcher.compile

    def compile_once(self: Any, signature: Any) -> Any:
        if not isinstance(self._cache, EntryCache):
            return load_or_compile(self, signature)
        entry = f"{self.py_func.__code__.co_filename} {signature}"
        name = hashlib.sha256(entry.encode()).hexdigest()[:16]
        with FileLock(locks / f"{name}.lock"):
            return load_or_compile(self, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_once)
        for module in (ahead, compiling):
            patch.setattr(module, "prepare", lambda game, tasks: None)
        yield
