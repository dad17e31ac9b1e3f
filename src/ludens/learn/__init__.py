"""Learning from played games: replay, targets, losses, the learner."""

import ludens.infer  # noqa: F401  # says how PyTorch's threads wait
