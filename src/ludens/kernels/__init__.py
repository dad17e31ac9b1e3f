"""Compiled code over the rules of a game, which each module here sees as `rules`."""
