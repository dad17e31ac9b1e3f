"""`ludens engine` reads queries from its input, and prints nothing but JSON."""

import json


def test_queries_on_standard_input_are_answered(ludens):
    lines = '{"id": "a", "moves": "b2"}|{"id": "v", "action": "query_version"}|what?'
    ran = ludens("engine", "tic_tac_toe", "--agent", "mcts:sims=10", lines=lines)
    answers = {found["id"]: found for found in map(json.loads, ran.out.splitlines())}
    assert ran.code == 0
    assert answers["v"]["agent"] == "mcts:sims=10"
    assert answers["a"]["rootInfo"]["visits"] == 10
    assert answers[None]["error"] == "the line is not JSON"


def test_a_mistake_in_the_command_is_one_line(ludens):
    ran = ludens("engine", "tic_tac_toe", "--agent", "mctx")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no agent 'mctx'" in ran.err
