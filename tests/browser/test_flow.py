"""The flow of a game: whose turn it is, what is said, what can be had back."""

from pathlib import Path

import pytest
from pages import (
    PHONE,
    Server,
    box_of,
    choose,
    history,
    options,
    place,
    status,
    wait_for_step,
)

from ludens.web.limits import MAX_MESSAGE_BYTES, MAX_TEXT
from marked import quick

HOLD = """() => {
    const send = WebSocket.prototype.send;
    const held = [];
    WebSocket.prototype.send = function (text) {
        if (JSON.parse(text).do === "play" && !window.letGo) held.push([this, text]);
        else send.call(this, text);
    };
    window.release = () => {
        window.letGo = true;
        for (const [socket, text] of held) send.call(socket, text);
    };
}"""
"""Keep moves on their way until the test releases them."""


def move(page, *choices: str) -> None:
    before = history(page)
    choose(page, *choices)
    wait_for_step(page, before)


def wait_for_status(page, words: str) -> None:
    page.wait_for_function(
        "words => document.querySelector('#status')?.textContent.includes(words)",
        arg=words,
    )


def moves(page) -> list[str]:
    return page.locator(".moves button").all_text_contents()


def overlap(page, one: str, other: str) -> bool:
    a, b = (box_of(page.locator(where)) for where in (one, other))
    aside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    apart = a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]
    return not (aside or apart)


