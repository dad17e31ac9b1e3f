"""Runs of training on disk: the only code that writes them."""
