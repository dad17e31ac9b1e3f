"""Learning from other people's games: what is read, how it is split, what it brings."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from small_trainings import TINY, WITH_CHANCE, Witness, begin, load, open_tiny

from ludens.cli import main
from ludens.errors import UserError
from ludens.formats.record import Record, save_record
from ludens.learn.config import LearnConfig, ReplayConfig
from ludens.learn.learner import Learner
from ludens.loading.game import Game, load_game
from ludens.nets.config import NetConfig
from ludens.nets.weights import new_net
from ludens.rng import numpy_rng
from ludens.selfplay.share import FAST, FULL
from ludens.solver.exact import Solver
from ludens.state import State
from ludens.training.records import (
    MAX_NAMED,
    Records,
    RecordWindows,
    pretrain,
    split_records,
)

TIC_TAC_TOE = load("tic_tac_toe")
Chooser = Callable[[State], int]


def solver_of(game: Game) -> Chooser:
    """Return one who plays best moves after two plies at random."""
    solver = Solver(game, memory_mb=8)

    def choose(state: State) -> int:
        if state.num_plies < 2:
            return at_random(state)
        return min(solver.solve(state).best)

    return choose


def at_random(state: State) -> int:
    rng = np.random.default_rng((state.seed or 0, state.num_plies))
    return int(rng.choice(state.legal_actions()))


def play(game: Game, seed: int, choose: Chooser = at_random, plies: int = 999) -> State:
    state = game.new(seed=seed)
    while not state.is_over and state.num_plies < plies:
        state.apply(choose(state))
    return state


def write_games(
    folder: Path, game: Game, count: int, choose: Chooser = at_random
) -> Path:
    """Play games and write them to a folder."""
    folder.mkdir(exist_ok=True)
    for seed in range(count):
        record = Record.of(play(game, seed, choose))
        save_record(record, folder / f"{Path(game.name).stem}-{seed:03}.json")
    return folder


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of games between perfect players."""
    folder = tmp_path_factory.mktemp("solved")
    return write_games(folder, TIC_TAC_TOE, 200, solver_of(TIC_TAC_TOE))


def windows_of(folder: Path, seed: int = 0, share: float = 0.2) -> RecordWindows:
    records = Records(TIC_TAC_TOE, folder)
    nothing = TIC_TAC_TOE.states(0)
    return split_records(records, ReplayConfig(), nothing, share, seed, [].append)


def numbers(windows: RecordWindows) -> tuple[set[int], set[int]]:
    train, validation = windows.train.state(), windows.validation.state()
    return set(train["games"].tolist()), set(validation["games"].tolist())


def test_a_record_is_a_game_whose_moves_and_result_are_learned(tmp_path):
    state = TIC_TAC_TOE.new()
    state.apply_moves("a1 b1 a2 b2 a3")
    for name in ("one.json", "two.json"):
        save_record(Record.of(state), tmp_path / name)
    played = Records(TIC_TAC_TOE, tmp_path).read()[0]
    assert played.history.tolist() == [0, 1, 3, 4, 6]
    assert played.policies.argmax(1).tolist() == [0, 1, 3, 4, 6]
    assert played.policies.sum(1).tolist() == [1] * 5
    assert (played.result, played.is_over, played.ending) == (1.0, True, "played")


def test_values_are_the_result_for_the_mover(tmp_path):
    for number, moves in enumerate(("a1 b1 a2 b2 a3", "a1 b1 c3 b2 a3 b3")):
        state = TIC_TAC_TOE.new()
        state.apply_moves(moves)
        save_record(Record.of(state), tmp_path / f"{number}.json")
    windows, won = windows_of(tmp_path), []
    for window in (windows.train, windows.validation):
        batch = window.sample(64, np.random.default_rng(0))
        own, other = batch.planes.sum((2, 3)).T
        results = set(np.where(own == other, batch.values, -batch.values).tolist())
        assert len(results) == 1
        won += results
    assert sorted(won) == [-1.0, 1.0]


