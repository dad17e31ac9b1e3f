"""Environments: our games for other people's programs."""
