from pathlib import Path

import pytest

from ludens import load_game


def test_behaviour_is_the_same_on_every_machine():
    # Nets that ship carry this text; it must change only when the rules do.
    assert load_game("tic_tac_toe").behaviour == "fc00f06c4af008c76f278a5c"
    assert load_game("triple_triad").behaviour == "8706cb72c93aa800eef26314"


@pytest.mark.parametrize("name", ["connect_four", "pyrga", "triangle"])
def test_compiled_and_plain_rules_behave_the_same(name):
    plain = load_game(name, compiled=False)
    assert plain.behaviour == load_game(name).behaviour


def test_behaviour_notices_other_rules_and_no_other_words(tmp_path):
    source = load_game("tic_tac_toe").path.read_text()

    def behaviour(text: str) -> str:
        path = Path(tmp_path, "mine.py")
        path.write_text(text)
        return load_game(str(path), compiled=False).behaviour

    first = behaviour(source)
    assert behaviour(source.replace("PLANES = (", "NOTHING = 0\nPLANES = (")) == first
    assert (
        behaviour(source.replace("board[cell] != own", "board[cell] == own")) != first
    )
    assert behaviour(source.replace("float(state.winner)", "0.0")) != first
