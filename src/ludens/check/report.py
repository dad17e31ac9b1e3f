"""What a check found."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_tb

from ludens.check.faults import ADVICE, FAULTS
from ludens.loading.compiled import PLAIN_MARK


@dataclass(frozen=True)
class Finding:
    """One kind of fault, with the first place where it showed."""

    code: str
    sentence: str
    game: int = -1
    """The number of the random game, -1 if it shows without playing."""
    history: tuple[int, ...] = ()
    """The actions and outcomes before it: `State.replay(game, history)` goes there."""

    @property
    def where(self) -> str:
        """The place in words."""
        if self.game < 0:
            return ""
        shown = " ".join(map(str, self.history[-12:])) or "none"
        dots = "... " if len(self.history) > 12 else ""
        return f"game {self.game}, step {len(self.history)}, history: {dots}{shown}"

    @property
    def is_advice(self) -> bool:
        """Whether the game keeps its contract all the same."""
        return self.code in ADVICE

    def __str__(self) -> str:
        kind = "advice, " * self.is_advice
        return f"{kind}{self.code}: {self.sentence}" + (
            f" ({self.where})" * bool(self.where)
        )


@dataclass(frozen=True)
class Report:
    """The outcome of a check: what was played and what is wrong."""

    game: str
    findings: tuple[Finding, ...]
    num_games: int
    num_positions: int
    seconds: float

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that are more than advice."""
        return tuple(finding for finding in self.findings if not finding.is_advice)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; advice may be given all the same."""
        return not self.faults

    def __str__(self) -> str:
        count = len(self.faults)
        verdict = "ok" if self.ok else f"{count} finding{'s' * (count > 1)}"
        played = f"{self.num_games:,} games, {self.num_positions:,} positions"
        head = f"{self.game}: {verdict}; {played}, {self.seconds:.1f} s"
        return "\n".join([head, *(f"  {finding}" for finding in self.findings)])


@dataclass
class Notes:
    """The findings and counts so far; of each kind only the first is kept."""

    findings: dict[str, Finding] = field(default_factory=dict)
    num_games: int = 0
    num_positions: int = 0
    is_broken: bool = False
    """Whether a fault was found with which compiled rules could not safely run."""

    def add(
        self, code: str, detail: str = "", game: int = -1, history: Sequence[int] = ()
    ) -> None:
        """Note a fault; `detail` says what exactly was seen."""
        sentence = "; ".join(filter(None, [FAULTS.get(code, ""), detail]))
        self.findings.setdefault(code, Finding(code, sentence, game, tuple(history)))


def one_line(error: BaseException) -> str:
    """Say an error in one line; of Numba's many lines, the ones that tell."""
    text = re.sub(r"\x1b\[\d*m", "", str(error))
    lines = [line.strip(" -") for line in text.splitlines() if line.strip(" -^~")]
    place = _line_in_game(error, text)
    if len(lines) < 2:
        said = f"{type(error).__name__}: {''.join(lines)}".removesuffix(": ")
        return f"{said}{place}"
    telling = next((line for line in lines[1:] if not _NOISE.match(line)), lines[0])
    if telling.endswith(":"):
        telling += f" {lines[lines.index(telling) + 1]}"
    return f"{type(error).__name__}: {telling}{place}"


def _line_in_game(error: BaseException, text: str) -> str:
    """Return " (line 12)" for the innermost place that is in a game's rules.

    Numba names it in its text; what compiled rules raise has it in the traceback, where
    the folder may be another: that in which the same rules were compiled.
    """
    plain = [m for m in list(sys.modules.values()) if hasattr(m, PLAIN_MARK)]
    games = {Path(str(module.__file__)).name for module in plain}
    named = re.findall(r"File \"([^\"]*)\", line (\d+)", text)
    named += re.findall(r"Raised from (.*?) \((\d+)\)", text)
    raised = [
        (frame.filename, str(frame.lineno)) for frame in extract_tb(error.__traceback__)
    ]
    places = [*named, *reversed(raised)]
    found = [line for file, line in places if Path(file).name in games]
    return f" (line {found[0]})" if found else ""


_NOISE = re.compile(r"(Failed in|During:|File |>>>|\[\d+\])")
