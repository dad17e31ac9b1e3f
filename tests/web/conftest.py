"""One server for all tests of a file, and a page for each test."""

from collections.abc import Iterator

import pytest

from served import Page, Served, serve


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve() as running:
        yield running
        assert "TRACEBACK" not in running.log


@pytest.fixture
def page(served: Served) -> Iterator[Page]:
    with served.page() as opened:
        yield opened
