"""Run parts of the campaign: `python -m benchmarks.faults [PART ...]`."""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import iter_modules

from ludens.formats.tables import text_table

from .outcome import Outcome

USUAL_NUMBER = 100
"""Cases of a part that does not say its own NUMBER."""
MAX_LISTED = 20
_PACKAGE = __package__ or ""
_HEADER = ["part", "N", "passed", "bound on the rate", "seconds"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that are asked for; return 1 if a case of them failed."""
    known = part_names()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults", description="Run the campaign of faults."
    )
    parser.add_argument("part", nargs="*", help=f"any of {', '.join(known)}; all")
    parser.add_argument("--number", type=int, help="cases of each part")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    if unknown := set(given.part) - set(known):
        parser.error(f"there is no part {unknown.pop()!r}; known: {', '.join(known)}")
    timed = [_run(name, given.number, given.seed) for name in given.part or known]
    print(text_table([_HEADER, *(_row(*one) for one in timed)]))
    failures = list(_failures(outcome for outcome, _ in timed))
    print("".join(f"{line}\n" for line in failures), end="")
    return 1 if failures else 0


def part_names() -> list[str]:
    """Return the parts: the modules of this package that have a `run`."""
    package = import_module(_PACKAGE)
    names = (module.name for module in iter_modules(package.__path__))
    return [
        name for name in names if name != "__main__" and hasattr(_part(name), "run")
    ]


def _part(name: str) -> object:
    return import_module(f"{_PACKAGE}.{name}")


def _run(name: str, number: int | None, seed: int) -> tuple[Outcome, float]:
    """Run a part; return what it found and the seconds it took."""
    part, began_s = _part(name), time.perf_counter()
    if number is None:
        number = getattr(part, "NUMBER", USUAL_NUMBER)
    print(f"{name}: {number:,} cases", file=sys.stderr)
    outcome: Outcome = part.run(number, seed)  # type: ignore[attr-defined]
    return outcome, time.perf_counter() - began_s


def _row(outcome: Outcome, seconds: float) -> list[str]:
    passed = outcome.tried - len(outcome.failures)
    bound = bound_on_the_rate(outcome)
    cells = [f"{outcome.tried:,}", f"{passed:,}", bound, f"{seconds:,.0f}"]
    return [outcome.name, *cells]


def bound_on_the_rate(outcome: Outcome) -> str:
    """Return the rate of failures that 95 % of campaigns like this would notice."""
    if outcome.failures or not outcome.tried:
        return "-"
    return f"{3 / outcome.tried:.1e}"  # the rule of three


def _failures(outcomes: Iterable[Outcome]) -> Iterable[str]:
    """Yield a line for each failure, of each part only so many."""
    for outcome in outcomes:
        for failure in outcome.failures[:MAX_LISTED]:
            yield f"{outcome.name}: {failure}"
        more = len(outcome.failures) - MAX_LISTED
        if more > 0:
            yield f"{outcome.name}: and {more:,} more"


if __name__ == "__main__":
    sys.exit(main())
