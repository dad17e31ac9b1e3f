"""Who plays what: every job is done once, by whoever is there."""

from ludens.cluster.schedule import Schedule


def make_schedule(jobs: int, **workers: int) -> Schedule:
    schedule = Schedule()
    for job in range(jobs):
        schedule.add(job)
    for worker, slots in workers.items():
        schedule.join(worker, slots)
    return schedule


def give_all(schedule: Schedule, now_s: float = 0.0) -> list[tuple[str, int]]:
    given = []
    while one := schedule.next(now_s):
        given.append(one)
    return given


def test_a_worker_has_no_more_jobs_at_a_time_than_threads() -> None:
    schedule = make_schedule(5, a=2, b=1)
    given = give_all(schedule)
    assert [job for _, job in given] == [0, 1, 2]
    assert sorted(worker for worker, _ in given) == ["a", "a", "b"]
    assert schedule.num_waiting == 2


def test_only_the_first_result_of_a_job_counts() -> None:
    schedule = make_schedule(1, a=1)
    give_all(schedule)
    assert schedule.finish("a", 0, 1.0)
    assert not schedule.finish("a", 0, 1.0)


def test_the_jobs_of_a_dead_worker_are_given_to_another_first_of_all() -> None:
    schedule = make_schedule(3, a=1)
    assert give_all(schedule) == [("a", 0)]
    schedule.leave("a")
    schedule.join("b", 1)
    assert give_all(schedule) == [("b", 0)]
    assert not schedule.finish("b", 1, 1.0)


def test_a_late_job_is_also_given_to_an_idle_worker_once() -> None:
    schedule = make_schedule(4, a=1, b=1)
    for now_s in (0.0, 10.0):
        assert len(give_all(schedule, now_s)) == (2 if now_s == 0 else 1)
        schedule.finish("b", 1 + int(now_s / 10), now_s + 10)
    assert give_all(schedule, 20.0) == [("b", 3)]
    schedule.finish("b", 3, 30.0)
    assert give_all(schedule, 30.0) == [("b", 0)]  # a has had it for long
    assert schedule.is_twice(0)
    assert give_all(schedule, 90.0) == []
    assert schedule.finish("b", 0, 95.0)
    assert not schedule.finish("a", 0, 99.0)


def test_a_job_played_twice_waits_for_the_other_if_one_worker_dies() -> None:
    schedule = make_schedule(4, a=1, b=1)
    give_all(schedule)
    for job in (1, 2, 3):
        schedule.finish("b", job, 10.0 * job)
        give_all(schedule, 10.0 * job)
    schedule.leave("a")
    assert schedule.num_waiting == 0
    assert schedule.finish("b", 0, 50.0)


def test_a_job_that_nobody_wants_any_more_is_not_given() -> None:
    schedule = make_schedule(2, a=1)
    give_all(schedule)
    for job in (0, 1):
        schedule.drop(job)
    assert not schedule.finish("a", 0, 1.0)
    assert give_all(schedule) == []
