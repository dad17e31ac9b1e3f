"""Evaluate positions with a network, where it is fastest."""
