"""A command that gets a signal at any moment ends as it should."""

import signal
import sys

import pytest

from faults import signals


def test_signals_at_random_moments_end_a_command_without_a_traceback() -> None:
    assert signals.run(4, seed=1, commands=[("games",)]).failures == []


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("print('Traceback ...')", "Traceback"),
        ("import sys; sys.exit(1)", "exit code 1"),
    ],
)
def test_a_traceback_and_another_exit_code_are_failures(
    code: str, complaint: str
) -> None:
    words = [sys.executable, "-S", "-c", code]
    with pytest.raises(AssertionError, match=complaint):
        signals.interrupt(words, 600, signal.SIGINT)
