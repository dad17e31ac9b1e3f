"""Play on many machines with Ray: shares of self-play and matches, the same games."""
