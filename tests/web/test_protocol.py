"""What a page asks and gets: positions, moves, edits, lines, records."""

import json

import pytest

from ludens.formats.record import Record
from ludens.loading.game import game_files, load_game
from ludens.state import State
from ludens.web.messages import Games
from ludens.web.positions import position_of
from served import Page, sent, serve

SPECS = [*game_files(), "gomoku:size=9,rule=renju", "triple_triad:elemental=true"]


def test_games_are_listed_with_all_that_a_page_needs(page: Page):
    found = page.ask("games")
    assert [game["name"] for game in found["games"]] == list(game_files())
    assert all(game["can_edit"] for game in found["games"])
    assert {game["name"] for game in found["games"] if not game["can_solve"]} == {
        "triangle"
    }
    options = {o["name"] for o in found["games"][1]["options"]}
    assert options == set(load_game("gomoku").declared)
    assert {"random", "mcts", "net", "solver"} <= {a["name"] for a in found["agents"]}
    players = {a["name"]: a["players"] for a in found["agents"]}
    assert (players["solver"], players["greedy"]) == (2, None)
    assert Games.__doc__ is not None


@pytest.mark.parametrize("spec", SPECS)
def test_a_position_has_the_shapes_and_choices_of_every_legal_action(spec):
    state = load_game(spec, compiled=False).new(seed=3)
    for _ in range(4):
        state.apply(state.legal_actions()[0])
    position = json.loads(json.dumps(position_of(state)))
    offered = {shape.get("choice") for shape in position["scene"]}
    assert position["legal"]
    for action in position["legal"]:
        assert set(action["choices"]) <= offered
        assert state.read_action(action["name"]) == action["action"]
    assert len(position["steps"]) == len(position["history"]) == len(state.history)
    assert position["edits"]
    assert position["drawn"] == str(state)


@pytest.mark.parametrize("spec", ["connect_four", "tic_tac_toe", "pyrga"])
def test_the_shapes_of_the_last_action_are_marked(spec):
    state = load_game(spec, compiled=False).new(seed=3)
    assert position_of(state)["marked"] == []
    state.apply(state.legal_actions()[2])
    position = position_of(state)
    [marked] = [position["scene"][index] for index in position["marked"]]
    assert marked["owner"] == 0
    state.edit("to_play first")
    assert position_of(state)["marked"] == []


def test_a_page_sees_what_a_network_sees(page: Page):
    seen = page.ask("observe", game={"spec": "tic_tac_toe", "history": [4]})
    assert seen["player"] == 1
    assert [plane["name"] for plane in seen["planes"]] == list(
        load_game("tic_tac_toe").plain.PLANES
    )
    assert seen["planes"][1]["values"] == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_a_game_is_played_by_words_and_numbers(page: Page):
    at = page.position("tic_tac_toe", "b2", 0, "c1", "A3", "a2", "C2")
    assert at["to_play"] == 0
    assert [step["notation"] for step in at["steps"]] == [
        *("b2", "a1", "c1", "a3", "a2", "c2")
    ]
    assert at["outcome"] == "Not finished after 6 moves."
    at = page.position("tic_tac_toe", "b2", "a1", "c1", "a2", "a3")
    assert at["is_over"]
    assert at["result"] == 1
    assert at["outcome"] == "The first player won after 5 moves."
    assert at["legal"] == []


@pytest.mark.parametrize(
    ("do", "what"), [("play", {"step": "c2"}), ("move", {"agent": "random"})]
)
def test_a_move_replays_its_game_once(page: Page, monkeypatch, do, what):
    at = page.position("tic_tac_toe", "b2", "a1", "c1", "a3", "a2")
    replayed, apply_step = [], State.apply_step

    def count(state: State, step: int | str) -> None:
        replayed.append(step)
        apply_step(state, step)

    monkeypatch.setattr(State, "apply_step", count)
    after = page.ask(do, game=sent(at), **what)["position"]
    assert replayed == after["history"]
    assert len(after["steps"]) == 6


