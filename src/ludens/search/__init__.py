"""Monte Carlo tree search, batched over games."""
