import json
import os
import sys
from pathlib import Path

import pytest

from ludens import load_game
from ludens.cli import table
from ludens.formats.record import load_record

RANDOM = ("--vs", "random")


def board(text):
    """Return the drawing of a tic-tac-toe board as it stands in the output."""
    rows = [" ".join([str(i), *row]) for i, row in enumerate(text.split(), 1)]
    return "\n".join(["  a b c", *rows])


def test_two_people_play_to_the_end(ludens):
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines="a1|a2|b1|b2|c1")
    assert (ran.code, ran.err) == (0, "")
    assert board("XX. OO. ...") in ran.out
    assert f"{board('XXX OO. ...')}\n\nPlayer 0 won after 5 moves.\n" in ran.out


def test_a_draw_is_called_a_draw(ludens):
    moves = "b2|a1|c1|a3|a2|c2|b1|b3|c3"
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines=moves)
    assert "\nA draw after 9 moves.\n" in ran.out


def test_a_whole_game_against_random(ludens, tmp_path):
    cells = "|".join(f"{column}{row}" for row in "123" for column in "abc")
    saved = tmp_path / "game.json"
    ran = ludens(
        "play", "tic_tac_toe", *RANDOM, "--seed", 5, lines=f"{cells}|save {saved}"
    )
    record = load_record(saved)
    winner = {1: "You won", -1: "Random won", 0: "A draw"}[record.result]
    assert f"\n{winner} after {len(record.history)} moves.\n" in ran.out
    assert record.players == ["human", "random"]
    assert record.replay(record.load_game()).is_over


def test_the_second_side_lets_the_other_begin(ludens):
    ran = ludens("play", "tic_tac_toe", *RANDOM, "--side", "second", "--seed", 1)
    assert "You are player 1, against random." in ran.out
    assert ran.out.index("random plays ") < ran.out.index("move 2, you> ")
    start = ("play", "tic_tac_toe", *RANDOM)
    assert ran.out == ludens(*start, "--side", 1, "--seed", 1).out


def test_the_seed_decides_what_random_does(ludens):
    start = ("play", "gomoku:size=9", *RANDOM)
    games = {seed: ludens(*start, "--seed", seed, lines="e5|e6").out for seed in (1, 2)}
    assert games[1] != games[2]
    again = ludens(*start, "--seed", 1, lines="e5|e6").out
    assert again == games[1]


def test_undo_goes_back_to_the_persons_last_choice(ludens, tmp_path):
    """The reply of the other is taken back too, and comes again the same."""
    straight, back = tmp_path / "straight.json", tmp_path / "back.json"
    start = ("play", "tic_tac_toe", *RANDOM, "--seed", 3)
    ludens(*start, lines=f"b2|save {straight}")
    ran = ludens(*start, lines=f"b2|undo|b2|save {back}")
    assert ran.out.count(board("... ... ...")) == 2
    assert back.read_bytes() == straight.read_bytes()
    assert len(load_record(back).history) == 2


def test_undo_reopens_a_finished_game(ludens):
    moves = "a1|a2|b1|b2|c1|undo|c2"
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines=moves)
    assert "Player 0 won" in ran.out
    assert board("XX. OOX ...") in ran.out


def test_undo_without_a_move_says_so(ludens):
    ran = ludens("play", "tic_tac_toe", lines="undo")
    assert "there is no move of yours to take back\n" in ran.out


def test_moves_are_listed(ludens):
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines="b2|moves")
    assert "8 legal moves:\n  a1  b1  c1  a2  c2  a3  b3  c3\n" in ran.out


def test_hint_tells_the_winning_move(ludens, monkeypatch):
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines="a1|a2|b1|b2|hint")
    best = ran.out.split("  proof\n")[1].splitlines()[0].split()
    assert (best[0], best[-1]) == ("c1", "win")
    assert "\nmain line: c1\nsolver: c1 is a win\n" in ran.out


def test_hints_come_from_the_net_that_ships(ludens, monkeypatch):
    asked = []
    make = table.make_agent

    def make_weaker(spec, *rest):
        asked.append(spec)
        return make(spec.replace("sims=2000", "sims=20"), *rest)

    monkeypatch.setattr(table, "make_agent", make_weaker)
    ludens("play", "tic_tac_toe", "--vs", "human", lines="hint")
    assert asked == ["net:sims=2000", "solver"]


def test_hint_says_when_the_solver_cannot_tell(ludens):
    ran = ludens("play", "gomoku:size=9", "--seconds", 0.1, lines="hint")
    assert "main line: " in ran.out
    assert "\nsolver: not solved within 0.1 s (" in ran.out


def test_an_agent_can_be_named_with_its_strength(ludens):
    start = ("play", "tic_tac_toe", "--vs", "mcts:sims=300", "--side", "second")
    ran = ludens(*start, "--seed", 1, lines="b1|b2|a1|c1|a2|c2|a3|b3|c3")
    assert "mcts:sims=300 plays " in ran.out
    assert "You won" not in ran.out


