"""What notebooks show of states and analyses."""

import xml.etree.ElementTree as ET

import pytest

from ludens.agents import make_agent
from ludens.loading.game import game_files, load_game

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", game_files())
def test_a_state_shows_itself_as_a_picture(name):
    state = load_game(name, compiled=False).new(seed=1)
    state.apply(state.legal_actions()[0])
    picture = ET.fromstring(state._repr_svg_())
    assert picture.tag == f"{SVG}svg"
    assert len(list(picture)) > 2
    assert picture.find(f"{SVG}title").text == repr(state)


@pytest.mark.parametrize("spec", ["tic_tac_toe", "triangle"])
@pytest.mark.parametrize("agent", ["mcts:sims=20", "random"])
def test_an_analysis_shows_the_board_and_a_table_of_moves(spec, agent):
    game = load_game(spec, compiled=False)
    state = game.new(seed=1)
    analysis = make_agent(agent, game, 1).analyse(state.copy())
    shown = analysis._repr_html_()
    html = ET.fromstring(f"<div>{shown}</div>")
    assert html.find(f"div/{SVG}svg") is not None
    rows = html.findall("div/table/tbody/tr")
    assert [row[0].text for row in rows] == [m.move for m in analysis.moves[:10]]
    title = "win rate" if game.num_players == 2 else "score to come"
    assert html.findall("div/table/thead/tr/th")[2].text == title
    state.apply(state.legal_actions()[0])
    assert analysis._repr_html_() == shown  # it is of the position as it was
