"""Numbers in words, the same wherever people read them."""

POINTS = 100
"""Scores are shown to people as whole numbers: this many points for a reward of 1."""


def plural(count: int, noun: str) -> str:
    """Return "1 move", "2 moves"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def duration(seconds: float) -> str:
    """Return a time in one or two units: "45 s", "12 min", "3 h 20 min", "2 days"."""
    minutes = int(seconds // 60)
    if minutes == 0:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes // (24 * 60)} days"