def test_the_solver_takes_a_win(ludens, monkeypatch):
    monkeypatch.setenv("LUDENS_COMPILE", "1")
    start = ("play", "tic_tac_toe", "--vs", "solver", "--side", "second")
    ran = ludens(*start, lines="b1|b2|a1|c1|a2|c2|a3|b3|c3")
    assert "Solver won after 5 moves." in ran.out or "Solver won after 7" in ran.out


def test_for_a_solver_out_of_time_the_net_plays(ludens):
    start = ("play", "gomoku:size=9", "--vs", "solver", "--seconds", 0.1, "--seed", 1)
    ran = ludens(*start, lines="e5|nonsense|quit")
    (line,) = [line for line in ran.out.splitlines() if line.startswith("solver plays")]
    assert ", which net chose: not solved within 0.1 s (" in line
    assert "move 3, you> quit\n" in ran.out


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("B2", "b2 is not legal here (the cell is taken); legal: a1, b1, c1, a2,"),
        ("hnit", "'hnit' is not a move of tic_tac_toe; for example a1, b1"),
        ("b1b", "'b1b' is not a move of tic_tac_toe; did you mean 'b1'?"),
        ("edit a1", "cannot edit: write set CELL first|second|empty or to_play"),
        ("save", "save needs the name of a file, such as: save game.json"),
    ],
)
def test_wrong_input_costs_one_line(ludens, typed, answer):
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines=f"b2|{typed}|quit")
    after = ran.out.split(f"> {typed}\n")[1]
    assert after.startswith(answer)
    assert after.splitlines()[1] == "move 2, player 1> quit"
    assert ran.code == 0


def test_help_names_every_word(ludens):
    ran = ludens("play", "tic_tac_toe", lines="help")
    for word in ("moves", "hint", "undo", "save FILE", "edit TEXT", "quit"):
        assert f"\n  {word}" in ran.out


def test_help_tells_the_rules_and_finds_words_in_their_tables(ludens):
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines="help|help fork")
    assert "\nAim\n  Get three of your marks in a row" in ran.out
    assert ran.out.index("\nAim\n") < ran.out.index("Type a move as it is written")
    assert "no table in the rules has 'fork'" in ran.out


def test_input_that_ends_ends_the_game_politely(ludens):
    ran = ludens("play", "tic_tac_toe", "--vs", "human", lines="b2")
    assert ran.out.endswith("move 2, player 1> \nLeft 1 move into the game.\n")
    assert (ran.code, ran.err) == (0, "")


def test_a_saved_game_goes_on_where_it_was_left(ludens, tmp_path):
    saved = tmp_path / "game"
    start = ("play", "tic_tac_toe", "--vs", "human")
    first = ludens(*start, lines=f"a1|a2|b1|save {saved}")
    assert f"Saved to {saved}.json.\n" in first.out
    ran = ludens("play", f"{saved}.json", "--vs", "human", lines="b2|c1")
    assert "Player 0 won after 5 moves." in ran.out
    again = ludens("play", f"{saved}.json", *RANDOM, "--side", "second", "--seed", 1)
    assert "You are player 0, against random.\n" in again.out.replace(" Type", "\n")


def test_a_saved_game_may_be_saved_over(ludens, tmp_path):
    saved = tmp_path / "game.json"
    ludens(*("play", "tic_tac_toe", "--vs", "human"), lines=f"a1|save {saved}")
    ludens(*("play", saved, "--vs", "human"), lines=f"b1|save {saved}")
    assert json.loads(saved.read_text())["history"] == [0, 1]


def test_a_saved_game_gets_the_name_by_which_it_is_known(ludens, tmp_path):
    ran = ludens("play", "tic_tac_toe", lines=f"save {tmp_path / 'my.game'}")
    assert f"Saved to {tmp_path / 'my.game.json'}." in ran.out
    assert ludens("play", tmp_path / "my.game.json").code == 0


def test_save_reports_what_is_in_its_way_and_writes_nothing(ludens, tmp_path):
    notes = tmp_path / "notes.json"
    notes.write_text("mine")
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    places = {
        tmp_path: "is a folder; name a file",
        notes: "exists and is not a saved game",
        tmp_path / "no" / "game.json": "cannot write ",
        notes / "game.json": "cannot write ",
        tmp_path / f"{'long' * 100}.json": "cannot write ",
        "/proc/game.json": "cannot write ",
        pipe: "exists and is not a saved game",
        "~nobody-of-this-name/game.json": "cannot write ",
    }
    lines = "|".join(f"save {place}" for place in places)
    ran = ludens("play", "tic_tac_toe", lines=f"{lines}|quit")
    answers = [line for line in ran.out.splitlines() if not line.startswith("move")]
    for place, answer in places.items():
        assert any(answer in line and str(place)[:40] in line for line in answers)
    assert "Saved" not in ran.out
    assert {*tmp_path.iterdir()} == {notes, pipe}
    assert notes.read_text() == "mine"


