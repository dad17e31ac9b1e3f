"""The board under mouse, finger and keyboard, on squares, hexagons and triangles."""

import pytest
from pages import (
    PHONE,
    Finger,
    box_of,
    centre_of,
    choose,
    history,
    place,
    wait_for_step,
)

from ludens.games._cards import NAMES
from ludens.loading.game import game_files
from marked import quick

LYING = {"viewport": {"width": 844, "height": 390}, "has_touch": True}
HEX = """() => {
    const corner = (x, y, k) => [x + Math.sin(k * Math.PI / 3) / Math.sqrt(3),
        y + Math.cos(k * Math.PI / 3) / Math.sqrt(3)];
    const naming = (name) => ({ label: name, choice: name });
    const cells = [];
    for (let r = 0; r < 5; r++) for (let c = 0; c < 5; c++) {
        const name = 'abcde'[c] + (r + 1);
        const points = [0, 1, 2, 3, 4, 5].map(
            (k) => corner(c + r / 2, r * Math.sqrt(3) / 2, k));
        cells.push({ kind: 'polygon', role: 'cell', points, ...naming(name) });
    }
    return cells;
}"""
SHOW = f"""async () => {{
    const {{ Board }} = await import('/board.js');
    const {{ complete }} = await import('/picture.js');
    const host = document.createElement('div');
    host.id = 'other';
    document.body.prepend(host);
    window.other = new Board(host);
    window.other.show(complete(({HEX})()), [], 'Hex', false);
}}"""
"""Shows a board of hexagons, of a game that somebody might write."""


def show_hexagons(open_page):
    page = open_page("?game=tic_tac_toe&vs=human")
    page.evaluate(SHOW)
    return page


@pytest.mark.parametrize("by", ["mouse", "finger"])
@pytest.mark.parametrize(
    "chosen", quick(["click", "dropped outside"], "dropped outside")
)
def test_what_is_chosen_already_can_be_dragged(open_page, by: str, chosen: str) -> None:
    page = open_page("?game=triangle&seed=3", **(PHONE if by == "finger" else {}))
    before = history(page)
    start, end = centre_of(page, "slot1"), centre_of(page, "g4")
    finger = Finger(page)

    def drag(*to: float) -> None:
        if by == "finger":
            finger.drag(*start, *to)
            finger.lift()
        else:
            page.mouse.move(*start)
            page.mouse.down()
            page.mouse.move(*to, steps=5)
            page.mouse.up()

    if chosen == "click":
        choose(page, "slot1")
    else:
        drag(5, start[1])
    page.wait_for_selector(".hit.picked[data-choice=slot1]")
    drag(*end)
    wait_for_step(page, before)
    assert page.inner_text("#panel-game .moves .here").startswith("1")


def test_letters_stand_where_slanting_columns_begin(open_page) -> None:
    page = show_hexagons(open_page)
    at = page.eval_on_selector_all(
        "#other .coordinate",
        """all => Object.fromEntries(all.map((one) => [one.textContent,
            [one.x.baseVal[0].value, one.y.baseVal[0].value]]))""",
    )
    for column, letter in enumerate("abcde"):
        x, y = at[letter]
        assert column - 0.5 < x < column  # up and to the left of the first row
        assert -1 < y < -0.5
    for row in range(5):
        x, y = at[str(row + 1)]
        assert -1 < x - row / 2 < -0.5
        assert y == pytest.approx(row * 0.866, abs=0.01)


REACHED = """(board) => {
    const reached = new Set([board.focused]);
    for (const choice of reached)
        for (const way of [[0, -1], [1, 0], [0, 1], [-1, 0]]) {
            board.focus(choice);
            board.step(way);
            reached.add(board.focused);
        }
    return [...board.hits.keys()].filter((choice) => !reached.has(choice));
}"""