def test_games_are_split_and_the_same_seed_splits_them_the_same(solved):
    train, validation = numbers(windows_of(solved))
    assert train | validation == set(range(200))
    assert not train & validation
    assert 20 <= len(validation) <= 70
    assert numbers(windows_of(solved)) == (train, validation)
    assert numbers(windows_of(solved, seed=1)) != (train, validation)


def test_the_same_game_twice_is_on_one_side(solved, tmp_path):
    for path in solved.glob("*.json"):
        for twin in "ab":
            (tmp_path / f"{path.stem}{twin}.json").write_bytes(path.read_bytes())
    for side in numbers(windows_of(tmp_path)):
        assert side == {2 * (n // 2) for n in side} | {2 * (n // 2) + 1 for n in side}


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_both_sides_have_games_whatever_the_share(tmp_path, share):
    folder = write_games(tmp_path, TIC_TAC_TOE, 4)
    assert all(numbers(windows_of(folder, share=share)))


def test_held_out_positions_are_on_neither_side(solved):
    start = TIC_TAC_TOE.states(1)
    start[0] = TIC_TAC_TOE.new().raw
    records = Records(TIC_TAC_TOE, solved)
    windows = split_records(records, ReplayConfig(), start, 0.2, 0, [].append)
    for window in (windows.train, windows.validation):
        batch = window.sample(300, np.random.default_rng(0))
        assert batch.planes.sum((1, 2, 3)).min() > 0


def test_what_is_left_out_is_said(tmp_path):
    game = load_game("connect_four:rows=4", compiled=False)
    write_games(tmp_path, TIC_TAC_TOE, 3)
    write_games(tmp_path, game, 6)
    save_record(Record.of(play(game, 9, plies=3)), tmp_path / "half.json")
    whole = load_game("connect_four", compiled=False)
    save_record(Record.of(play(whole, 0)), tmp_path / "whole.json")
    said: list[str] = []
    records = Records(game, tmp_path)
    split_records(records, ReplayConfig(), game.states(0), 0.2, 0, said.append)
    assert len(records.read()) == 6
    start = f"{tmp_path}: records left out because they are "
    assert sorted(said[:-1]) == [
        f"{start}not finished: 1",
        f"{start}of another game or other options: 4",
    ]
    assert "games to learn from" in said[-1]


def test_edited_games_are_left_out(tmp_path):
    game = load_game("pyrga", compiled=False)
    folder = write_games(tmp_path, game, 3)
    path = sorted(folder.iterdir())[0]
    written = json.loads(path.read_text())
    path.write_text(json.dumps(written | {"history": ["clear", *written["history"]]}))
    records = Records(game, folder)
    assert len(records.read()) == 2
    assert records.left_out == {"edited by hand": 1}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON"),
        ('{"game": "tic_tac_toe"}', "is not a game record: history: Field required"),
        (
            '{"game": "tic_tac_toe", "history": [0, 0]}',
            ": step 2: a1 is not legal here",
        ),
        (
            '{"game": "tic_tac_toe", "history": [0, 1, 3, 4, 6], "result": -1}',
            ": the record says result -1.0, the rules say 1.0",
        ),
    ],
)
def test_a_damaged_record_is_left_out_and_named(tmp_path, text, complaint):
    write_games(tmp_path, TIC_TAC_TOE, 3)
    path = tmp_path / "broken.json"
    path.write_text(text)
    records = Records(TIC_TAC_TOE, tmp_path)
    assert len(records.read()) == 3
    [[line]] = records.damage.values()
    assert line.startswith(str(path))
    assert complaint in line
    assert "\n" not in line


