"""The page: headline, curves, settings and sample games, with nothing from outside."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from ludens.formats.tables import html_table
from ludens.loading.game import Game
from ludens.pictures.curves import draw_plot
from ludens.report.curves import (
    SELFPLAY,
    SPEED,
    STRENGTH,
    Curves,
    elo_curves,
    loss_curves,
    model_curves,
    plots_of,
    points_curves,
)
from ludens.report.headline import headline, last_matches, resignation, strength
from ludens.report.samples import draw_samples
from ludens.report.style import STYLE
from ludens.settings import options_of
from ludens.store.reading import Reading
from ludens.store.summary import Summary, summarise
from ludens.store.workers import shown
from ludens.training.config import SECTIONS


def make_report(run: Reading, game: Game | None = None) -> str:
    """Return the report of a run: one page of HTML that needs no other file.

    `game` is the run's game; without it, sample games are drawn if it is a listed one.
    """
    name = escape(run.name)
    body = "\n".join(_parts(run, game))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{name}: report of a training</title><style>{STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _parts(run: Reading, game: Game | None) -> Iterator[str]:
    found, metrics = summarise(run), run.metrics()
    yield f'<h1>{escape(run.name)}</h1><p class="soft">Report of a training.</p>'
    yield _facts(headline(found))
    yield f'<p id="strength">{escape(strength(found))}</p>'
    matches = last_matches(found)
    if matches:
        header = ("newest net against", "won", "drawn", "lost", "points")
        yield _wide(html_table([header, *matches], num_words=1))
    groups: dict[str, Sequence[Curves]] = {
        "Strength": (
            elo_curves(found.strength.anchor),
            points_curves(metrics),
            *STRENGTH,
        ),
        "Learning": loss_curves(metrics),
        "Learned model": model_curves(metrics),
        "Self-play": SELFPLAY,
        "Speed": SPEED,
    }
    for title, curves in groups.items():
        plots = "\n".join(map(draw_plot, plots_of(curves, metrics)))
        if plots:
            yield f'<h2>{title}</h2><div class="plots">{plots}</div>'
        if title == "Speed" and found.workers:
            yield _wide(html_table(shown(found.workers), num_words=1))
        if title == "Self-play" and resignation(run):
            yield f'<p id="resignation">{escape(resignation(run))}</p>'
    yield f"<h2>Sample games</h2>{_note(run)}{draw_samples(run, game)}"
    yield f"<h2>Settings</h2>{_settings_table(found)}"


def _note(run: Reading) -> str:
    """Explain what stands under a board."""
    if not run.totals().games:
        return "<p>There are no games yet.</p>"
    return (
        '<p class="soft">Each board shows the position after a move, which is marked.'
        " Under it: the value that the search gave the position before the move, for"
        " the player who moved, and the moves it liked best.</p>"
    )


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    items = (
        f"<div><dt>{escape(title)}</dt><dd>{escape(words)}</dd></div>"
        for title, words in facts
    )
    return f"<dl>{''.join(items)}</dl>"


def _settings_table(run: Summary) -> str:
    """Return the settings as a table; a text that is not TOML as it is."""
    if not run.settings:
        return f"<pre>{escape(run.config)}</pre>"
    rows = []
    for section, value in run.settings.items():
        known = options_of(SECTIONS[section]) if section in SECTIONS else {}
        entries = value if isinstance(value, dict) else {"": value}
        for key, setting in entries.items():
            name = f"{section}.{key}" if key else section
            rows.append((name, str(setting), known[key].help if key in known else ""))
    table = html_table([("setting", "value", "meaning"), *rows], num_words=3)
    return f"<details><summary>{len(rows)} settings</summary>{_wide(table)}</details>"


def _wide(table: str) -> str:
    """Let a table that is wider than the screen be scrolled."""
    return f'<div class="wide">{table}</div>'
