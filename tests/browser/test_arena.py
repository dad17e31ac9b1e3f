"""The arena, and what the network sees."""

import json
from pathlib import Path

from pages import PATIENCE_MS
from test_access import violations


def test_a_match_is_watched_and_saved(open_page, tmp_path: Path) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#nav-arena")
    page.select_option("#agent-0", "greedy")
    page.select_option("#agent-1", "random")
    page.fill("#arena-games", "6")
    page.click("#start-match")
    page.wait_for_selector("#arena >> text=6 of 6 games played.")
    rows = page.locator("#arena tbody tr")
    assert rows.count() == 2
    counts = [int(text) for text in rows.nth(0).locator("td").all_inner_texts()[1:4]]
    assert sum(counts) == 6
    assert page.locator("#arena .mini svg").count() == 4
    assert violations(page) == []
    with page.expect_download() as download:
        page.click("text=Save the games")
    download.value.save_as(tmp_path / "match.jsonl")
    lines = (tmp_path / "match.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert [one["players"][0] for one in records] == ["greedy", "random"] * 3
    page.click("#arena .mini button >> nth=-1")
    page.wait_for_selector("#play:not([hidden])")
    marks = "#board-host .shapes :is(.cross, .ring)"
    page.wait_for_function(
        "([what, count]) => document.querySelectorAll(what).length === count",
        arg=[marks, len(records[-1]["history"])],
    )


def test_a_match_that_goes_on_is_stopped(open_page) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.click("#nav-arena")
    page.select_option("#agent-0", "mcts")
    page.select_option("#agent-1", "mcts")
    for agent in (0, 1):  # minutes of thinking
        page.fill(f"#agent-{agent}-amount", "20000")
        page.press(f"#agent-{agent}-amount", "Tab")
    page.fill("#arena-games", "1000")
    page.click("#start-match")
    page.wait_for_selector("#arena .mini svg", timeout=PATIENCE_MS)
    page.click("#arena >> text=Stop")
    page.wait_for_selector("#arena >> text=Stopped.")
    assert page.is_disabled("#arena >> text=Stop")


def test_planes_follow_the_game(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#tab-planes")
    captions = page.locator("#panel-planes figcaption")
    captions.nth(1).wait_for()
    names = [text.partition(" 0")[0] for text in captions.all_inner_texts()]
    assert names == ["own marks", "opponent's marks"]
    page.click("[data-choice=b2]")
    page.wait_for_selector(
        '#panel-planes canvas[aria-label="opponent\'s marks: 0 to 1"]'
    )
    seen = page.evaluate(
        """() => [...document.querySelectorAll('#panel-planes canvas')].map(c =>
            c.getContext('2d').getImageData(1, 1, 1, 1).data[3] > 0)"""
    )
    assert seen == [False, True]
    assert violations(page) == []
