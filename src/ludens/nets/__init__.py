"""Networks: the architecture, written once, and weights as files."""
