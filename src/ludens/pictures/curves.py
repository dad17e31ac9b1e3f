"""Curves as SVG: axes with units, a legend with the newest values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 420, 250
LEFT, RIGHT, TOP, BOTTOM = 50, 408, 26, 206
"""The sides of the area inside the axes."""
NUM_COLOURS = 7
MOST_DOTS = 60
"""A line of more points is drawn without a dot at each."""
STYLE = """
.plot{display:block;width:100%}.plot text{fill:var(--soft);font-size:12px}
.plot .up{text-anchor:end}.plot .across{text-anchor:middle}
.grid{stroke:var(--rule);stroke-width:1}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.dot{fill:var(--c)}.band{fill:var(--c);opacity:.18}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:0;padding:0;
font-size:.875rem}
.swatch{display:inline-block;width:.75em;height:.75em;border-radius:50%;
background:var(--c);margin-right:.35em}
.s0{--c:#0072b2}.s1{--c:#d55e00}.s2{--c:#009e73}.s3{--c:#cc79a7}.s4{--c:#b58900}
.s5{--c:#56b4e9}.s6{--c:#7f7f7f}.p0{--c:#2b8cbe}.p1{--c:#f0a92b}
@media(prefers-color-scheme:dark){.s0{--c:#4aa8e0}.s1{--c:#ff8a3d}.s2{--c:#2fce9f}
.s3{--c:#e79cc5}.s4{--c:#e3c04a}.s5{--c:#9bd6fa}.s6{--c:#a8a8a8}
.p0{--c:#4fb3e8}.p1{--c:#f2b544}}
"""
"""Of all plots of a page, by day and by night; `--soft` and `--rule` are the page's."""


@dataclass(frozen=True)
class Line:
    """One curve."""

    name: str
    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()
    """Where, and between which values, an interval lies."""
    band_name: str = ""


@dataclass(frozen=True)
class Plot:
    """Curves over the iterations of a run."""

    title: str
    unit: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class _Axes:
    """Where numbers are in the picture."""

    across: tuple[float, ...]
    up: tuple[float, ...]

    def x(self, value: float) -> float:
        share = (value - self.across[0]) / (self.across[-1] - self.across[0])
        return LEFT + share * (RIGHT - LEFT)

    def y(self, value: float) -> float:
        share = (value - self.up[0]) / (self.up[-1] - self.up[0])
        return BOTTOM - share * (BOTTOM - TOP)

    def path(self, points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)


def draw_plot(plot: Plot) -> str:
    """Return a plot as HTML: its title, its curves, its legend."""
    title = escape(plot.title)
    head = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="plot" role="img"'
    axes = _axes(plot.lines)
    curves = "".join(_curve(line, i, axes) for i, line in enumerate(plot.lines))
    legend = "".join(_entry(i, line) for i, line in enumerate(plot.lines))
    return (
        f"<figure><figcaption>{title}</figcaption>"
        f'{head} aria-label="{title}">{_frame(axes, plot.unit)}{curves}</svg>'
        f'<ul class="legend">{legend}</ul></figure>'
    )


def number(value: float) -> str:
    """Return a number with about three digits that count."""
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1e-4:
        return f"{value:.3g}"
    return f"{value:.0e}" if size else "0"


def ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """Return round numbers, evenly apart, from at most `low` to at least `high`."""
    if low == high:
        low, high = low - (abs(low) / 2 or 1), high + (abs(high) / 2 or 1)
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        n * power for n in (1, 2, 2.5, 5, 10) if n * power >= rough * (1 - 1e-9)
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(step * n for n in range(first, last + 1))


def _axes(lines: Sequence[Line]) -> _Axes:
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    ys += [y for line in lines for _, low, high in line.band for y in (low, high)]
    low, high = min(xs), max(xs)
    if low == high:
        low, high = low - 1, high + 1
    across = tuple(x for x in ticks(low, high) if x == int(x) and low <= x <= high)
    return _Axes((low, *across, high), ticks(min(ys), max(ys)))


def _frame(axes: _Axes, unit: str) -> str:
    """Return the lines and numbers of the axes and what they are of."""
    parts = [f'<text x="4" y="14">{escape(unit)}</text>']
    step = axes.up[1] - axes.up[0]
    for value in axes.up:
        y = axes.y(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        label = _tick(value, step)
        parts.append(f'<text class="up" x="{LEFT - 6}" y="{y + 4:.1f}">{label}</text>')
    for value in axes.across[1:-1]:
        place = f'x="{axes.x(value):.1f}" y="{BOTTOM + 18}"'
        parts.append(f'<text class="across" {place}>{value:,.0f}</text>')
    middle = (LEFT + RIGHT) / 2
    parts.append(f'<text class="across" x="{middle}" y="{HEIGHT - 8}">iteration</text>')
    return "".join(parts)


def _tick(value: float, step: float) -> str:
    """Return a number at an axis, with as many decimals as its neighbours need."""
    if value == 0:
        return "0"
    if step >= 1000:
        return f"{value / 1000:,.{0 if step % 1000 == 0 else 1}f}k"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    is_half = round(step * 10**decimals, 6) % 1 != 0
    return f"{value:,.{decimals + is_half}f}"


def _curve(line: Line, index: int, axes: _Axes) -> str:
    colour = f"s{index % NUM_COLOURS}"
    parts = []
    if line.band:
        upper = [(x, high) for x, _, high in line.band]
        lower = [(x, low) for x, low, _ in reversed(line.band)]
        around = axes.path(upper + lower)
        parts.append(f'<polygon class="band {colour}" points="{around}"/>')
    path = axes.path(line.points)
    parts.append(f'<polyline class="line {colour}" points="{path}"/>')
    if len(line.points) <= MOST_DOTS:
        parts += [
            f'<circle class="dot {colour}" cx="{axes.x(x):.1f}" cy="{axes.y(y):.1f}"'
            f' r="2.5"><title>{escape(line.name)}, iteration {x:g}: {number(y)}</title>'
            "</circle>"
            for x, y in line.points
        ]
    return "".join(parts)


def _entry(index: int, line: Line) -> str:
    """Return a line of the legend."""
    colour = f"s{index % NUM_COLOURS}"
    newest = number(line.points[-1][1])
    entry = f"{escape(line.name)} <b>{newest}</b>"
    band = f", {escape(line.band_name)}" if line.band_name else ""
    return f'<li><span class="swatch {colour}"></span>{entry}{band}</li>'
