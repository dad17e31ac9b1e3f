"""Agents against each other: matches, ratings and how sure they are."""
