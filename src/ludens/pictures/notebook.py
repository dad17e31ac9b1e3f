"""An analysis as a notebook shows it: the board, and a table of moves."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

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
    titles = ("move", "visits", _title(analysis), "prior", "main line")
    head = "".join(f"<th>{title}</th>" for title in titles)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _cells(analysis, move))}"
        "</tr>"
        for move in analysis.moves[:NUM_MOVES]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(analysis: "Analysis", move: "MoveInfo") -> Iterator[str]:
    yield move.move
    yield f"{move.visits:,}"
    yield _rate(analysis, move.winrate) + (f" ({move.proof})" if move.proof else "")
    yield f"{100 * move.prior:.1f} %"
    yield " ".join(move.pv[:NUM_PLIES])


def _title(analysis: "Analysis") -> str:
    return TITLES[analysis.measure]


def _rate(analysis: "Analysis", rate: float) -> str:
    return f"{100 * rate:.1f} %" if analysis.num_players == 2 else f"{rate:.2f}"
