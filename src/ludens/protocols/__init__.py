"""Protocols through which other programs talk with ours."""
