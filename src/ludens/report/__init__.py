"""A run of training as one page to read."""
