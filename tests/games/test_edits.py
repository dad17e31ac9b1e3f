"""Positions changed by hand, in every game."""

import pytest

from ludens.agents import make_agent
from ludens.errors import UserError
from ludens.loading.game import game_files, load_game
from ludens.state import State

EDITS = {
    "tic_tac_toe": ("set b2 first", "set a1 second", "to_play first"),
    "connect_four": ("drop 4 first", "drop 4 second", "to_play first"),
    "gomoku": ("set h8 first", "set h9 second", "to_play first"),
    "pyrga": ("put b2 first square", "put c3 second up", "last c3 up"),
    "triple_triad": ("set b2 first Geezard", "drop first 1", "to_play second"),
    "triangle": ("toggle d4", "slot 2 7"),
}


def edited(spec, *edits, seed=1):
    state = load_game(spec, compiled=False).new(seed)
    for edit in edits:
        state.edit(edit)
    return state


def test_every_game_has_edits_and_forms_for_them():
    assert EDITS.keys() == game_files().keys()
    for name in EDITS:
        assert load_game(name, compiled=False).plain.EDITS


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_position_can_be_replayed_and_played(name):
    state = edited(name, *EDITS[name])
    again = State.replay(state.game, state.history)
    assert again.raw.tobytes() == state.raw.tobytes()
    agent = make_agent("random", state.game, 3)
    while not state.is_over and state.num_plies < 60:
        state.apply(agent.choose(state.copy()))
    assert state.num_plies > 3


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("words", ["", "set", "set a1", "to_play third", "x y z w v"])
def test_a_wrong_edit_changes_nothing_and_says_how_it_is_written(name, words):
    state = edited(name)
    before = state.raw.tobytes()
    with pytest.raises(UserError, match="cannot edit: write "):
        state.edit(words)
    assert state.raw.tobytes() == before


@pytest.mark.parametrize("spec", ["tic_tac_toe", "gomoku:size=5,row=3,history=1"])
def test_a_row_set_by_hand_ends_the_game_and_taking_it_goes_on(spec):
    state = edited(spec, "set a1 first", "set b1 first", "set c1 first")
    assert state.result == 1
    state.edit("set b1 empty")
    assert state.to_play == 1  # the one with fewer stones
    assert state.raw.ply == 2


def test_both_cannot_have_won():
    rows = ("set a1 first", "set b1 first", "set c1 first", "set a2 second")
    state = edited("tic_tac_toe", *rows, "set b2 second")
    with pytest.raises(UserError, match="both players would have won"):
        state.edit("set c2 second")


def test_a_full_board_is_drawn():
    marks = ("first", "second")
    cells = {"a1": 0, "b1": 1, "c1": 0, "a2": 0, "b2": 1, "c2": 1}
    cells |= {"a3": 1, "b3": 0, "c3": 0}
    state = edited("tic_tac_toe", *(f"set {c} {marks[m]}" for c, m in cells.items()))
    assert state.result == 0


def test_discs_fall_and_the_uppermost_is_taken():
    state = edited("connect_four", "drop 4 first", "drop 4 second", "take 4")
    assert str(state).splitlines()[5] == ". . . X . . ."
    for player in ("first", "second") * 3:
        state.edit(f"drop 1 {player}")
    with pytest.raises(UserError, match="column 1 is full"):
        state.edit("drop 1 first")
    with pytest.raises(UserError, match="column 2 is empty"):
        state.edit("take 2")


def test_four_discs_by_hand_win():
    state = edited("connect_four", *(f"drop {c} second" for c in "1234"))
    assert state.result == -1


def test_the_last_move_of_pyrga_limits_the_next():
    state = edited("pyrga", "put b2 first square", "last b2 square")
    cells = {state.choices(action)[1] for action in state.legal_actions()}
    assert cells == {"b1", "a2", "c2", "b3"}
    state.edit("last none")
    assert len({state.choices(a)[1] for a in state.legal_actions()}) == 16
    with pytest.raises(UserError, match="there is no such piece on b2"):
        state.edit("last b2 circle")


def test_pyrga_has_five_pieces_of_a_kind_and_one_of_a_kind_in_a_cell():
    cells = ("a1", "b1", "c1", "d1", "a2")
    state = edited("pyrga", *(f"put {cell} first circle" for cell in cells))
    with pytest.raises(UserError, match="the first player has only 5 circles"):
        state.edit("put b2 first circle")
    state.edit("put a1 second circle")
    state.edit("put b2 first circle")
    state.edit("put c3 first up")
    state.edit("put c3 second left")
    assert [int(cells) for cells in state.raw.heads] == [0, 0, 0, 1 << 10]
    state.edit("take c3 arrow")
    assert not state.raw.heads.any()


def test_hands_of_triple_triad_must_be_able_to_go_on():
    state = edited("triple_triad", "to_play first")
    with pytest.raises(UserError, match="the first player would need 5 cards"):
        state.edit("drop first 2")
    state.edit("set a1 second Geezard")
    state.edit("drop first 2")
    with pytest.raises(UserError, match="the first player would need 5 cards"):
        state.edit("clear a1")
    state.edit("hand first 2 Geezard")
    state.edit("clear a1")
    assert len(state.legal_actions()) == 45


def test_a_card_that_exists_once_stays_single():
    state = edited("triple_triad", "hand first 5 Squall")
    with pytest.raises(UserError, match="Squall exists only once"):
        state.edit("hand second 5 squall")
    with pytest.raises(UserError, match="there is no card 'squull'"):
        state.edit("set a1 first Squull")


def test_elements_are_set_where_the_rule_is_on():
    state = edited("triple_triad:elemental=true", "element b2 fire")
    assert state.raw.elements[4] > 0
    with pytest.raises(UserError, match="elemental=true"):
        edited("triple_triad").edit("element b2 fire")
