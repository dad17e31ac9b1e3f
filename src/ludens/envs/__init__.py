"""Our games in the shape that other people's programs know."""
