"""Self-play: games in, records out."""
