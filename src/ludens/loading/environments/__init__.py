"""Environments of others, which are loaded as games without rules."""
