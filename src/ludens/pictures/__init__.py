"""Every drawing made in Python."""
