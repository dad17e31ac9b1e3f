"""What those who watch a training do beside telling of it."""

import gc
import sys

from ludens.cli.watching import Tidying


def test_after_an_iteration_python_keeps_no_tuples_in_store():
    with Tidying() as tidying:
        tidying.iteration({})
        for _ in [tuple(range(i, i + 17)) for i in range(1000, 3000)]:
            pass
        before = sys.getallocatedblocks()
        tidying.iteration({})
        assert before - sys.getallocatedblocks() > 1000


def test_after_a_training_objects_are_looked_at_as_before():
    with Tidying() as tidying:
        tidying.iteration({})
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0
