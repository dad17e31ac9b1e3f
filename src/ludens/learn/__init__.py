"""Learning from played games: replay, targets, losses, the learner."""
