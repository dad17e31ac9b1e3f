"""Ways in which games are written down."""
