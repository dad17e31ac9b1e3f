"""What travels is plain bytes; what a worker brings is checked like a stranger's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from played_shares import (
    GAME,
    SEARCH,
    SELFPLAY,
    answer,
    evaluate,
    play,
    second_share,
    task_of,
)

from ludens.cluster.checking import is_result
from ludens.cluster.jobs import ShareJob, portable_spec
from ludens.cluster.wire import pack, unpack
from ludens.cluster.worker import Worker
from ludens.loading.game import load_game
from ludens.selfplay.share import GameRecord, Share, SharePlayed, Tally, Trace
from ludens.store.games import record_of, row_of
from ludens.store.stage import games_of

PLAYED = play(second_share())


def rows(played: SharePlayed) -> list[Any]:
    return [row_of(one, 0) for one in (*played.games, *played.unfinished)]


def test_a_job_says_all_that_decides_a_share() -> None:
    facts, contents = unpack(task_of(second_share()).to_bytes())
    job = ShareJob.of(facts, contents)
    assert (job.search, job.selfplay) == (SEARCH, SELFPLAY)
    assert job.game == portable_spec(GAME)
    assert rows(play(job.share)) == rows(PLAYED)


def test_what_a_worker_brings_is_what_it_played() -> None:
    brought, figures = task_of(second_share()).read(answer(PLAYED))
    assert rows(brought) == rows(PLAYED)
    assert (brought.tally, brought.next_game) == (PLAYED.tally, PLAYED.next_game)
    assert figures["positions"] == PLAYED.tally.positions


POLICIES = 3
"""Which of the contents of an answer the policies of its first game are."""


def padded(content: bytes) -> bytes:
    """Return what was packed with 100 kB of blocks that come to nothing."""
    return content[:2] + b"\0\0\0\xff\xff" * 20_000 + content[2:]


@pytest.mark.parametrize(
    ("change", "told", "is_kept"),
    [
        (lambda content: content, {}, True),
        (lambda content: content, {"zlib": "another"}, False),
        (lambda content: content + b"what nobody reads", {}, False),
        (lambda content: content[:-1], {}, False),
        (padded, {}, False),
    ],
)
def test_policies_stay_packed_only_as_we_pack_them(
    change: Callable[[bytes], bytes], told: dict[str, str], is_kept: bool
) -> None:
    facts, contents = unpack(answer(PLAYED))
    contents[POLICIES] = change(contents[POLICIES])
    brought, _ = task_of(second_share()).read(pack({**facts, **told}, contents))
    assert (brought.games[0].packed is not None) == is_kept
    assert rows(brought) == rows(PLAYED)


def test_other_policies_are_packed_anew() -> None:
    brought, _ = task_of(second_share()).read(answer(PLAYED))
    other = replace(brought.games[0], policies=brought.games[0].policies / 2)
    kept = record_of(row_of(other, 0)).policies
    assert np.array_equal(kept, other.policies)


def test_an_answer_is_not_larger_than_an_honest_one_may_be() -> None:
    task = task_of(second_share())
    assert len(answer(PLAYED)) < task.max_bytes < 2**22


def changed(**new: Any) -> Callable[[GameRecord], GameRecord]:
    return lambda one: replace(one, **new)


def illegal(one: GameRecord) -> GameRecord:
    history = one.history.copy()
    history[-1] = history[0]
    return replace(one, history=history)


def with_values(value: float) -> Callable[[GameRecord], GameRecord]:
    return lambda one: replace(one, values=np.full_like(one.values, value))


def wider(one: GameRecord) -> GameRecord:
    return replace(one, policies=np.pad(one.policies, ((0, 0), (0, 1))))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (changed(seed=5), "another seed"),
        (changed(net=9), "another seed or net"),
        (changed(number=10**6), "not of the share"),
        (changed(result=0.25), "another result"),
        (changed(ending="cut"), "does not end as it says"),
        (changed(is_over=False), "does not end where it says"),
        (illegal, "does not follow the rules"),
        (with_values(3.0), "absurd values"),
        (with_values(np.nan), "not finite"),
        (wider, "other actions"),
        (lambda one: replace(one, policies=one.policies * 0), "policies that are none"),
    ],
)
def test_a_game_that_cannot_have_been_played_is_refused(
    change: Callable[[GameRecord], GameRecord], why: str
) -> None:
    games = [*PLAYED.games[:-1], change(PLAYED.games[-1])]
    with pytest.raises(ValueError, match=why):
        task_of(second_share()).read(answer(replace(PLAYED, games=games)))


def another_beginning(played: SharePlayed) -> SharePlayed:
    number = second_share().unfinished[0].number
    games = [
        replace(one, values=one.values / 2 + 0.25) if one.number == number else one
        for one in played.games
    ]
    return replace(played, games=games)


def without_end(played: SharePlayed) -> SharePlayed:
    """Return a share that would have begun more games than memory holds."""
    many = 10**12
    tally = replace(played.tally, dropped=many)
    next_game = played.next_game + many * second_share().stride
    return replace(played, tally=tally, next_game=next_game)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda p: replace(p, games=p.games[:-1]), "another number of games"),
        (lambda p: replace(p, unfinished=p.unfinished * 2), "another number of games"),
        (lambda p: replace(p, tally=replace(p.tally, positions=10**9)), "positions"),
        (lambda p: replace(p, tally=replace(p.tally, positions=21)), "positions"),
        (lambda p: replace(p, next_game=10**7), "not of the share"),
        (without_end, "need not drop"),
        (lambda p: replace(p, games=p.games * 20), "are possible"),
        (lambda p: replace(p, tally=Tally(positions=-1)), "no counts"),
        (another_beginning, "does not go on as it began"),
    ],
)
def test_a_share_that_cannot_have_been_played_is_refused(
    change: Callable[[SharePlayed], SharePlayed], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        task_of(second_share()).read(answer(change(PLAYED)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda p: p, ""),
        (lambda p: replace(p, games=p.games[1:]), "another number of games"),
        (lambda p: replace(p, next_game=p.next_game + 1), "not of the share"),
        (lambda p: replace(p, unfinished=p.games[:1]), "4 are possible"),
    ],
)
def test_a_share_of_whole_games_has_them_all(
    change: Callable[[SharePlayed], SharePlayed], why: str
) -> None:
    share = Share(0, 7, 0, 5, stride=1, slots=2, quota=0, num_games=4)
    brought = answer(change(play(share)))
    if not why:
        assert len(task_of(share).read(brought)[0].games) == 4
        assert len(brought) < task_of(share).max_bytes
        return
    with pytest.raises(ValueError, match=why):
        task_of(share).read(brought)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 100,
        (2**40).to_bytes(8, "little") + b"{}",
        pack({}),
        pack({"rows": [[1]], "num_finished": 1, "tally": {}, "next_game": 1}),
        pack({"rows": 5, "num_finished": 1, "tally": {"lies": 1}, "next_game": 1}),
        answer(PLAYED)[:-1],
        answer(PLAYED) + b"x",
        answer(PLAYED, seconds=-1),
        answer(PLAYED, seconds="long"),
    ],
)
def test_bytes_that_are_no_answer_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="it"):
        task_of(second_share()).read(content)


@pytest.mark.parametrize(
    ("result", "is_true"), [(sum([0.01] * 13), True), (0.2, False)]
)
def test_the_score_of_an_episode_is_the_sum_of_its_rewards(
    result: float, is_true: bool
) -> None:
    game, num = load_game("gym:CartPole-v1"), 13
    trace = Trace(
        np.zeros((num + 1, 4), np.float32),
        np.ones((num + 1, 2), np.bool_),
        np.zeros(num + 1, np.int8),
        np.full(num, 0.01, np.float32),
    )
    one = replace(PLAYED.games[0], result=result, trace=trace)
    assert is_result(game, one, game.states(1)[0]) == is_true


def test_a_worker_shows_games_while_it_plays_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker, seen = Worker("cpu", "f32", 1), list[Any]()

    def look_on(planes: Any) -> Any:
        seen.append(unpack(worker.progress(2))[0]["seen"])
        return evaluate(planes)

    monkeypatch.setattr(worker, "_evaluator", lambda *_: look_on)
    task = task_of(second_share())
    worker.play(task.to_bytes(), *task.nets.values())
    assert {len(games) for games in seen} == {2}
    assert any(games_of(games)[0].history for games in seen)
    assert unpack(worker.progress(2))[0]["seen"] == []
