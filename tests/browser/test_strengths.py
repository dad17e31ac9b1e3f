"""How strong an agent is, by time and by level; what boards look like."""

from pages import PATIENCE_MS, PIECES, choose, history

LISTEN = """() => {
    window.sent = [];
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (text) {
        window.sent.push(JSON.parse(text));
        send.call(this, text);
    };
}"""


def begin_against(page, who: str) -> None:
    page.click("#new-game")
    page.select_option("#side-1", who)


def play_first(page, choice: str) -> dict[str, object]:
    """Start the game and move; return how the agent was asked for its answer."""
    page.evaluate(LISTEN)
    page.click("#start-game")
    page.wait_for_function("() => !document.querySelector('dialog[open]')")
    choose(page, choice)
    page.wait_for_selector("#panel-game .moves button >> nth=1", timeout=PATIENCE_MS)
    return page.evaluate("() => window.sent.find((message) => message.do === 'move')")


def test_an_agent_plays_by_time(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    begin_against(page, "mcts")
    page.select_option("#side-1-by", "seconds")
    page.fill("#side-1-amount", "0.3")
    asked = play_first(page, "b2")
    assert (asked["agent"], asked["seconds"]) == ("mcts", 0.3)
    assert "sims" not in asked
    assert page.inner_text("#player-top .name") == "Rollout search, 0.3 s"
    page.reload()
    page.wait_for_selector(PIECES)
    assert page.inner_text("#player-top .name") == "Rollout search, 0.3 s"


def test_an_agent_plays_by_simulations(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    begin_against(page, "mcts")
    page.fill("#side-1-amount", "40")
    asked = play_first(page, "b2")
    assert (asked["agent"], asked["sims"]) == ("mcts", 40)


def test_an_agent_plays_by_a_level_that_was_measured(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human")
    begin_against(page, "level")
    levels = page.locator("#side-1-level option").all_text_contents()
    assert len(levels) > 3
    assert all("Elo" in level for level in levels[:3])
    page.select_option("#side-1-level", "3")
    asked = play_first(page, "b2")
    assert asked["agent"] == "mcts:sims=30"
    assert len(history(page)) == 2
    assert page.inner_text("#player-top .name") == "Level 3"


def test_a_set_up_that_is_refused_is_told_in_the_dialog(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human")
    page.click("#new-game")
    page.fill("#setup", "nonsense")
    page.click("#start-game")
    page.wait_for_function(
        "() => document.querySelector('dialog[open] [role=status]')?.textContent"
    )
    assert page.locator(".notice").count() == 0


def test_boards_have_themes_that_stay(open_page) -> None:
    page = open_page("?game=pyrga&vs=human", color_scheme="light")
    cell = page.locator("#board-host .cell .body").first
    fill = "body => getComputedStyle(body).fill"
    seen = {"classic": cell.evaluate(fill)}
    page.click("#themes")
    for board in ("slate", "vivid"):
        page.select_option("#look-board", board)
        seen[board] = cell.evaluate(fill)
    assert seen["vivid"] == "rgb(255, 255, 255)"
    assert len(set(seen.values())) == 3
    page.click("dialog[open] >> text=Done")
    page.reload()
    page.wait_for_selector("#board-host .cell")
    assert cell.evaluate(fill) == seen["vivid"]
    page.click("#themes")
    page.select_option("#look-mode", "dark")
    assert cell.evaluate(fill) == "rgb(0, 0, 0)"
