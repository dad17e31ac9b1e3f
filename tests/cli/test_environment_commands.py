"""Environments at the command line."""

import pytest

import tiny_environments  # noqa: F401 - Gymnasium knows them now

SPEC = "gym:Corridor-v0"


def test_an_episode_is_watched_step_by_step(ludens):
    done = ludens("play", SPEC, "--watch", "--vs", "random", "--seed", 1)
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == (
        "Corridor-v0, an environment of Gymnasium, played by random. Ctrl-C leaves."
    )
    assert lines[1].startswith("    1. action ")
    assert ", reward -1, seen " in lines[1]
    assert lines[-1].startswith("Game over: score ")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("train", SPEC, "--method", "alphazero"), "has no rules; use --method muzero"),
        (("train", "gym:Stick-v0"), "continuous actions"),
        (("check", SPEC), "this check needs rules"),
        (("solve", SPEC), "the solver needs rules"),
        (("bench", "speed", SPEC), "this benchmark needs rules"),
        (("play", SPEC, "--web"), "the page needs rules"),
        (("play", SPEC, "--watch", "--vs", "mcts"), "mcts needs rules"),
    ],
)
def test_what_needs_rules_is_one_line_and_exit_code_2(ludens, words, why):
    done = ludens(*words)
    assert done.code == 2
    assert why in done.err
    assert done.err.count("\n") == 1
