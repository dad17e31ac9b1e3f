"""Settings of replay and learner: defaults are allowed, mistakes are named."""

import pytest

from ludens import UserError
from ludens.learn.config import LearnConfig, ReplayConfig
from ludens.settings import options_of, read_settings


@pytest.mark.parametrize("kind", [ReplayConfig, LearnConfig])
def test_every_setting_reads_its_own_default(kind):
    written = {name: str(o.default) for name, o in options_of(kind).items()}
    assert read_settings(kind, written, "training") == kind()


def test_mistakes_are_named():
    with pytest.raises(UserError, match="did you mean 'batch_size'"):
        read_settings(LearnConfig, {"batchsize": 3}, "learn")
    with pytest.raises(UserError, match=r"q_share cannot be 1\.5; allowed: 0 to 1"):
        read_settings(ReplayConfig, {"q_share": 1.5}, "replay")
    with pytest.raises(UserError, match="precision"):
        LearnConfig(precision="f8")
