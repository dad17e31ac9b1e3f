"""The figures of an iteration: what they are, and where each is found."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from small_trainings import load, train_tiny

import ludens.web
from ludens.learn.batches import TensorBatch
from ludens.learn.figures import step_figures
from ludens.learn.imagine import Said
from ludens.learn.losses import StepLosses
from ludens.nets.heads import Outputs
from ludens.report.curves import LEARNING, SELFPLAY, SPEED
from ludens.search.config import SearchConfig
from ludens.search.search import Search
from ludens.selfplay.share import FAST, FULL, NOT_SEARCHED, GameRecord
from ludens.track.naming import tag_of
from ludens.training.progress import thoughts_of

DOCS = Path(__file__).parents[2] / "docs" / "training.md"
PAGE = Path(ludens.web.__file__).parent / "static" / "plots.js"
FIGURES = (
    *("policy_entropy", "net_entropy", "kl", "value_error", "search_depth"),
    *("importance", "fast_share", "grad_norm", "weight_norm", "batch_fill"),
    *("sample_age", "sample_age_max", "clipped_share", "merged_share", "ready_share"),
)
SETS = ("replay.prioritised=true", "selfplay.fast_share=0.5", "evaluate.every=1")


def test_every_figure_is_kept_drawn_and_described(tmp_path: Path) -> None:
    witness = train_tiny(tmp_path / "run", "tic_tac_toe", 2, SETS)
    newest = witness.iterations[-1]
    assert set(FIGURES) <= newest.keys()
    drawn = {name for curves in (*LEARNING, *SELFPLAY, *SPEED) for name in curves.names}
    assert set(FIGURES) <= drawn
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in FIGURES if f"{name}:" not in page] == []
    described = set(re.findall(r"`(\w+)`", DOCS.read_text(encoding="utf-8")))
    plain = {name for name in newest if not name.startswith("loss_")}
    assert plain - described == set()
    assert tag_of("kl") == "learn/kl"
    assert 0 < newest["batch_fill"] <= 1
    assert newest["sample_age_max"] == 1
    assert newest["importance"] == pytest.approx(0.4 + 0.6 / 2)


def test_the_steps_of_learning_are_all_told(tmp_path: Path) -> None:
    witness = train_tiny(tmp_path / "run", "tic_tac_toe", 2)
    learned = [moment for moment in witness.moments if moment.phase == "learn"]
    steps = [step for moment in learned for step, _ in moment.points]
    taken = sum(int(one["steps"]) for one in witness.iterations)
    assert steps == list(range(1, taken + 1))
    assert learned[-1].points[-1][1]["loss"] == learned[-1].figures["loss"]


def test_of_many_steps_some_are_told_and_the_newest_is_one() -> None:
    taken = StepLosses()
    for number in range(1, 11):
        taken.note({"loss": torch.tensor(float(number))})
    wanted = [(step, {"loss": step - 100.0}) for step in (101, 104, 107, 110)]
    assert taken.points(110, 4) == wanted
    assert taken.points(110, 4) == []
    taken.note({"loss": torch.tensor(1.0)})
    assert taken.points(111, 4) == [(111, {"loss": 1.0})]


def test_depths_are_those_of_the_leaves() -> None:
    """Each simulation ends at a node, as deep as the node has parents."""
    game = load("tic_tac_toe")
    search = Search(game, SearchConfig(sims=60), num_games=2)
    search.reset(np.array([game.new().raw] * 2), [1, 2])
    search.run()
    depths = 0
    for g in range(2):
        nodes = search.forest.nodes[g, : search.forest.heads[g].num_nodes]
        ends = nodes["visits"].astype(int)
        np.subtract.at(ends, nodes["parent"][1:], nodes["visits"][1:])
        depth = np.zeros(len(nodes), int)
        for n in range(1, len(nodes)):
            depth[n] = depth[nodes["parent"][n]] + 1
        depths += int((ends * depth).sum())
    assert search.sum_of_depths(np.arange(2)) == depths > 120


def test_entropy_is_of_full_searches_and_the_share_of_fast_ones() -> None:
    policies = np.zeros((4, 4), np.float16)
    policies[1:] = [[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]
    game = GameRecord(
        number=0,
        seed=0,
        net=0,
        history=np.zeros(4, np.int32),
        kinds=np.array([NOT_SEARCHED, FULL, FAST, FULL], np.uint8),
        policies=policies,
        values=np.zeros(4, np.float32),
        result=0.0,
        is_over=True,
        ending="played",
    )
    found = thoughts_of([game])
    assert found["fast_share"] == pytest.approx(1 / 3)
    assert found["policy_entropy"] == pytest.approx((np.log(2) + np.log(4)) / 2)
    assert thoughts_of([]) == {}


def test_a_net_that_agrees_with_the_search_has_no_divergence() -> None:
    wanted = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, 0.0]])
    logits = torch.log(torch.tensor([[0.5, 0.5, 1e-9], [0.1, 0.1, 0.8], [1, 1, 1]]))
    outputs = Outputs(logits, torch.zeros(3, 3), None, None, None)
    batch = TensorBatch(
        planes=torch.zeros(3, 1, 1, 1),
        policies=wanted,
        policy_weights=torch.tensor([1.0, 0.0, 0.0]),
        values=torch.zeros(3),
        value_targets=torch.zeros(3, 3),
        value_weights=torch.tensor([0.5, 1.0, 0.0]),
        **dict.fromkeys(("ownership", "ownership_weights"), torch.zeros(3)),
        **dict.fromkeys(("plies_left", "replies", "reply_weights"), torch.zeros(3)),
    )
    said = Said(outputs=outputs)
    found = step_figures(said, batch, torch.tensor([0.1, 0.3, 9.0]))
    assert float(found["kl"]) == pytest.approx(0.0, abs=1e-6)
    assert float(found["net_entropy"]) == pytest.approx(np.log(2), rel=1e-5)
    assert float(found["value_error"]) == pytest.approx(0.2)