def test_a_game_for_one_shows_its_score_in_points(ludens, tmp_path):
    state = load_game("triangle", compiled=False).new(seed=3)
    moves = []
    while not state.is_over:
        moves.append(state.action_name(state.legal_actions()[0]))
        state.apply(moves[-1])
    saved = tmp_path / "game.json"
    lines = "|".join([*moves, f"save {saved}"])
    ran = ludens("play", "triangle", "--seed", 3, lines=lines)
    points = round(100 * state.score)
    assert "\nmove 1, score 0> " in ran.out
    ending = f"Game over: score {points:,} after {len(moves)} moves (no shape fits).\n"
    assert ending in ran.out
    assert ending in ludens("show", saved).out


def test_undo_meets_the_same_refill(ludens):
    start = ("play", "triangle", "--seed", 4)
    state = load_game("triangle", compiled=False).new(seed=4)
    moves = []
    for _ in range(3):  # the third move empties the last slot
        moves.append(state.action_name(state.legal_actions()[0]))
        state.apply(moves[-1])
    ran = ludens(*start, lines="|".join([*moves, "undo", moves[-1]]))
    assert ran.out.count(f"\n{state}\n") == 2
    refill = ", ".join(f"shape {value}" for value in state.raw.slots)
    assert ran.out.count(f"> {moves[-1]}\nchance: {refill}\n") == 2


def test_an_edit_changes_the_board_and_can_be_taken_back(ludens, tmp_path):
    saved = tmp_path / "game.json"
    lines = f"edit toggle d4|edit nonsense|undo|edit toggle e4|save {saved}"
    ran = ludens("play", "triangle", "--seed", 4, lines=lines)
    assert "edit nonsense\ncannot edit: " in ran.out
    assert load_record(saved).history[3:] == ["toggle e4"]
    assert "  4. [edit toggle e4]\n" in ludens("show", saved).out.replace(
        "  4", "\n  4"
    )
    assert "\n4. edit toggle e4\n" in ludens("show", saved, "--step", 4).out


def test_the_first_side_is_the_one_to_move(ludens):
    """In triple_triad the start decides which player that is."""
    for seed in range(4):
        ran = ludens("play", "triple_triad", "--seed", seed)
        assert "random plays" not in ran.out
        assert "\nmove 1, you> " in ran.out


def test_a_program_plays_until_it_fails(ludens):
    script = Path(__file__).parents[1] / "agents" / "toy_brain.py"
    for fault, line in [
        ("none", "plays a1"),
        ("nonsense", "has lost: its answer 'I resign' is no move."),
    ]:
        who = f"engine:cmd={sys.executable} -S {script} {fault}"
        ran = ludens("play", "gomoku:size=5", "--vs", who, lines="c3|quit")
        assert ran.code == 0
        assert f"{who} {line}" in ran.out.splitlines()


def test_a_game_may_begin_with_random_plies(ludens):
    start = ("play", "tic_tac_toe", "--vs", "human", "--openings", 3, "--seed", 4)
    ran = ludens(*start)
    assert (ran.code, ran.err) == (0, "")
    assert "move 4, " in ran.out
    assert ludens(*start).out == ran.out
    assert ludens(*start[:-1], 5).out != ran.out


@pytest.mark.parametrize("more", [("--web",), ("--setup", "a1")])
def test_random_plies_are_for_a_new_game_at_the_terminal(ludens, more):
    ran = ludens("play", "tic_tac_toe", "--openings", 2, *more)
    assert (ran.code, ran.out) == (2, "")
    assert "--openings is for a new game at the terminal" in ran.err


def test_the_trees_of_an_agent_that_one_plays_are_written(ludens, tmp_path):
    command = ["play", "tic_tac_toe", "--vs", "mcts:sims=20", "--seed", 1]
    ran = ludens(*command, "--trees", tmp_path / "trees", lines="b2|quit")
    assert (ran.code, ran.err) == (0, "")
    [tree] = (tmp_path / "trees" / "game-0001").iterdir()
    assert tree.name == "ply-002.svg"
    assert "n 21 " in tree.read_text("utf-8")


def test_the_trees_of_a_game_that_one_watches_are_written(ludens, tmp_path):
    command = ["play", "tic_tac_toe", "--watch", "--vs", "mcts:sims=20", "--seed", 1]
    ran = ludens(*command, "--trees", tmp_path)
    names = sorted(file.name for file in (tmp_path / "game-0001").iterdir())
    plies = range(1, ran.out.count("\nMove ") + 1)
    assert names == [f"ply-{ply:03}.svg" for ply in plies]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--vs random", "no agent here grows a tree; use mcts or net"),
        ("--vs greedy --watch", "no agent here grows a tree; use mcts or net"),
        ("--web", "--trees is for a game at the terminal; the page has its own"),
    ],
)
def test_trees_that_nobody_grows_are_a_mistake(ludens, tmp_path, arguments, complaint):
    trees = tmp_path / "trees"
    ran = ludens("play", "tic_tac_toe", *arguments.split(), "--trees", trees)
    assert (ran.code, ran.out, ran.err) == (2, "", f"ludens: {complaint}\n")
    assert not trees.exists()
