"""Arms of the ablations: each learns, is measured, and differs in one thing."""

import pytest

from ablation import STUDIES, Outcome, main, row, train_arm
from ludens.arena.elo import Estimate
from ludens.errors import UserError

SMALL = (
    *("net.blocks=1", "net.channels=8", "search.sims=4", "selfplay.positions=60"),
    *("selfplay.games=4", "selfplay.max_plies=12", "learn.batch_size=16"),
    "budget.iterations=1",
)


@pytest.mark.parametrize(
    ("study", "name"),
    [
        pytest.param("hidden chance", "no codes", marks=pytest.mark.slow),
        pytest.param("triangle", "scalar value", marks=pytest.mark.slow),
        pytest.param("triangle", "no line features", marks=pytest.mark.slow),
        pytest.param("gomoku", "no threats", marks=pytest.mark.slow),
        pytest.param("muzero", "no decoder", marks=pytest.mark.slow),
    ],
)
def test_an_arm_learns_and_is_measured(study: str, name: str) -> None:
    arm = train_arm(STUDIES[study], name, 1, 5, 2, 1, SMALL)
    assert arm.iterations == 1
    assert arm.positions > 0
    assert all(0 <= one.value < 100 for one in arm.figures.values())
    assert arm.figures


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_arm_but_one_changes_something(study) -> None:
    ways = list(study.arms.values())
    assert len(set(ways)) == len(ways)
    assert [sets for _, sets in ways].count(()) <= 2


def test_several_trainings_of_an_arm_have_the_interval_of_their_mean() -> None:
    one, two = (
        Outcome(4, 100 * n, {"score": Estimate(float(n), 0, 9)}) for n in (1, 3)
    )
    assert row("arm", [one]) == "| arm | 4 | 100 | 1.0 (0.0 to 9.0) |"
    assert row("arm", [one, two]) == "| arm | 4 | 200 | 2.0 (-10.7 to 14.7) |"


def test_an_unknown_arm_or_study_is_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'scalar value'"):
        main("triangle", ["scalar valu"])
    with pytest.raises(UserError, match="did you mean 'muzero'"):
        main("muzer")
