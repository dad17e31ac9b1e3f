import pytest

from ablation import ARMS, main, train_arm
from ludens.errors import UserError

SMALL = (
    *("net.blocks=1", "net.channels=8", "search.sims=4", "selfplay.positions=60"),
    *("selfplay.games=4", "selfplay.max_plies=12", "learn.batch_size=16"),
    "budget.iterations=1",
)


OTHER_GAME = pytest.param("no line features", marks=pytest.mark.slow)


@pytest.mark.parametrize("name", ["scalar value", OTHER_GAME])
def test_an_arm_learns_and_plays(name):
    arm = train_arm(name, 5, 2, 1, SMALL)
    assert arm.iterations == 1
    assert arm.positions > 0
    assert arm.score.value > 0


def test_every_arm_but_one_changes_something():
    ways = list(ARMS.values())
    assert len(set(ways)) == len(ways)
    assert ways.count(("triangle", ())) == 1


def test_an_unknown_arm_is_refused():
    with pytest.raises(UserError, match="did you mean 'scalar value'"):
        main(["scalar valu"])
