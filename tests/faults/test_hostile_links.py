"""Made-up links are read by the page and borne by the server."""

import shutil
from pathlib import Path

import pytest

from faults import hostile_links

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="needs node")


def test_made_up_links_are_borne() -> None:
    assert hostile_links.run(60, seed=1).failures == []


def test_a_page_that_stumbles_over_a_link_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = tmp_path / "story.mjs"
    stumbles = "export const fromFragment = (text) => ({ game: decodeURI(text) });"
    reader.write_text(stumbles)
    monkeypatch.setattr(hostile_links, "READER", reader)
    failures = hostile_links.run(60, seed=1).failures
    assert any("URIError: URI malformed" in line for line in failures)


def test_a_step_of_a_link_that_is_not_escaped_is_taken_as_it_is() -> None:
    [asked] = hostile_links.follow(["#game=tic_tac_toe&history=4.~%25"])
    assert asked["game"]["history"] == [4, "%"]
