"""The commands and lines that end a training."""

import pytest

from ludens.cli.outcome import more_command, outcome_lines
from ludens.cli.pace import Pace
from ludens.loading.game import load_game
from ludens.training.progress import BudgetConfig, Spent


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (BudgetConfig(positions=3_500_001), "--positions 7000002"),
        (BudgetConfig(games=600_000), "--games 1200000"),
        (BudgetConfig(minutes=0.5), "--minutes 1"),
        (BudgetConfig(minutes=0.05), "--minutes 0.1"),
    ],
)
def test_a_large_budget_is_doubled_in_digits_the_command_reads(budget, words):
    spent = Spent(1.0, 10_000_000, 10_000_000, 10)
    command = more_command(load_game("tic_tac_toe"), "", Pace(budget, spent))
    assert command == f"ludens train tic_tac_toe {words}"


def test_the_simulations_belong_to_the_wrong_moves():
    facts = {"iteration": 1, "games": 2, "positions": 3, "seconds": 4.0}
    facts |= {"wrong_moves": 1, "wrong_moves_alone": 2, "reachable_positions": 4520}
    assert list(outcome_lines(facts | {"mcts_sims": 0}))[1] == (
        "1 wrong move with 64 simulations, 2 by the net alone,"
        " in all 4,520 positions that can come up"
    )
