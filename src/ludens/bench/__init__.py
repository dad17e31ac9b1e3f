"""Measurements of speed, side by side with the peers that are installed."""
