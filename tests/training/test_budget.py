"""How much of a budget is spent, and what is remembered of the way."""

import pytest

from ludens.errors import UserError
from ludens.training.progress import BudgetConfig, History, Spent, share_spent

SPENT = Spent(minutes=3.0, games=200, positions=5000, iterations=4, steps=75)


@pytest.mark.parametrize(
    ("budget", "share"),
    [
        ({}, None),
        ({"minutes": 12.0}, 0.25),
        ({"games": 100}, 2.0),
        ({"positions": 10_000}, 0.5),
        ({"iterations": 4}, 1.0),
        ({"steps": 100}, 0.75),
        ({"minutes": 30.0, "games": 250, "iterations": 10}, 0.8),
    ],
)
def test_the_limit_that_is_nearest_tells_the_share(budget, share):
    assert share_spent(BudgetConfig(**budget), SPENT) == share


def test_a_new_run_has_spent_nothing():
    assert share_spent(BudgetConfig(minutes=1.0, games=1), Spent()) == 0.0


def test_a_budget_below_nothing_is_refused():
    with pytest.raises(UserError, match="minutes cannot be -1"):
        BudgetConfig(minutes=-1.0)


def test_of_earlier_iterations_only_the_exams_stay_in_memory():
    exam = {"examined": 0, "matches": [["net 0", "random", 4, 0, 0]]}
    metrics = [{"iteration": n, "loss": 1.0} for n in range(3)]
    history = History([metrics[0] | exam, metrics[1]])
    history.add(metrics[2])
    assert history.newest == metrics[2]
    assert history.exams == [exam]


def test_steps_are_known_until_the_last_iteration_and_the_one_before():
    history = History({"iteration": n, "steps": 10 * n} for n in range(4))
    assert [history.steps_until(n) for n in (2, 3)] == [30, 60]
    assert History().steps_until(0) == 0
