"""Each part of the campaign against a cluster, once; each can fail."""

import pytest

from cluster import __main__ as campaign
from cluster import disturbed

NUMBERS = {"match": 20, "slow_learner": 4}
"""Games, and iterations; of all others one."""


@pytest.mark.slow
@pytest.mark.parametrize("part", campaign.PARTS)
def test_a_part_of_the_campaign_holds(part: str) -> None:
    pytest.importorskip("ray")
    assert campaign.main([part, "--number", str(NUMBERS.get(part, 1))]) == 0


@pytest.mark.slow
def test_another_run_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(disturbed, "undisturbed", dict)
    assert campaign.main(["kill_worker", "--number", "1"]) == 1