def test_damaged_files_are_counted_and_the_first_are_named(tmp_path):
    write_games(tmp_path, TIC_TAC_TOE, 6)
    for number in range(MAX_NAMED + 2):
        (tmp_path / f"{number}.sgf").write_text("(;GM[4]")
    said: list[str] = []
    records = Records(TIC_TAC_TOE, tmp_path)
    nothing = TIC_TAC_TOE.states(0)
    split_records(records, ReplayConfig(), nothing, 0.2, 0, said.append)
    count = MAX_NAMED + 2
    assert said[0] == f"{tmp_path}: damaged games left out: {count} in {count} files"
    why = "sgf: line 1: the file ends within a game"
    assert said[1 : MAX_NAMED + 1] == [
        f"  {tmp_path}/{number}.{why}" for number in range(MAX_NAMED)
    ]
    assert said[MAX_NAMED + 1] == "  and 2 files more"


def test_a_damaged_game_costs_no_other_of_its_file(tmp_path):
    lines = ["b2a1c3a3a2c2b1b3c1", "b2z9", "a1a1", "a1b2a2b3a3"]
    path = tmp_path / "games.txt"
    path.write_text("\n".join(["# tic_tac_toe; rows from the top", *lines]))
    records, said = Records(TIC_TAC_TOE, path), list[str]()
    assert len(records.read()) == 2
    nothing = TIC_TAC_TOE.states(0)
    split_records(records, ReplayConfig(), nothing, 0.5, 0, said.append)
    assert said[:2] == [
        f"{path}: damaged games left out: 2 in 1 file",
        f"  {path}: line 3: 'z9' is not a move such as h8 (and 1 more in it)",
    ]


def test_folders_of_mixed_files_are_read_by_rule_and_size(tmp_path):
    game = load_game("gomoku:size=9,rule=renju,history=1", compiled=False)
    below = tmp_path / "year" / "month"
    below.mkdir(parents=True)
    tree = "(;GM[4]SZ[9]RU[{}]RE[{}];B[ee];W[ef](;B[aa])(;B[bb]))"
    (tmp_path / "won.sgf").write_text(tree.format("renju", "W+R"))
    (below / "drawn.sgf").write_text(tree.format("", "0"))
    (below / "free.sgf").write_text(tree.format("freestyle", "B+R"))
    (below / "open.psq").write_text("Piskvorky 9x9, 0:0, 0\n5,5,0\n")
    (below / "large.psq").write_text("Piskvorky 15x15, 0:0, 0\n5,5,0\n")
    (below / "notes.md").write_text("no game")
    heard: list[tuple[int, int]] = []
    records = Records(game, tmp_path, lambda done, total: heard.append((done, total)))
    won, drawn = sorted(records.read(), key=lambda played: played.result)
    assert (won.result, won.is_over, won.ending) == (-1, False, "resigned")
    assert (drawn.result, drawn.history.tolist()) == (0, [40, 49, 0])
    assert records.left_out == {
        "of another game or other options": 2,
        "not finished": 1,
    }
    assert (records.damage, heard[-1]) == ({}, (5, 5))


def test_a_folder_with_too_little_is_refused(tmp_path):
    too_few = "has too few finished games of tic_tac_toe to learn from"
    with pytest.raises(UserError, match="there is no file, folder or run"):
        Records(TIC_TAC_TOE, tmp_path / "nowhere").read()
    with pytest.raises(UserError, match=rf"{too_few}$"):
        Records(TIC_TAC_TOE, tmp_path).read()
    save_record(Record.of(play(TIC_TAC_TOE, 1, plies=3)), tmp_path / "half.json")
    write_games(tmp_path, TIC_TAC_TOE, 1)
    with pytest.raises(UserError, match=rf"{too_few} \(1 not finished\)"):
        Records(TIC_TAC_TOE, tmp_path).read()


def test_one_game_in_two_files_is_too_little(tmp_path):
    for name in ("one.json", "two.json"):
        save_record(Record.of(play(TIC_TAC_TOE, 1)), tmp_path / name)
    with pytest.raises(UserError, match="has too few finished games"):
        windows_of(tmp_path)