def test_fouls_are_told_to_whom_they_are_forbidden():
    state = load_game("gomoku:size=9,rule=renju", compiled=False).new()
    state.apply_moves("e6 a1 e7 a9 f5 i1 g5")
    assert position_of(state)["fouls"] == []
    state.apply("i9")
    position = position_of(state)
    assert [foul["choices"] for foul in position["fouls"]] == [("e5",)]
    assert "e5" not in [action["name"] for action in position["legal"]]


def test_chance_answers_a_move_at_once_and_the_same_after_undo(page: Page):
    at = page.ask("position", game={"spec": "triangle", "seed": 5})["position"]
    assert [step["is_chance"] for step in at["steps"]] == [True] * 3
    first = page.ask("play", game=sent(at), step=at["legal"][0]["action"])
    at2 = first["position"]
    while first["num_new"] == 1:
        first = page.ask("play", game=sent(at2), step=at2["legal"][0]["action"])
        before, at2 = at2, first["position"]
    assert first["num_new"] == 4
    again = page.ask("play", game=sent(before), step=before["legal"][0]["action"])
    assert again["position"]["history"] == at2["history"]


def test_a_game_without_a_seed_gets_one(page: Page):
    one = page.ask("position", game={"spec": "triple_triad"})["position"]
    two = page.ask("position", game={"spec": "triple_triad"})["position"]
    assert one["seed"] != two["seed"]
    assert one["history"] != two["history"]
    again = page.ask("position", game=sent(one))["position"]
    assert again == one


def test_a_setup_is_obeyed(page: Page):
    game = {"spec": "triangle", "seed": 1, "setup": "3 7 12"}
    assert page.ask("position", game=game)["position"]["history"] == [2, 6, 11]
    error = page.ask("position", game=game | {"setup": "3"})["error"]
    assert error.startswith("cannot set up triangle: name three shapes")


@pytest.mark.parametrize(
    ("game", "step", "words"),
    [
        ({"spec": "tic_tac_toe"}, "z9", "'z9' is not a move of tic_tac_toe"),
        ({"spec": "tic_tac_toe", "history": [4]}, 4, "b2 is not legal here"),
        ({"spec": "tic_tac_toe"}, 99, "99 is not an action; they go from 0 to 8"),
        ({"spec": "tic_tac_toe", "history": [4, 4]}, 0, "step 2: b2 is not legal"),
        ({"spec": "gomoku:size=99"}, 0, "size cannot be '99'"),
        ({"spec": "gomoku:sise=9"}, 0, "did you mean 'size'?"),
        ({"spec": "chess"}, 0, "there is no game 'chess'"),
    ],
)
def test_a_mistake_is_one_clear_line(page: Page, game, step, words):
    answer = page.ask("play", game=game, step=step)
    assert words in answer["error"]
    assert answer.keys() == {"id", "error"}


def test_an_edit_is_a_step_of_the_game(page: Page):
    at = page.position("tic_tac_toe", "b2")
    edited = page.ask("edit", game=sent(at), text="set a1 first")["position"]
    assert edited["history"] == [4, "set a1 first"]
    assert edited["steps"][1] == {
        "notation": "set a1 first",
        "player": None,
        "is_chance": False,
        "is_edit": True,
    }
    error = page.ask("edit", game=sent(at), text="set z1 first")["error"]
    assert error == "cannot edit: 'z1' is not a cell of the board"


def test_a_line_shows_what_each_move_brings(page: Page):
    at = page.position("connect_four", "4")
    frames = page.ask("line", game=sent(at), steps=["4", "4"])["frames"]
    assert [frame["added"][0]["owner"] for frame in frames] == [1, 0]
    assert [frame["added"][0]["points"] for frame in frames] == [
        [[3.5, 4.5]],
        [[3.5, 3.5]],
    ]
    assert "error" in page.ask("line", game=sent(at), steps=["9"])