def test_arrows_reach_every_hexagon_and_lead_straight_up_and_down(open_page) -> None:
    page = show_hexagons(open_page)
    assert page.evaluate(f"() => ({REACHED})(window.other)") == []
    steps = page.evaluate(
        """() => {
            window.other.focus('b5');
            const ways = [[0, -1], [0, -1], [0, -1], [0, 1], [0, 1], [0, 1], [1, 0]];
            return ways.map((way) => (window.other.step(way), window.other.focused));
        }"""
    )
    assert steps == ["b4", "c3", "c2", "c3", "b4", "b5", "c5"]


def test_arrows_skip_no_triangle(open_page) -> None:
    page = open_page("?game=triangle&seed=3")
    cells = page.eval_on_selector_all(
        "#board-host .hit", "all => all.map((hit) => hit.dataset.choice)"
    )
    row = sorted(cell for cell in cells if cell[1:] == "4")
    page.keyboard.press("b")
    while page.evaluate("document.activeElement.dataset.choice") not in row:
        page.keyboard.press("ArrowDown")
    while page.evaluate("document.activeElement.dataset.choice") != row[0]:
        page.keyboard.press("ArrowLeft")
    walked = [row[0]]
    for _ in row[1:]:
        page.keyboard.press("ArrowRight")
        walked.append(page.evaluate("document.activeElement.dataset.choice"))
    assert walked == row


def test_hands_lie_at_the_side_of_their_players_on_a_phone(open_page) -> None:
    page = open_page("?game=triple_triad&vs=random&side=second&seed=3", **PHONE)
    page.wait_for_selector("#board-host .hit.can")
    mine = centre_of(page, "card1")[1]
    assert mine > centre_of(page, "b2")[1]
    assert page.inner_text("#player-bottom .name") == "You"


def test_long_names_stay_within_a_phone(open_page) -> None:
    page = open_page("?game=tic_tac_toe&vs=human", **PHONE)
    page.evaluate(
        """() => {
            const weights = 'a-run-with-quite-a-long-name-that-says-all/net-000123';
            const side = { who: 'net', level: 1, weights, by: 'sims', amount: 800 };
            for (const storage of [sessionStorage, localStorage])
                for (const [key, text] of Object.entries(storage)) {
                    const kept = JSON.parse(text[0] === '{' ? text : '{}');
                    if (!kept.sides) continue;
                    kept.isPaused = true;
                    kept.sides[1] = side;
                    storage[key] = JSON.stringify(kept);
                }
        }"""
    )
    page.reload()
    name = page.locator("#player-top .name", has_text="a-run-with-quite-a-long-name")
    name.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    box = box_of(name)
    assert box["height"] < 30
    assert box["x"] + box["width"] <= 320


@pytest.mark.parametrize(
    "game",
    quick(game_files(), "triple_triad"),
)
def test_a_phone_on_its_side_shows_the_whole_board(open_page, game: str) -> None:
    page = open_page(f"?game={game}&vs=human&seed=3", **LYING)
    board = box_of(page.locator("#board-host svg"))
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= 390
    assert board["height"] >= 240
    assert box_of(page.locator("#status"))["y"] < 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


def test_a_tap_on_a_small_point_previews_and_another_plays(open_page) -> None:
    page = open_page("?game=gomoku&vs=human", **PHONE)
    page.tap(place(page, "h8"))
    page.wait_for_selector("#board-host .ghost.legal")
    assert history(page) == []
    assert "tap again" in page.inner_text("#status")
    page.tap(place(page, "h9"))
    page.wait_for_selector("#chips >> text=Play h9")
    assert page.locator("#chips button").count() == 1
    assert history(page) == []
    page.tap(place(page, "h9"))
    wait_for_step(page, [])
    page.tap(place(page, "a1"))
    page.tap("#chips >> text=Play a1")
    wait_for_step(page, ["127"])
    assert history(page) == ["127", "0"]


