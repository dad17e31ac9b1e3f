"""`ludens observe`: the planes of a position."""

import json

import numpy as np

from ludens import load_game
from ludens.pictures.planes import Plane, draw_planes, planes_of


def test_planes_are_drawn_under_their_names(ludens):
    ran = ludens("observe", "tic_tac_toe", "--moves", "a1 b2")
    assert ran.code == 0
    drawn = ran.out.partition("player 0 to move sees\n\n")[2]
    assert drawn.splitlines() == [
        "1. own marks   2. opponent's marks",
        "1 . .          . . .",
        ". . .          . 1 .",
        ". . .          . . .",
    ]


def test_planes_are_told_as_numbers(ludens):
    told = json.loads(ludens("observe", "tic_tac_toe", "--moves", "a1", "--json").out)
    assert (told["game"], told["history"], told["player"]) == ("tic_tac_toe", [0], 1)
    names = [plane["name"] for plane in told["planes"]]
    assert names == ["own marks", "opponent's marks"]
    assert np.sum(told["planes"][0]["values"]) == 0
    assert told["planes"][1]["values"][0] == [1, 0, 0]


def test_the_history_of_a_game_is_among_its_planes():
    game = load_game("gomoku:size=5,history=1,row=4", compiled=False)
    state = game.new()
    state.apply_moves("a1 b2 c3 d4")
    seen = dict(planes_of(state))
    gone = seen["own stones"] - seen["own stones 1 move back"]
    assert np.argwhere(gone).tolist() == [[2, 2]]


def test_other_numbers_are_short_and_planes_fit_the_width():
    half = Plane("half", np.full((2, 2), 0.5, np.float32))
    third = Plane("some", np.array([[0, 1 / 3], [-1, 1]], np.float32))
    drawn = draw_planes([half, third], 40).splitlines()
    assert drawn == [
        "1. half          2. some",
        "0.5 everywhere      . 0.33",
        "                   -1    1",
    ]
    assert "\n\n2. some" in draw_planes([half, third], 20)


def test_a_finished_game_has_nothing_to_see(ludens):
    ran = ludens("observe", "tic_tac_toe", "--moves", "a1 a2 b1 b2 c1")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "the game is over" in ran.err
