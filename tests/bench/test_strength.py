"""Nets are measured by what is known of positions, and by matches."""

from dataclasses import replace
from pathlib import Path

import pytest

from ludens.agents import Agent, Limit
from ludens.agents.agent import NO_LIMIT
from ludens.arena.play import Player
from ludens.bench.exams import (
    Candidate,
    count_wrong,
    examine_against,
    examine_match,
    examine_positions,
    examine_scores,
)
from ludens.bench.figures import Figure, Strength, markdown, share_of, table
from ludens.bench.solved import find_exam, read_solved
from ludens.bench.strength import net_settings, read_agent
from ludens.errors import UserError
from ludens.formats.tables import text_table
from ludens.loading.game import Game, load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net
from ludens.solver.graded import pack_truth
from ludens.state import State

TINY = NetConfig(trunk="mlp", blocks=1, channels=8, hidden=8)
GUESSING = Path(__file__).parents[1] / "search" / "guessing.py"


class Always(Agent):
    """Plays one column everywhere."""

    def __init__(self, column: int) -> None:
        super().__init__()
        self.column = column
        self.num_asked = 0

    def choose(self, state: State, limit: Limit = NO_LIMIT) -> int:
        self.num_asked += 1
        return self.column


def test_moves_that_change_the_outcome_are_wrong() -> None:
    lines = ["3,3,4,4 LLWDDWL", "0,0,1,1 WWWWWWW", "2,2,3,3 LLLLDLL -1"]
    game = load_game("connect_four")
    truth = pack_truth(game, [read_solved(game, line) for line in lines])

    def wrong(agent: Always) -> tuple[int, int]:
        player = Player("always", lambda seed, num_games=1: agent)
        return count_wrong(truth, game, player)

    middle = Always(2)
    assert wrong(middle) == (1, 2)
    assert wrong(Always(5)) == (1, 2)
    assert wrong(Always(3)) == (2, 2)
    assert middle.num_asked == 2  # nothing can go wrong in the second


EXAM = """
sims = 8
counts = "{counts}"
[[sets]]
name = "two"
goal = "few"
positions = '''
0,4,8 LLLLLW
0,1,4 LLLLDW a remark
'''
[[sets]]
name = "all positions"
goal_alone = "many"
"""


def own_exam(tmp_path: Path, counts: str = "wrong moves") -> Game:
    """Return a game file of one's own with an exam beside it."""
    file = tmp_path / "my_game.py"
    file.write_bytes(load_game("tic_tac_toe").path.read_bytes())
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "my_game.exam.toml").write_text(EXAM.format(counts=counts))
    return load_game(str(file))


@pytest.mark.parametrize("counts", ["wrong moves", "optimal moves"])
def test_a_game_file_brings_its_own_exam(tmp_path: Path, counts: str) -> None:
    game = own_exam(tmp_path, counts)
    candidate = Candidate(game, new_net(game, TINY, 0), net_settings({}), 1, 6)
    exam = find_exam(game)
    assert exam is not None
    figures = list(examine_positions(exam, candidate))
    asked = [f for f in figures if f.what.startswith(counts)]
    assert [(f.what, f.player, f.num, f.goal) for f in asked] == [
        (f"{counts}, two", "net alone", 1, ""),
        (f"{counts}, two", "8 sims", 1, "few"),
        (f"{counts}, all positions", "net alone", 4520, "many"),
        (f"{counts}, all positions", "8 sims", 4520, ""),
    ]
    others = [f.what for f in figures if f not in asked]
    assert others == ["where some move is worse"] * (4 * (counts != "wrong moves"))


def test_exact_leaves_are_measured_next_to_a_search_without() -> None:
    game = load_game("tic_tac_toe")
    exam, net = find_exam(game), new_net(game, TINY, 0)
    assert exam is not None
    settings = net_settings({"exact_nodes": 2000, "sims": 8})
    figures = list(examine_positions(exam, Candidate(game, net, settings, 1, 6)))
    names = [figure.player for figure in figures]
    assert names == ["net alone", "8 sims", "8 sims, 2,000 exact nodes"]
    _, plain, exact = (figure.share.value for figure in figures)
    assert plain > exact == 0


