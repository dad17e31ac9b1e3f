"""Networks as agents: what they choose, which net it is, and what is shared."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faults.made_runs import make_run
from ludens import Game, UserError, load_game
from ludens.agents import agent_maker, make_agent
from ludens.agents.networks import NetChoice, share_net
from ludens.arena.match import Contest
from ludens.nets import shipped, weights
from ludens.nets.config import NetConfig
from ludens.nets.weights import load_net, new_net, save_net

GUESSING = str(Path(__file__).parents[1] / "search" / "guessing.py")
TINY = NetConfig(blocks=1, channels=4, hidden=8)
SHIPPED = sorted(shipped.PRETRAINED.glob(f"*{weights.SUFFIX}"))


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("tic_tac_toe")


@pytest.fixture
def file(game: Game, tmp_path: Path) -> Path:
    path = tmp_path / "one.safetensors"
    save_net(new_net(game, TINY, seed=1), path)
    return path


def test_a_net_searches_and_tells_what_it_found(game: Game, file: Path) -> None:
    state = game.new(seed=1)
    agent = make_agent(f"net:sims=60,weights={file}", game, seed=1)
    analysis = agent.analyse(state)
    assert (analysis.agent, analysis.visits) == ("net", 60)
    state.apply(agent.choose(state))
    assert agent.analyse(state).visits == 60  # some of them kept from the last tree


def test_a_net_with_search_takes_a_win_at_once(game: Game, file: Path) -> None:
    state = game.new(seed=1)
    state.apply_moves("a1 a2 b1 b2")
    agent = make_agent(f"net:sims=30,weights={file}", game, seed=1)
    assert state.action_name(agent.choose(state)) == "c1"


@pytest.mark.parametrize("is_named", [True, False])
def test_a_net_sees_what_it_has_learned_with(is_named: bool, tmp_path: Path) -> None:
    spec, file = "gomoku:size=5,threats=false", tmp_path / "old.safetensors"
    known, wider = (load_game(s, compiled=False) for s in (spec, "gomoku:size=5"))
    net = new_net(known, TINY, seed=1)
    named = {k: v for k, v in known.options.items() if is_named or k != "threats"}
    save_net(replace(net, card=replace(net.card, options=named)), file)
    for agent in ("policy:", "net:sims=8,"):
        one, two = (
            make_agent(f"{agent}weights={file}", game, 1) for game in (known, wider)
        )
        one_state, two_state = known.new(), wider.new()
        for _ in range(2):
            move = one.choose(one_state)
            assert two.choose(two_state) == move
            one_state.apply(move)
            two_state.apply(move)
    with pytest.raises(UserError, match="the net is for size=5, not for size=6"):
        make_agent(f"policy:weights={file}", load_game("gomoku:size=6"), 1)


def test_policy_plays_what_the_net_likes_best(game: Game, file: Path) -> None:
    state = game.new(seed=1)
    state.apply_moves("b2 a1")
    evaluate = share_net(game, NetChoice(weights=str(file)), 1).memory
    logits, values, *_ = evaluate(state.observe()[None])
    legal = state.legal_actions()
    likes = np.exp(logits[0, legal] - logits[0, legal].max())
    agent = make_agent(f"policy:weights={file}", game, seed=1)
    assert agent.choose(state) == legal[int(likes.argmax())]
    analysis = agent.analyse(state)
    priors = sorted(likes / likes.sum(), reverse=True)
    assert [move.prior for move in analysis.moves] == pytest.approx(priors, rel=1e-5)
    assert analysis.agent == "policy"
    assert analysis.utility == pytest.approx(float(values[0]))


def test_a_warm_policy_draws_lots_by_its_seed(game: Game, file: Path) -> None:
    state = game.new(seed=1)
    make = agent_maker(f"policy:weights={file},temperature=1", game)
    chosen = [make(seed).choose(state) for seed in range(30)]
    assert len(set(chosen)) > 2
    assert chosen == [make(seed).choose(state) for seed in range(30)]


def test_the_leaves_of_a_batch_change_no_proof(game: Game, file: Path) -> None:
    state = game.new(seed=1)
    state.apply_moves("a1 b2 c3")
    for leaf_batch in (1, 8):
        spec = f"net:sims=3000,leaf_batch={leaf_batch},weights={file}"
        assert make_agent(spec, game, seed=1).analyse(state).proof == "draw"


def test_a_net_searches_with_the_discount_it_has_learnt_with(tmp_path: Path) -> None:
    puzzle, file = load_game(GUESSING, compiled=False), tmp_path / "net.safetensors"
    save_net(new_net(puzzle, TINY, seed=1, search={"discount": 0.5}), file)
    state = puzzle.new(seed=1)

    def thinks(settings: str) -> float:
        agent = make_agent(f"net:sims=20,weights={file}{settings}", puzzle, seed=1)
        return agent.analyse(state).utility

    assert thinks("") == thinks(",discount=0.5") != thinks(",discount=1")


def test_a_learned_model_is_searched_a_leaf_at_a_time(game: Game) -> None:
    state = game.new(seed=1)

    def visits(settings: str) -> dict[str, int]:
        spec = f"net:weights=muzero,sims=64{settings}"
        found = make_agent(spec, game, seed=1).analyse(state)
        return {move.move: move.visits for move in found.moves}

    assert visits("") == visits(",leaf_batch=1") != visits(",leaf_batch=8")


def test_a_net_is_loaded_once(game: Game, file: Path) -> None:
    choice = NetChoice(weights=str(file))
    first = share_net(game, choice, 2).memory
    assert share_net(game, choice, 2).memory is first
    assert share_net(game, NetChoice(str(file), precision="f32"), 2).memory is not first
    save_net(new_net(game, TINY, seed=2), file)
    os.utime(file, ns=(1, 1))
    assert share_net(game, choice, 2).memory is not first


def test_a_match_of_nets_needs_no_file_once_begun(game: Game, file: Path) -> None:
    """A run that goes on may delete the net of a match."""
    agents = (f"net:sims=8,weights={file}", f"policy:weights={file},precision=f32")
    contest = Contest(game, agents, seed=3, threads=2)
    file.unlink()
    games = [played for pair in contest.play(3) for played in pair]
    assert len(games) == 6
    assert all(played.state.is_over for played in games)


def test_the_same_seed_gives_the_same_match_in_any_threads(
    game: Game, file: Path
) -> None:
    agents = (f"net:sims=20,weights={file}", "mcts:sims=20")

    def histories(threads: int) -> list[list[int | str]]:
        contest = Contest(game, agents, seed=3, threads=threads)
        return [list(p.state.history) for pair in contest.play(3) for p in pair]

    assert histories(1) == histories(3)


def test_threads_get_their_own_answers(game: Game, file: Path) -> None:
    evaluate = share_net(game, NetChoice(weights=str(file)), 3).memory
    planes = np.random.default_rng(1).random((3, 40, *game.observation_shape))
    planes = planes.astype(np.float32)
    alone = [evaluate(batch).logits.copy() for batch in planes]
    wrong: list[int] = []

    def ask(i: int) -> None:
        for _ in range(30):
            if not np.allclose(evaluate(planes[i]).logits, alone[i], atol=1e-5):
                wrong.append(i)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_run_lends_its_nets(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    make_run(tmp_path / "one", 3).close()
    state = game.new(seed=1)
    for name in ("one", "one@1"):
        agent = make_agent(f"net:sims=20,weights={name}", game, 0)
        assert agent.choose(state) in state.legal_actions()


def test_a_game_has_the_net_that_comes_with_it(
    game: Game, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    file.rename(tmp_path / "tic_tac_toe.safetensors")
    assert make_agent("net", game, 0).analyse(game.new(seed=1)).visits == 200


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("net", "no net comes with tic_tac_toe; name a file or a run, or train one: "),
        ("net:wieghts=x", "no setting 'wieghts'; did you mean 'weights'?"),
        ("net:sims=0", "sims cannot be '0'"),
        ("net:weights=no.safetensors", "there is no net no.safetensors"),
        ("net:weights=nobody", "there is no run 'nobody'"),
        ("net:weights={file},device=gpu", "device cannot be 'gpu'"),
        ("net:weights={file},precision=f8", "precision cannot be 'f8'"),
        ("policy:weights={file},sims=3", "policy has no setting 'sims'"),
        ("policy:weights={other}", "the net is for connect_four, not for tic_tac_toe"),
    ],
)
def test_a_mistake_is_one_line(
    game: Game,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spec: str,
    words: str,
) -> None:
    monkeypatch.setenv("LUDENS_RUNS", str(tmp_path))
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path / "none")
    other = tmp_path / "other.safetensors"
    save_net(new_net(load_game("connect_four", compiled=False), TINY, 1), other)
    with pytest.raises(UserError) as caught:
        make_agent(spec.format(file=file, other=other), game, 0)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


PLAY = """
import sys
from pathlib import Path
from ludens import load_game
from ludens.agents import make_agent
from ludens.nets.weights import check_net, load_net

for path in map(Path, sys.argv[1:]):
    net = load_net(path)
    game = load_game(net.card.game, options=net.card.options)
    check_net(net, game)
    state, agent = game.new(seed=1), make_agent(f"net:sims=4,weights={path}", game, 1)
    while not state.is_over and state.num_plies < 3:
        state.apply(agent.choose(state.copy()))
    assert "torch" not in sys.modules
    print(path)
"""


def test_nets_play_without_pytorch_and_those_that_ship_fit(file: Path) -> None:
    paths = [str(path) for path in (file, *SHIPPED)]
    command = [sys.executable, "-c", PLAY, *paths]
    plain = os.environ | {"LUDENS_COMPILE": "0"}  # six games take long to compile
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=plain
    )
    assert done.stdout.splitlines() == paths


def test_a_net_that_ships_is_the_one_of_its_game() -> None:
    for path in SHIPPED:
        card = load_net(path).card
        game = load_game(card.game, options=card.options, compiled=False)
        assert shipped.shipped_net(game, card.config.is_learned) == path
