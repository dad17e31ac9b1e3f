"""File formats for played games."""
