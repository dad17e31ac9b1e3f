"""What a part of the campaign found."""

from dataclasses import dataclass


@dataclass
class Outcome:
    """How many cases a part tried, and a line for each that did not hold."""

    name: str
    tried: int
    failures: list[str]
