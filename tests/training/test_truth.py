"""Positions with exact values: what they are, and how players are graded by them."""

import numpy as np
import pytest

from ludens.agents import agent_maker
from ludens.arena.exams import examine, make_truth
from ludens.arena.play import Player
from ludens.errors import UserError
from ludens.loading.game import load_game
from ludens.solver.exact import Solver
from ludens.solver.graded import (
    FORMAT,
    Truth,
    all_positions,
    grade,
    load_truth,
    save_truth,
)
from ludens.state import State

TIC_TAC_TOE = load_game("tic_tac_toe")
CARDS = load_game("triple_triad")


@pytest.fixture(scope="module")
def cards() -> Truth:
    return make_truth(CARDS, 30, seed=1)


@pytest.fixture(scope="module")
def everything() -> Truth:
    return all_positions(TIC_TAC_TOE)


def is_same(one: Truth, other: Truth) -> bool:
    return (
        one.states.tobytes() == other.states.tobytes()
        and one.values.tobytes() == other.values.tobytes()
        and one.plies.tolist() == other.plies.tolist()
        and one.note == other.note
    )


def test_values_are_those_of_the_solver(cards):
    solver = Solver(CARDS, memory_mb=4)
    late = np.flatnonzero(cards.plies >= 4)
    assert len(late) > 5
    for i in late:
        state = State.at(CARDS, cards.states[i])
        values = {a: value.outcome for a, value in solver.values(state).items()}
        assert {a: cards.values[i, a] for a in values} == values
        best = {a for a in values if values[a] == max(values.values())}
        assert set(np.flatnonzero(cards.best[i])) == best


def test_each_position_has_a_legal_move_that_is_wrong(cards):
    assert len(cards) == 30
    assert cards.note == ""
    legal = np.zeros(cards.values.shape, bool)
    for row, state in zip(legal, cards.positions(CARDS), strict=True):
        row[state.legal_actions()] = True
    assert (legal == ~np.isnan(cards.values)).all()
    assert (cards.best.sum(1) < legal.sum(1)).all()
    assert (cards.best.sum(1) > 0).all()
    assert len(set(cards.plies.tolist())) > 3


def test_no_position_is_the_image_of_another(cards):
    whole = [Truth(cards.states[i : i + 1], *[None] * 2) for i in range(len(cards))]
    images = [truth.images(CARDS) for truth in whole]
    assert sum(map(len, images)) == len(set.union(*images))
    assert cards.images(CARDS) == set.union(*images)


def test_the_same_seed_gives_the_same_positions(cards):
    assert is_same(make_truth(CARDS, 30, seed=1), cards)
    assert not is_same(make_truth(CARDS, 30, seed=2), cards)


def test_best_moves_are_graded_best_and_worst_moves_worst(cards):
    best = grade(cards, cards.best.argmax(1))
    assert (best.optimal, best.lost, best.num_wrong) == (1.0, 0.0, 0)
    wrong = np.where(np.isnan(cards.values), 9, cards.values).argmin(1)
    worst = grade(cards, wrong)
    assert (worst.optimal, worst.num_wrong) == (0.0, 30)
    assert 1.0 <= worst.lost <= 2.0


def test_an_illegal_move_is_as_wrong_as_can_be(everything):
    one = Truth(everything.states[:1], everything.plies[:1], everything.values[:1])
    barred = TIC_TAC_TOE.states(1)
    barred[0].to_play = 0
    values = np.full((1, 9), np.nan, np.float32)
    values[0, :2] = 1, 0
    graded = grade(Truth(barred, one.plies, values), np.array([8]))
    assert (graded.optimal, graded.lost) == (0.0, 2.0)


def test_all_positions_of_tic_tac_toe_are_found(everything):
    # 5478 can come up, of which 958 are over.
    assert len(everything) == 5478 - 958
    assert (everything.best.sum(1) > 0).all()
    start = everything.values[everything.plies == 0]
    assert start.tolist() == [[0.0] * 9]


def test_a_search_plays_better_than_chance(everything):
    searched, sampled = (
        examine(everything, TIC_TAC_TOE, Player(spec, agent_maker(spec, TIC_TAC_TOE)))
        for spec in ("mcts:sims=30,rollouts=0", "random")
    )
    assert sampled.optimal < 0.8 < 0.9 < searched.optimal
    assert searched.lost < sampled.lost


def test_hard_positions_are_left_out(cards):
    easy = make_truth(CARDS, 30, seed=1, nodes=100)
    assert len(easy) > 10
    assert easy.plies.min() > cards.plies.min()


def test_a_small_game_gives_what_it_has():
    spec = "connect_four:rows=2,columns=3,connect=2"
    truth = make_truth(load_game(spec, compiled=False), 12)
    assert 2 <= len(truth) < 12
    assert truth.note.startswith(f"only {len(truth)} of 12 positions")


@pytest.mark.parametrize(
    ("spec", "words"),
    [("triangle", "for one player"), ("triple_triad", "only 0 of 50 positions of")],
)
def test_what_cannot_be_solved_gives_nothing_and_says_why(spec, words):
    truth = make_truth(load_game(spec), 50, seconds=0)
    assert len(truth) == 0
    assert words in truth.note
    assert truth.best.shape == (0, load_game(spec).num_actions)
    assert grade(truth, np.zeros(0, np.int64)).num_positions == 0


def test_a_game_too_large_to_list_is_refused():
    with pytest.raises(UserError, match=r"connect_four has more than 300 positions"):
        all_positions(load_game("connect_four"), most=300)


def test_what_is_saved_is_read_back(cards, tmp_path):
    save_truth(cards, CARDS, tmp_path / "truth.safetensors")
    assert is_same(load_truth(CARDS, tmp_path / "truth.safetensors"), cards)
    nothing = make_truth(load_game("triangle"), 1)
    save_truth(nothing, load_game("triangle"), tmp_path / "nothing")
    assert is_same(load_truth(load_game("triangle"), tmp_path / "nothing"), nothing)


def test_a_file_of_another_game_or_none_is_refused(cards, tmp_path):
    path = tmp_path / "truth.safetensors"
    save_truth(cards, CARDS, path)
    with pytest.raises(UserError, match="is not about tic_tac_toe"):
        load_truth(TIC_TAC_TOE, path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UserError, match=r"is not graded positions: it is no .safete"):
        load_truth(CARDS, path)
    with pytest.raises(UserError, match="cannot read"):
        load_truth(CARDS, tmp_path / "none")


def test_positions_that_a_file_made_up_never_reach_compiled_rules(everything, tmp_path):
    path = tmp_path / "truth.safetensors"
    save_truth(everything, TIC_TAC_TOE, path)
    arrays, texts = FORMAT.read(path)
    wrong = {
        "states": np.full_like(arrays["states"], 255),
        "steps": np.full_like(arrays["steps"], 4),
        "lengths": arrays["lengths"] - 1,
        "plies": arrays["plies"] + 1,
        "values": np.ones_like(arrays["values"]),
    }
    for name, made_up in wrong.items():
        path.write_bytes(FORMAT.pack({**arrays, name: made_up}, texts))
        with pytest.raises(UserError, match="does not follow the rules: "):
            load_truth(TIC_TAC_TOE, path)
    older = {name: arrays[name] for name in ("states", "plies", "values")}
    path.write_bytes(FORMAT.pack(older, texts))
    with pytest.raises(UserError, match="does not follow the rules: "):
        load_truth(TIC_TAC_TOE, path)