def test_exams_are_for_the_game_as_it_is() -> None:
    assert find_exam(load_game("connect_four")) is not None
    assert find_exam(load_game("connect_four:rows=5")) is None
    assert find_exam(load_game("pyrga")) is None


def test_an_exam_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    game = own_exam(tmp_path)
    file = tmp_path / "data" / "my_game.exam.toml"
    for text in ("sims = ", "sims = 8", "sims = 8\nset = 1\nsets = []"):
        file.write_text(text)
        with pytest.raises(UserError, match=r"cannot read .*my_game\.exam\.toml: "):
            find_exam(game)


def test_a_match_is_told_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludens.bench.exams.ROLLOUT_SIMS", 8)
    game = load_game("tic_tac_toe")
    net = new_net(game, TINY, 0)
    candidate = Candidate(game, net, net_settings({"sims": "4"}), 10, 6)
    (figure,) = examine_match(candidate)
    assert figure.num == 6
    assert figure.player == "4 sims"
    assert figure.share.low <= figure.share.value <= figure.share.high
    assert "won" in figure.note
    assert "Elo" in figure.note


def test_any_agent_is_met_by_the_net_alone_and_searching_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ludens.bench.exams.LADDER", (2, 4))
    game = load_game("tic_tac_toe")
    net = new_net(game, TINY, 0)
    candidate = Candidate(game, net, net_settings({}), 10, 4)
    figures = list(examine_against("random", candidate))
    assert [figure.player for figure in figures] == ["net alone", "2 sims", "4 sims"]
    assert {figure.what for figure in figures} == {"points against random"}
    assert {figure.num for figure in figures} == {4}
    assert all("Elo" in figure.note for figure in figures)
    one = replace(candidate, settings=net_settings({"sims": "3"}))
    players = [figure.player for figure in examine_against("random", one)]
    assert players == ["net alone", "3 sims"]


def test_tables_have_a_row_for_each_figure() -> None:
    figure = Figure(
        "wrong moves", "600 sims", share_of(7, 500), 500, "0.7 %", "7 wrong"
    )
    strength = Strength("connect_four", "iteration 40", 1234, "60 minutes.", (figure,))
    row = "wrong moves  600 sims  1.4 %  0.7-2.9 %  500  0.7 %       7 wrong"
    assert text_table(table(strength), 9).splitlines()[1] == row
    lines = markdown([strength]).splitlines()
    assert lines[0] == "## connect_four"
    assert lines[2] == "1,234 parameters. 60 minutes."
    assert lines[-1].startswith("| wrong moves | 600 sims | 1.4 % | 0.7-2.9 % |")
    learned = replace(strength, method="muzero")
    assert markdown([learned]).startswith("## connect_four, MuZero\n")


def test_settings_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'c_puct'"):
        read_agent("net:cpuct=2")
    with pytest.raises(UserError, match="not of 'mcts'"):
        read_agent("mcts")


def test_scores_are_told_next_to_players_without_a_net(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ludens.bench.exams.BASELINES", ("random", "greedy"))
    game = load_game(f"{GUESSING}:sides=9")  # as others have it compiled
    net = new_net(game, NetConfig(trunk="mlp", blocks=1, hidden=8, bins=11), 0)
    candidate = Candidate(game, net, net_settings({"sims": "4"}), 10, 6)
    figures = tuple(examine_scores(candidate))
    assert [f.player for f in figures] == ["4 sims", "net alone", "random", "greedy"]
    own, *others = figures
    assert own.behind is None
    for figure in others:
        assert figure.num == 6
        assert figure.low <= figure.median <= figure.high
        lead = own.mean.value - figure.mean.value
        assert figure.behind is not None
        assert figure.behind.value == pytest.approx(lead)
    strength = Strength("guessing", "iteration 0", 1, "", figures)
    head, *rows = text_table(table(strength), 9).splitlines()
    assert head.split()[:3] == ["player", "mean", "score"]
    assert len(rows) == 4
    assert rows[3].startswith("greedy ")
    assert markdown([strength]).count("\n| ") == 6
