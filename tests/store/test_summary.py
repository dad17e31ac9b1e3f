"""The figures of an evaluation as people read them."""

from ludens.store.summary import strength_of

SCORED = {
    "score_mean": 24.25,
    "score_median": 20.0,
    "score_p10": 5.5,
    "score_p90": 50.0,
    "length_mean": 34.1,
    "length_median": 31.0,
    "length_p10": 15.0,
    "length_p90": 60.0,
    "length_cut": 0.125,
}


def test_scores_and_lengths_are_told_with_their_spread() -> None:
    assert list(strength_of(SCORED).lines()) == [
        ("score", "2,425, median 2,000, most games 550 to 5,000"),
        ("length", "34, median 31, most games 15 to 60, 12.5 % cut"),
    ]


def test_a_two_player_game_has_no_spreads() -> None:
    found = strength_of({"elo": 10.0, "score_mcts": 0.5})
    assert list(found.lines()) == [("Elo", "+10"), ("score", "50.0 % against mcts")]
