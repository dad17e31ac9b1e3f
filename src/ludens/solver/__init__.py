"""Exact play: values, best moves and graded positions."""
