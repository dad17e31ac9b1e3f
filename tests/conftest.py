"""What holds for all tests."""

import signal


def pytest_configure() -> None:
    """Let Ctrl-C reach the commands that tests start, even from a background job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
