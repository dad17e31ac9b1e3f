"""Environments: our games for other people's programs, and theirs for us to learn."""