def test_a_foul_shows_a_result_but_is_no_move_to_learn(tmp_path):
    game = load_game("gomoku:rule=renju,size=9", compiled=False)
    state = game.new()
    # Black has two pairs that cross at e5: a double three is a foul.
    state.apply_moves("e4 a1 e6 a3 d5 a5 f5 a7")
    state.apply("e5", allow_foul=True)
    assert (state.is_over, state.result) == (True, -1)
    for name in ("one.json", "two.json"):
        save_record(Record.of(state), tmp_path / name)
    played = Records(game, tmp_path).read()[0]
    assert played.kinds.tolist() == [FULL] * 8 + [FAST]


@pytest.fixture(scope="module")
def learned(solved: Path) -> tuple[Learner, dict[str, float], list[str]]:
    """Return a learner that has gone through perfect games, and what was said."""
    config = LearnConfig(batch_size=32, lr=0.01, warmup_steps=5, ema_decay=0.9)
    net = NetConfig(trunk="mlp", blocks=2, hidden=32)
    learner = Learner(new_net(TIC_TAC_TOE, net, 1), config, "cpu", threads=1)
    said: list[str] = []
    windows = windows_of(solved)
    metrics = pretrain(learner, windows, 12, 0, said.append, lambda: False)
    return learner, metrics, said


def losses(said: list[str]) -> list[float]:
    return [float(line.split("in validation ")[1].split()[0]) for line in said]


def test_the_loss_in_validation_falls(learned):
    _, metrics, said = learned
    assert len(said) == 12
    assert min(losses(said)) < 0.9 * losses(said)[0]
    assert metrics["records_validation"] == pytest.approx(min(losses(said)), abs=1e-3)
    assert np.isfinite(list(metrics.values())).all()


