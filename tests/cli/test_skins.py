"""Boards in other signs, and in the colours of the shapes that fill them."""

import pytest

from ludens import load_game
from ludens.boards import paint, paint_tone
from ludens.cli.skins import dress, tinted
from ludens.formats.words import turns


def test_a_pipe_gets_the_skin_that_was_asked_for(ludens, monkeypatch) -> None:
    monkeypatch.setenv("LUDENS_SKIN", "plain")
    ran = ludens(
        "play", "tic_tac_toe", "--vs", "human", "--skin", "unicode", lines="b2"
    )
    assert "2 · ● ·" in ran.out
    ran = ludens("play", "tic_tac_toe", "--vs", "human", "--skin", "wood")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no skin 'wood'; known: ascii, plain, unicode" in ran.err


def test_ascii_shows_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_SKIN", "ascii")
    state = load_game("triangle", compiled=False).new(seed=1, setup="2 12 3")
    state.apply("1d1")
    drawn = dress(state.draw(), colourful=False)
    assert drawn.isascii()
    assert "\n1 . . . A v ^ v" in drawn
    assert "\n2 . . ^ V ^ v" in drawn


def test_unicode_has_pieces_for_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_SKIN", "unicode")
    state = load_game("pyrga", compiled=False).new()
    state.apply_moves("Sb2 Ab1d")
    drawn = dress(state.draw(), colourful=False)
    assert "..△↓" in drawn
    assert "■..." in drawn
    assert "stock S4" in drawn  # letters in words stay


def test_filled_cells_wear_the_colours_of_their_shapes() -> None:
    state = load_game("triangle", compiled=False).new(seed=1, setup="2 12 3")
    state.apply("1d1")
    state.edit("toggle a4")
    second, fourth = (tinted(state).split("\n")[row] for row in (2, 4))
    assert paint_tone("▼", 2) in second
    assert paint("▲", "cyan") in fourth  # by hand, so no shape's
    assert tinted(state.snapshot()) == state.draw()  # which does not know the moves
    told = list(turns(state.game, state.history))
    assert tinted(told[-1].state, told) == tinted(state)
    assert paint_tone("▲", 12) in state.draw()  # a shape in its slot
