import re

import pytest
from report_pages import metrics_of, parse, play

from ludens.loading.game import load_game
from ludens.pictures.curves import number, ticks
from ludens.report.curves import plots_of, points_curves
from ludens.report.page import make_report
from ludens.report.samples import draw_game, samples
from ludens.store.run import Run

TITLES = [
    "Elo",
    "Points against fixed opponents",
    "Best moves in solved positions",
    "Value given away in solved positions",
    "Gate",
    "Loss",
    "Learning rate",
    "Gradients",
    "Positions to learn from",
    "How games ended",
    "Length of games",
    "Network",
    "Self-play",
    "Learning",
    "Time of an iteration",
]


@pytest.fixture
def page(run):
    return parse(make_report(run))


def figure(page, title):
    [found] = [f for f in page.all("figure") if f.all("figcaption")[0].text == title]
    return found


def test_nothing_comes_from_outside(run):
    text = make_report(run)
    assert not re.search(r"https?:|//|<script|<link|<img|url\(|@import| on\w+=", text)


def test_every_curve_is_there_with_its_legend(page):
    assert [f.all("figcaption")[0].text for f in page.all("figure")] == TITLES
    for found in page.all("figure"):
        assert len(found.all("polyline", "line")) == len(found.all("li")) > 0
        assert found.all("text")[-1].text == "iteration"


def test_curves_have_the_points_of_the_metrics(page):
    dots = [dot.text for dot in figure(page, "Loss").all("circle") if dot.children]
    for name in ("total", "policy", "value", "reply"):
        mine = [dot for dot in dots if dot.startswith(f"{name},")]
        wanted = [(i, number(metrics_of(i)["loss"])) for i in range(1, 7)]
        assert mine == [f"{name}, iteration {i}: {value}" for i, value in wanted]
    elo = figure(page, "Elo")
    assert [d.text.split()[-1] for d in elo.all("circle")] == ["20.0", "40.0", "60.0"]
    assert len(elo.all("polygon", "band")[0].attributes["points"].split()) == 6
    assert "95 % interval" in elo.all("li")[0].text


def test_the_headline_has_the_figures_of_the_run(page, run):
    facts = dict(
        zip(
            [title.text for title in page.all("dt")],
            [words.text for words in page.all("dd")],
            strict=True,
        )
    )
    assert facts["Game"] == "tic_tac_toe"
    assert facts["Games"] == "18"
    assert facts["Positions"] == f"{run.totals().positions:,}"
    assert facts["Iterations"] == "6"
    assert "parameters" in facts["Network"]
    [said] = [p.text for p in page.all("p") if p.attributes.get("id") == "strength"]
    assert said.startswith("Examined at iteration 6. ")
    assert "60.0 % against rollout search of" in said
    assert "a best move in 98.7 %" in said
    assert "Elo +60, 95 % interval +10 to +110; rollout search has 0." in said
    [row] = page.all("table")[0].all("tr")[1:]
    assert [cell.text for cell in row.all("td")] == [
        *("rollout search", "3", "2", "1", "66.7 %")
    ]


def test_control_of_resignation_is_summed_up(page):
    [said] = [p.text for p in page.all("p") if p.attributes.get("id") == "resignation"]
    assert said.startswith("30 games given up. ")
    assert "24 games would have been given up; 6 of these (25.0 %)" in said


def test_every_setting_is_listed_with_its_meaning(page):
    rows = [[c.text for c in row.all("td")] for row in page.all("table")[1].all("tr")]
    table = {row[0]: row[1:] for row in rows if row}
    assert table["game"] == ["tic_tac_toe", ""]
    assert table["evaluate.gate_share"] == ["0.55", "score that a new net needs"]


def test_games_are_drawn_move_by_move(page, run):
    chosen = samples(run)
    assert [played.number for played in chosen.values()] == [0, 8, 17]
    for drawn, played in zip(page.all("details")[:3], chosen.values(), strict=True):
        moves = drawn.all("div", "move")
        assert len(moves) - len(drawn.all("div", "moves")) == len(played.kinds)
        boards = drawn.all("svg", "board")
        for ply, board in enumerate(boards):
            marks = [*board.all("circle", "cross"), *board.all("circle", "ring")]
            assert len(marks) == ply + 1
            assert len(board.all("circle", "mark")) == 1
        assert "random opening" in moves[1].text
        assert "quick search" in moves[2].text
        assert f"value {played.values[2]:+.2f}" in moves[3].text
        assert "14\N{NO-BREAK SPACE}%" in moves[3].text


@pytest.mark.parametrize("name", ["triple_triad", "triangle", "pyrga", "connect_four"])
def test_games_of_all_kinds_are_drawn(name):
    game = load_game(name, compiled=False)
    page = parse(draw_game(game, "A game", play(game, 1)))
    assert len(page.all("svg", "board")) > 5
    assert page.all("path", "mark") or page.all("circle", "mark")
    assert "nan" not in page.text


def test_of_a_long_game_the_middle_is_left_out():
    game = load_game("gomoku:size=15", compiled=False)
    played = play(game, 5)
    page = parse(draw_game(game, "A game", played))
    assert len(played.kinds) > 60
    assert len(page.all("svg", "board")) == 60
    assert f"{len(played.kinds) - 60} move" in page.all("div", "moves")[0].text


def test_a_run_that_has_only_begun_has_a_report(tmp_path):
    with Run.create(tmp_path / "<new>", "", {"game": "tic_tac_toe"}) as run:
        page = parse(make_report(run))
    assert page.all("figure") == []
    assert page.all("h1")[0].text == "<new>"
    assert "There are no games yet." in page.text


def test_games_whose_rules_are_not_here_are_not_drawn(tmp_path):
    with Run.create(tmp_path / "x", "", {"game": "unheard_of"}) as run:
        assert "The games cannot be drawn: there is no game" in make_report(run)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (93, 99, (92, 94, 96, 98, 100)),
        (5, 5, (2, 3, 4, 5, 6, 7, 8)),
    ],
)
def test_ticks_are_round(low, high, wanted):
    found = ticks(low, high)
    assert found[0] <= low
    assert found[-1] >= high
    if low != high:
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0"), (12345.6, "12,346"), (98.76, "98.8"), (0.05678, "0.0568"), (-3, "-3")],
)
def test_numbers_are_rounded(value, words):
    assert number(value) == words


def test_opponents_by_name_have_curves_of_their_own():
    rows = [{"iteration": 5, "score_random": 0.9, "score_greedy": 0.4, "score_p10": 1}]
    [plot] = plots_of([points_curves(rows)], rows)
    shown = {line.name: line.points for line in plot.lines}
    assert shown == {"against random": ((5, 90.0),), "against greedy": ((5, 40.0),)}