def test_go_on_after_stepping_back_lets_the_agent_move(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=random&seed=1")
    for choice in ("b2", None):
        move(page, choice or options(page)[0])
        page.wait_for_selector("#board-host[aria-busy=false] .hit.can")
    assert len(history(page)) == 4
    page.keyboard.press(",")
    page.wait_for_function("() => location.hash.includes('at=3')")
    page.click("#pause")
    page.wait_for_function("() => !location.hash.includes('at=3')")
    assert len(history(page)) == 4
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can")


def test_the_same_move_again_after_undo_is_answered(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=random&seed=1")
    move(page, "b2")
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can")
    page.click("#undo")
    page.wait_for_function("() => location.hash.includes('at=0')")
    choose(page, "b2")
    page.wait_for_function("() => !location.hash.includes('at=')")
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can")
    assert len(history(page)) == 2


def test_undo_takes_back_a_move_that_is_on_its_way(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    move(page, "a1")
    page.evaluate(HOLD)
    choose(page, "b2")
    page.wait_for_selector("#board-host[aria-busy=true]")
    page.click("#undo")
    page.wait_for_selector("#board-host[aria-busy=false]")
    assert len(options(page)) == 8
    page.evaluate("() => window.release()")
    move(page, "c3")
    assert moves(page) == ["a1", "c3"]


@pytest.mark.parametrize(
    ("game", "choices", "marks"),
    [
        pytest.param("tic_tac_toe", ["b2"], ".ghost.coming.o0", marks=pytest.mark.slow),
        ("connect_four", ["4"], ".ghost.coming.o0"),
        ("triple_triad", ["card1", "b2"], ".ghost.coming.card"),
    ],
)
def test_a_move_is_drawn_before_the_server_has_answered(
    open_page, game: str, choices: list[str], marks: str
) -> None:
    page = open_page(f"?game={game}&vs=human&seed=3", **PHONE)
    page.evaluate(HOLD)
    for choice in choices:
        page.tap(place(page, choice))
    page.wait_for_selector(f"#board-host .ghosts {marks}")
    before = history(page)
    page.evaluate("() => window.release()")
    wait_for_step(page, before)
    assert page.locator("#board-host .ghosts .coming").count() == 0


def test_a_move_that_the_server_refuses_is_taken_back(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.evaluate(
        """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                send.call(this, text.replace('"step":4', '"step":99'));
            };
        }"""
    )
    choose(page, "b2")
    page.wait_for_selector(".notice")
    page.wait_for_selector("#board-host[aria-busy=false]")
    assert page.locator("#board-host .ghosts .coming").count() == 0
    assert len(options(page)) == 9


def test_a_server_that_is_away_is_named_and_the_move_is_kept(
    browser, tmp_path: Path
) -> None:
    first = Server(tmp_path)
    page = browser.new_page()
    page.goto(f"{first.address}?game=tic_tac_toe&vs=human")
    page.wait_for_selector("#board-host .hit", timeout=300_000)
    first.stop()
    wait_for_status(page, "The server is away")
    choose(page, "b2")
    page.wait_for_selector("#board-host .ghosts .coming.o0")
    wait_for_status(page, "Your move is kept and sent as soon as it is back")
    page.click("#new-game")
    page.wait_for_selector("dialog >> text=The server is away")
    page.click("#start-game")
    page.keyboard.press("Escape")
    with Server(tmp_path, port=first.port):
        wait_for_step(page, [])
        assert "to move" in status(page)
        move(page, "a1")  # answered after the start that was cancelled
        assert moves(page) == ["b2", "a1"]
        page.close()


def test_a_file_that_is_too_large_is_refused_and_the_page_lives_on(
    open_page, tmp_path: Path
) -> None:
    page = open_page("?game=connect_four&vs=human")
    page.click("#tab-share")
    for size in (MAX_TEXT + 1, MAX_MESSAGE_BYTES + 50_000):
        file = tmp_path / f"{size}.txt"
        file.write_text("4" * size)
        page.set_input_files("#record-file", file)
        page.wait_for_selector(f".notice >> text={size}.txt is too large")
    page.fill("#paste", '"' * (MAX_TEXT - 10))  # each becomes two on the way
    page.click("#panel-share >> text=Open >> nth=0")
    page.wait_for_selector(".notice >> text=too large: 4")
    assert page.locator("#connection:visible").count() == 0
    move(page, "4")


def test_what_closed_the_line_is_not_sent_again(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    refused, answered = page.evaluate(
        """async () => {
            const { Line } = await import("/socket.js");
            const line = new Line(`ws://${location.host}/ws`, () => {});
            const [big, small] = await Promise.allSettled([
                line.ask("read", { text: "4".repeat(300000) }), line.ask("runs")]);
            return [big.reason.message, small.value.ok];
        }"""
    )
    assert "too large" in refused
    assert answered


def test_editing_ends_with_its_tab(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    page.click("#tab-edit")
    page.click("text=Edit on the board")
    page.wait_for_selector("#board-host.editing")
    page.click("#tab-game")
    page.wait_for_selector("#board-host:not(.editing)")
    move(page, "b2")
    assert moves(page) == ["b2"]


@pytest.mark.parametrize("looks", [{}, PHONE])
@pytest.mark.parametrize("key", quick(["Escape", ""], ""))
def test_a_notice_can_be_closed_and_is_not_over_its_box(
    open_page, looks: dict[str, object], key: str
) -> None:
    page = open_page("?game=tic_tac_toe&vs=human", **looks)
    page.click("#tab-edit")
    page.fill("#edit-words", "nonsense")
    for box in ("#notation", "#edit-words"):
        page.fill(box, "nonsense")
        page.press(box, "Enter")
        page.wait_for_selector(".notice")
        assert not overlap(page, ".notice", box)
        if key:
            page.keyboard.press(key)
        else:
            page.click(".notice .close")
        assert page.locator(".notice").count() == 0


def test_the_end_is_told_from_where_the_reader_sits(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human&seed=1")
    page.click("#new-game")
    page.select_option("#side-1", "random")
    page.click("#start-game")
    page.click("#tab-edit")
    for words in ("set a1 first", "set b1 first"):
        before = history(page)
        page.fill("#edit-words", words)
        page.press("#edit-words", "Enter")
        wait_for_step(page, before)
    page.click("#tab-game")
    before = history(page)
    choose(page, "c1")
    wait_for_step(page, before)
    assert status(page).startswith("You won after 1 move.")
    assert not page.is_visible("#hint")
    assert not page.is_visible("#typing")
    page.click("#swap-sides")
    page.wait_for_selector("#player-top:has-text('Random')")
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can")
    assert len(history(page)) == 1
    assert page.is_visible("#hint")


def test_play_again_and_review_are_offered_at_the_end(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    for choice in ("a1", "b1", "a2", "b2", "a3"):
        move(page, choice)
    assert "The first player won after 5 moves" in status(page)
    assert not page.is_visible("#swap-sides")
    page.click("#review")
    page.wait_for_selector(".graph")
    page.click("#again")
    page.wait_for_function("() => !location.hash.includes('history')")
    assert len(options(page)) == 9


IMPOSSIBLE = {
    "tic_tac_toe": ([["b2"]], ["b2"], "the cell is taken"),
    "connect_four": ([["1"]] * 6, ["1"], "the column is full"),
    "pyrga": ([["circle", "b2"]], ["square", "c3"], "allows other cells only"),
    "triple_triad": ([["card1", "b2"]], ["card1", "b2"], "the cell is taken"),
    "triangle": ([["slot1", "g4"]], ["slot2", "g4"], "the shape lies on others"),
}
"""Moves to begin with, choices that are not possible then, and why they are not."""


@pytest.mark.parametrize("game", quick(IMPOSSIBLE, "connect_four", "triangle"))
def test_it_is_said_why_a_move_is_not_possible(open_page, game: str) -> None:
    begun, choices, why = IMPOSSIBLE[game]
    page = open_page(f"?game={game}&vs=human&seed=3")
    for one in begun:
        move(page, *one)
    choose(page, *choices)
    wait_for_status(page, why)


def test_a_cell_without_a_piece_asks_for_the_piece(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=3")
    choose(page, "b2")
    wait_for_status(page, "choose first what goes there")


def kept(page) -> list[str]:
    return page.locator(".kept b").all_text_contents()


def test_a_replaced_game_comes_back_with_its_variations(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human&seed=1")
    move(page, "a1")
    page.click("#undo")
    page.wait_for_function("() => location.hash.includes('at=0')")
    choose(page, "c3")
    page.wait_for_selector(".moves .variation")
    page.click("#restart")
    page.click(".notice >> text=Undo")
    page.wait_for_selector(".moves .variation")
    assert page.inner_text(".moves .here") == "c3"


def test_deleted_moves_come_back(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human&seed=1")
    for choice in ("a1", "b2"):
        move(page, choice)
    page.keyboard.press(",")
    page.wait_for_function("() => location.hash.includes('at=1')")
    page.click("text=Delete from here")
    page.wait_for_function("() => !location.hash.includes('history')")
    page.click(".notice >> text=Undo")
    page.wait_for_function("() => location.hash.includes('history=0.4&at=1')")
    assert moves(page) == ["a1", "b2"]


def test_games_are_kept_in_a_list_over_a_reload(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=random&seed=1")
    move(page, "b2")
    page.wait_for_selector("#board-host[aria-busy=false] .hit.can")
    first = history(page)
    page.click("#tab-share")
    page.fill("#paste", "b2 a1 c3")
    page.click("#panel-share >> text=Open >> nth=0")
    page.wait_for_function("() => location.hash.endsWith('history=4.0.8')")
    page.reload()
    page.wait_for_selector(".kept button")
    assert len(kept(page)) == 2
    page.click(".kept button:not([aria-current])")
    page.wait_for_selector("#player-top:has-text('Random')")
    assert history(page) == first


def test_back_and_forward_go_between_games(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human&seed=1")
    move(page, "b2")
    page.click("#new-game")
    page.click("#start-game")
    page.wait_for_function("() => !location.hash.includes('history')")
    move(page, "a1")
    move(page, "a2")
    page.go_back()
    page.wait_for_selector(".moves .here >> text=b2")
    assert moves(page) == ["b2"]
    page.go_forward()
    page.wait_for_selector(".moves .here >> text=a2")
    assert moves(page) == ["a1", "a2"]
    page.reload()
    page.wait_for_selector(".moves .here")
    page.go_back()
    page.wait_for_function("() => location.hash.endsWith('history=4')")


def test_a_game_that_two_tabs_go_on_with_becomes_two_games(open_page) -> None:
    one = open_page("?game=tic_tac_toe&vs=human&seed=1")
    move(one, "b2")
    two = open_page("", context=one.context)
    assert moves(two) == ["b2"]
    move(two, "a1")
    move(one, "c3")
    one.reload()
    one.wait_for_selector(".kept")
    assert len(kept(one)) == 2
    assert moves(one) == ["b2", "c3"]
    one.click(".kept button:not([aria-current])")
    one.wait_for_function("() => location.hash.endsWith('history=4.0')")


def test_old_games_make_room_for_new_ones(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human&seed=1")
    move(page, "b2")
    num_kept, is_new_kept = page.evaluate(
        """async () => {
            const { save, last, list } = await import("/keeping.js");
            const kept = last();
            for (let i = 0; i < 70; i++) {
                kept.story.rename();
                save(kept, `Game ${i}`, "1 move");
            }
            const numKept = list().length;
            for (let size = 2 ** 23; size >= 1; size /= 2) {
                try {
                    localStorage.setItem(`junk${size}`, "x".repeat(size));
                } catch {}
            }
            kept.story.rename();
            save(kept, "Last", "1 move");
            const key = `ludens.game.${kept.story.id}`;
            return [numKept, localStorage.getItem(key) !== null];
        }"""
    )
    assert num_kept == 50
    assert is_new_kept