def test_neither_last_move_nor_focus_hides_whose_a_tower_is(open_page) -> None:
    page = open_page("?game=pyrga&vs=human&seed=3")
    page.evaluate(
        """async () => {
            const { Board } = await import('/board.js');
            const { complete } = await import('/picture.js');
            const square = (low, high = 1 - low) =>
                [[low, low], [high, low], [high, high], [low, high]];
            const shapes = [['cell', 0, -1], ['tower', 0, 1], ['square', .08, 0]].map(
                ([role, by, owner]) => ({ kind: 'polygon', role, owner,
                    points: square(by), choice: role === 'cell' ? 'a1' : '' }));
            const board = new Board(document.querySelector('#board-host'));
            board.show(complete(shapes), [1, 2], 'A tower', false);
            board.focus('a1');
        }"""
    )
    bands = page.evaluate(
        """() => {
            const scale = document.querySelector('#board-host svg').getScreenCTM().a;
            return ['.tower .body', '.marks .last', '.hit .area'].map((one) => {
                const [line, ...more] = document.querySelectorAll(`#board-host ${one}`);
                const style = getComputedStyle(line);
                const isFixed = style.vectorEffect === 'non-scaling-stroke';
                const half = parseFloat(style.strokeWidth) / 2 / (isFixed ? scale : 1);
                const at = line.getBBox().x;
                return [at - half, at + half, more.length];
            });
        }"""
    )
    (low, high, _), (last, _, others), (_, focus, _) = bands
    assert others == 0
    assert last > high
    assert focus < (low + high) / 2


def test_card_names_fit_on_their_cards(open_page) -> None:
    page = open_page("?game=triple_triad&vs=human&seed=3")
    widths = page.evaluate(
        """async (names) => {
            const { draw } = await import('/shapes.js');
            const board = document.querySelector('#board-host svg');
            return names.map((label) => {
                const name = draw({ kind: 'text', points: [[0, 0]], role: 'name',
                    label, owner: -1, size: 0.13, tone: 0 });
                board.append(name);
                return name.getBBox().width;
            });
        }""",
        list(NAMES),
    )
    assert len(widths) == 110
    assert max(widths) <= 0.92


def test_noughts_and_crosses_and_the_line_that_wins(open_page) -> None:
    page = open_page("#game=tic_tac_toe&seed=1&history=0.4.1.8.2")
    assert page.locator("#board-host .shapes .cross").count() == 3
    assert page.locator("#board-host .shapes .ring").count() == 2
    won = page.eval_on_selector_all(
        "#board-host .won .body", "all => all.map((ring) => ring.cy.baseVal.value)"
    )
    assert won == [0.5, 0.5, 0.5]


def test_fouls_are_marked_and_said(open_page) -> None:
    page = show_hexagons(open_page)
    page.evaluate("window.other.offer(new Set(), [], false, new Set(['b2']))")
    assert page.locator("#other .is-foul").count() == 1
    assert page.get_attribute("#other [data-choice=b2]", "aria-label").endswith(
        ", forbidden"
    )
    page.evaluate("window.other.offer(new Set(), [], false)")
    assert page.locator("#other .is-foul").count() == 0


def test_a_step_through_a_long_game_touches_only_what_changes(open_page) -> None:
    steps = [y * 15 + x for y in range(8) for x in range(15)]
    even = [s for s in steps if (s % 15 // 2 + s // 15) % 2 == 0]
    odd = [s for s in steps if (s % 15 // 2 + s // 15) % 2]
    played = [str(s) for pair in zip(even, odd, strict=False) for s in pair]
    page = open_page(f"#game=gomoku&seed=1&history={'.'.join(played)}")
    page.evaluate(
        """() => {
            window.touched = 0;
            new MutationObserver((changes) => changes.forEach((change) => {
                window.touched += change.type === 'childList'
                    ? change.addedNodes.length + change.removedNodes.length : 1;
            })).observe(document.querySelector('#play'),
                { subtree: true, childList: true, attributes: true });
        }"""
    )
    here = page.inner_text(".moves .here")
    page.keyboard.press(",")
    page.wait_for_function(
        """here => ![here, undefined].includes(
            document.querySelector('.moves .here')?.textContent)""",
        arg=here,
    )
    assert 0 < page.evaluate("window.touched") < 150