def test_the_weights_of_the_best_epoch_are_kept(learned, solved):
    learner, metrics, said = learned
    best = int(metrics["records_epoch"])
    assert losses(said)[best - 1] == min(losses(said))
    validation = windows_of(solved).validation
    batches = max(1, validation.num_samples // 32)
    again = learner.measure(validation, batches, numpy_rng(0, "validating"))
    assert again["loss"] == pytest.approx(metrics["records_validation"], abs=1e-6)


def test_epochs_that_bring_nothing_are_forgotten(solved):
    config = LearnConfig(batch_size=32, lr=10.0, warmup_steps=40, ema_decay=0.0)
    net = NetConfig(trunk="mlp", blocks=2, hidden=32)
    learner = Learner(new_net(TIC_TAC_TOE, net, 1), config, "cpu", threads=1)
    said: list[str] = []
    metrics = pretrain(learner, windows_of(solved), 5, 0, said.append, lambda: False)
    steps_an_epoch = windows_of(solved).train.num_samples // 32
    assert metrics["records_epoch"] < 5
    assert learner.num_steps == metrics["records_epoch"] * steps_an_epoch


SETS = ("learn.records_epochs=2", "learn.uses=1")


def test_a_run_goes_on_from_the_records_by_playing(tmp_path, solved):
    sets = (*SETS, "evaluate.solved_positions=8", "evaluate.every=1")
    witness, records = Witness(), Records(TIC_TAC_TOE, solved)
    with open_tiny(tmp_path, TIC_TAC_TOE, [*sets, "budget.iterations=2"]) as run:
        training = begin(run, witness)
        training.learn_from_records(records)
        taught = run.last()
        training.train()
        assert run.newest_iteration == 2
        assert run.totals().games == witness.iterations[1]["games"] > 0
    first, second = witness.iterations
    assert (first["iteration"], second["iteration"]) == (1, 2)
    assert {"records_loss", "records_validation", "truth_net", "elo"} <= set(first)
    assert "games" not in first
    assert {"games", "loss"} <= set(second)
    assert taught is not None
    assert taught.net.card.iteration == 1
    assert taught.tensors["num_steps"] > 0


def test_the_same_command_does_not_go_through_the_records_again(tmp_path, solved):
    with open_tiny(tmp_path, TIC_TAC_TOE, [*SETS, "budget.iterations=2"]) as run:
        begin(run).learn_from_records(Records(TIC_TAC_TOE, solved))
        before = run.last()
        witness = Witness()
        training = begin(run, witness)
        training.learn_from_records(Records(TIC_TAC_TOE, tmp_path / "gone"))
        assert witness.said == [
            "the run has begun already; it does not go through the records again"
        ]
        assert training.iteration == 1
        training.train()
        assert [m["iteration"] for m in witness.iterations] == [2]
        after = run.last()
    assert after.tensors["num_steps"] > before.tensors["num_steps"]


def test_stopped_in_the_records_nothing_is_kept(tmp_path, solved):
    witness = Witness()

    def should_stop() -> bool:
        return any(line.startswith("records, epoch 1") for line in witness.said)

    with open_tiny(tmp_path, TIC_TAC_TOE, SETS) as run:
        training = begin(run, witness, should_stop)
        training.learn_from_records(Records(TIC_TAC_TOE, solved))
        training.train()
        assert run.newest_iteration == 0
    assert not any("epoch 2" in line for line in witness.said)


@pytest.mark.parametrize("spec", WITH_CHANCE)
def test_games_with_chance_and_for_one_are_learned_too(tmp_path, spec):
    game = load(spec)
    folder = write_games(tmp_path / "games", game, 6)
    sets = [*SETS, "net.bins=21"]
    with open_tiny(tmp_path / "run", game, sets) as run:
        witness = Witness()
        begin(run, witness).learn_from_records(Records(game, folder))
    (metrics,) = witness.iterations
    assert np.isfinite(metrics["records_validation"])
    assert metrics["published"]


def test_scores_are_learned_from_rewards_alone(tmp_path):
    game = load("triangle")
    records = Records(game, write_games(tmp_path, game, 2))
    replay = ReplayConfig(n_steps=3)  # would look up what a search thought
    windows = split_records(records, replay, game.states(0), 0.5, 0, [].append)
    by_number = {played.number: played for played in records.read()}
    for window in (windows.train, windows.validation):
        (number,) = window.state()["games"].tolist()
        batch = window.sample(500, np.random.default_rng(0))
        assert batch.values.max() == pytest.approx(by_number[number].result, rel=1e-4)


def run_train(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run a small `ludens train`; return its exit code and what it printed."""
    sets = [word for one in (*TINY, *SETS) for word in ("--set", one)]
    with pytest.raises(SystemExit) as left:
        main(["train", "tic_tac_toe", *sets, *map(str, arguments)])
    printed = capsys.readouterr()
    return f"{left.value.code}: {printed.out}{printed.err}"


def test_the_command_learns_from_records_first(tmp_path, solved, capsys):
    arguments = ("--run", tmp_path / "run", "--records", solved)
    told = run_train(capsys, *arguments, "--iterations", 1)
    assert told.startswith("0: ")
    assert "records, epoch 2: loss" in told


def test_bad_records_are_one_line_and_no_run_is_made(tmp_path, capsys):
    records = write_games(tmp_path / "games", TIC_TAC_TOE, 1)
    (records / "bad.json").write_text("[]")
    for folder in (records, tmp_path / "none"):
        arguments = ("--run", tmp_path / "run", "--records", folder)
        told = run_train(capsys, *arguments)
        assert told.startswith("2: ludens: ")
        assert told.count("\n") == 1
        assert str(folder) in told
    assert not (tmp_path / "run").exists()


def test_a_file_of_arrays_is_no_file_of_records(tmp_path):
    file = tmp_path / "games.safetensors"
    file.write_bytes(b"")
    with pytest.raises(UserError, match=r"is no file of games .* selfplay --run NAME"):
        Records(TIC_TAC_TOE, file).read()
