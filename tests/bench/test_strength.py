"""Nets are measured by what is known of positions, and by matches."""

import numpy as np
import pytest

from ludens.arena.movers import Numbers
from ludens.bench.exams import (
    Candidate,
    count_wrong,
    examine_match,
    four_truth,
)
from ludens.bench.figures import Figure, Strength, markdown, share_of, table
from ludens.bench.scores import examine_scores
from ludens.bench.solved import Position
from ludens.bench.strength import net_settings, read_agent
from ludens.errors import UserError
from ludens.formats.tables import text_table
from ludens.loading.game import load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net

TINY = NetConfig(trunk="mlp", blocks=1, channels=8, hidden=8)


class Always:
    """Plays one column everywhere."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.num_asked = 0

    def choose_many(self, states: object, plies: Numbers, seeds: Numbers) -> Numbers:
        self.num_asked += len(plies)
        return np.full(len(plies), self.column)


def test_moves_that_change_the_outcome_are_wrong() -> None:
    positions = [
        Position("4455", 18, "LLWDDWL"),
        Position("1122", 18, "WWWWWWW"),
        Position("3344", -1, "LLLLDLL"),
    ]
    truth = four_truth(load_game("connect_four"), positions)
    middle, right = Always(2), Always(5)
    assert count_wrong(truth, middle) == (1, 2)
    assert count_wrong(truth, right) == (1, 2)
    assert count_wrong(truth, Always(3)) == (2, 2)
    assert middle.num_asked == 2  # nothing can go wrong in the second


def test_a_match_is_told_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.bench.exams.ROLLOUT_SIMS", 8)
    game = load_game("tic_tac_toe")
    net = new_net(game, TINY, 0)
    candidate = Candidate(game, net, net_settings({"sims": "4"}), 10, 6)
    (figure,) = examine_match(candidate)
    assert figure.num == 6
    assert figure.player == "4 sims"
    assert figure.share.low <= figure.share.value <= figure.share.high
    assert "won" in figure.note
    assert "Elo" in figure.note


def test_tables_have_a_row_for_each_figure() -> None:
    figure = Figure(
        "wrong moves", "600 sims", share_of(7, 500), 500, "0.7 %", "7 wrong"
    )
    strength = Strength("connect_four", "iteration 40", 1234, "60 minutes.", (figure,))
    row = "wrong moves  600 sims  1.4 %  0.7-2.9 %  500  0.7 %       7 wrong"
    assert text_table(table(strength), 9).splitlines()[1] == row
    lines = markdown([strength]).splitlines()
    assert lines[0] == "## connect_four"
    assert lines[2] == "1,234 parameters. 60 minutes."
    assert lines[-1].startswith("| wrong moves | 600 sims | 1.4 % | 0.7-2.9 % |")


def test_settings_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'c_puct'"):
        read_agent("net:cpuct=2")
    with pytest.raises(UserError, match="not of 'mcts'"):
        read_agent("mcts")


def test_scores_are_told_next_to_players_without_a_net(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ludens.bench.scores.BASELINES", ("random", "greedy"))
    game = load_game("triangle")
    net = new_net(game, NetConfig(trunk="mlp", blocks=1, hidden=8, bins=11), 0)
    candidate = Candidate(game, net, net_settings({"sims": "4"}), 10, 6)
    figures = tuple(examine_scores(candidate))
    assert [f.player for f in figures] == ["4 sims", "net alone", "random", "greedy"]
    own, *others = figures
    assert own.behind is None
    for figure in others:
        assert figure.num == 6
        assert figure.low <= figure.median <= figure.high
        lead = own.mean.value - figure.mean.value
        assert figure.behind is not None
        assert figure.behind.value == pytest.approx(lead)
    strength = Strength("triangle", "iteration 0", 1, "", figures)
    head, *rows = text_table(table(strength), 9).splitlines()
    assert head.split()[:3] == ["player", "mean", "score"]
    assert len(rows) == 4
    assert rows[3].startswith("greedy ")
    assert markdown([strength]).count("\n| ") == 6
