"""An analysis as a notebook shows it: the board, and a table of moves."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ludens.formats.tables import html_table
from ludens.formats.words import percent
from ludens.pictures.board import draw_board

if TYPE_CHECKING:
    from ludens.agents.analysis import Analysis, MoveInfo

NUM_MOVES, NUM_PLIES = 10, 8
"""Moves that are listed, and how much of their main lines."""


def analysis_html(analysis: "Analysis") -> str:
    """Return the position that was analysed, and its best moves."""
    parts = [_headline(analysis), _table(analysis)]
    if analysis.state is not None:
        parts.insert(0, draw_board(analysis.state.scene(), repr(analysis.state)))
    return "".join(f"<div>{part}</div>" for part in parts)


TITLES = {"winrate": "win rate", "score": "score to come", "outlook": "outlook"}


def _headline(analysis: "Analysis") -> str:
    proof = f", proven {analysis.proof}" if analysis.proof else ""
    value = f"{_title(analysis)} {_rate(analysis, analysis.winrate)}{proof}"
    return escape(f"{analysis.agent}: {analysis.visits:,} simulations, {value}")


def _table(analysis: "Analysis") -> str:
    head = ("move", "visits", _title(analysis), "prior", "main line")
    rows = [tuple(_cells(analysis, move)) for move in analysis.moves[:NUM_MOVES]]
    return html_table([head, *rows], num_words=len(head))


def _cells(analysis: "Analysis", move: "MoveInfo") -> Iterator[str]:
    yield move.move
    yield f"{move.visits:,}"
    yield _rate(analysis, move.winrate) + (f" ({move.proof})" if move.proof else "")
    yield percent(move.prior)
    yield " ".join(move.pv[:NUM_PLIES])


def _title(analysis: "Analysis") -> str:
    return TITLES[analysis.measure]


def _rate(analysis: "Analysis", rate: float) -> str:
    return percent(rate) if analysis.num_players == 2 else f"{rate:.2f}"