def test_a_record_is_that_of_the_command_line_and_comes_back(page: Page):
    at = page.position("gomoku:size=9,rule=caro", "e5", "e6")
    edited = page.ask("edit", game=sent(at), text="to_play second")["position"]
    players = ["human", "net:sims=10"]
    written = page.ask("record", game=sent(edited), players=players)["record"]
    record = Record.model_validate(written)
    assert record.replay(record.load_game()).history == edited["history"]
    back = page.ask("read", text=json.dumps(written))
    assert back["position"]["spec"] == edited["spec"]
    assert back["position"]["history"] == edited["history"]
    assert back["players"] == players


def test_files_of_other_programs_come_and_go_with_their_variations(page: Page):
    text = "(;GM[4]SZ[9]RU[caro];B[ee](;W[fe])(;W[aa];B[bb](;W[cc])(;W[dd])))"
    read = page.ask("read", text=text, spec="gomoku")
    at, lines = read["position"], read["variations"]
    assert (at["spec"], at["history"]) == ("gomoku:size=9,rule=caro", [40, 41])
    words = [[step["notation"] for step in line["steps"]] for line in lines]
    assert words == [["a1", "b2", "c3"], ["d4"]]
    sent_back = [{key: line[key] for key in ("of", "at", "history")} for line in lines]
    asked = {"game": sent(at), "variations": sent_back}
    assert page.ask("record", **asked)["record"]["variations"] == sent_back
    written = page.ask("record", **asked, format="sgf")
    assert written["name"] == "gomoku.sgf"
    assert page.ask("read", text=written["text"])["variations"] == lines
    wrong = page.ask("record", **asked | {"variations": [sent_back[1]]})
    assert wrong["error"] == "variation 1 cannot leave line 1 after 3 steps"
    assert "is not legal" in page.ask("read", text=text.replace("fe", "ee"))["error"]


def test_a_file_without_a_rule_is_of_the_game_on_the_table(page: Page):
    text = "Piskvorky 9x9, 0:0, 0\n5,5,0\n"
    read = page.ask("read", text=text, spec="gomoku:size=9,rule=caro")
    assert read["position"]["spec"] == "gomoku:size=9,rule=caro"
    bottom = "# gomoku:size=9,rule=caro; rows from the bottom\na1"
    assert page.ask("read", text=bottom)["position"]["history"] == [72]
    assert "no game 1 in this text" in page.ask("read", text="# gomoku")["error"]


def test_a_game_of_many_is_chosen_by_its_number(page: Page):
    text = "# gomoku:size=9,rule=caro; rows from the top\na1\nz9\nc3\n"
    read = [page.ask("read", text=text, number=number) for number in (1, 3)]
    assert [found["position"]["history"] for found in read] == [[0], [20]]
    assert [found["num_games"] for found in read] == [3, 3]
    assert "line 3: 'z9'" in page.ask("read", text=text, number=2)["error"]
    assert "no game 9" in page.ask("read", text=text, number=9)["error"]


def test_moves_are_read_as_text(page: Page):
    at = page.ask("read", text="32164625", spec="connect_four")["position"]
    assert at["num_plies"] == 8
    assert "error" in page.ask("read", text="3216", spec="")
    assert "not a game record" in page.ask("read", text='{"game": "pyrga"}')["error"]
    assert "this is not JSON" in page.ask("read", text="{{{")["error"]


def test_two_pages_do_not_see_each_other(served):
    with served.page() as one, served.page() as two:
        a = one.position("tic_tac_toe", "b2")
        b = two.position("tic_tac_toe", "a1")
        assert one.ask("play", game=sent(a), step="a1")["position"]["num_plies"] == 2
        assert two.ask("play", game=sent(b), step="b2")["position"]["num_plies"] == 2


def test_a_page_is_told_while_a_game_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path))
    with serve() as served, served.page() as page:
        game = {"spec": "gomoku:size=5", "seed": 1}
        number = page.send("describe", game=game)
        assert [*page.follow(number)][-1]["ok"]
        event = {"id": number, "event": "preparing", "what": "gomoku:size=5"}
        assert page.prepared == [event | {"progress": ""}]
        page.ask("describe", game=game)
        assert len(page.prepared) == 1
