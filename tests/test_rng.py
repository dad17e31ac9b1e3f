"""One law of randomness, and random numbers for kernels: ranges and moments."""

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ludens.rng import (
    Rng,
    below,
    fraction,
    gamma,
    gumbel,
    kernel_rng,
    key,
    next_word,
    normal,
    numpy_rng,
    pick,
    sub_seed,
    uniform,
)

COUNT = 20_000
SOURCE = Path(__file__).parent.parent / "src" / "ludens"
LAW = {"key", "sub_seed", "uniform", "kernel_rng", "numpy_rng"}
"""What takes a seed, a purpose and numbers."""
KEY = 17583462840173989397


def calls_of(file: Path) -> Iterator[tuple[str, ast.Call]]:
    """Give the calls in a file, each with the last word of what is called."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2], node


def files() -> Iterator[tuple[str, Path]]:
    for file in SOURCE.rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        if name != "rng.py":
            yield name, file


def test_all_randomness_is_made_in_one_file() -> None:
    makers = {"default_rng", "SeedSequence", "RandomState", "PCG64", "randbits"}
    found = [(name, call) for name, file in files() for call, _ in calls_of(file)]
    assert [one for one in found if one[1] in makers | {"randbelow"}] == []


def test_every_purpose_is_a_word_that_one_place_uses() -> None:
    purposes: Counter[str] = Counter()
    for name, file in files():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "ludens.rng"
            for alias in node.names
        }
        for call, node in calls_of(file):
            if call in LAW & imported and isinstance(node.func, ast.Name):
                purpose = node.args[1]
                assert isinstance(purpose, ast.Constant), name
                assert isinstance(purpose.value, str), name
                assert purpose.value.isalpha(), name
                purposes[purpose.value] += 1
    assert len(purposes) > 20
    assert {word for word, count in purposes.items() if count > 1} == set()


def test_a_key_depends_on_seed_purpose_and_numbers_and_their_order() -> None:
    keys = {
        key(seed, purpose, *numbers)
        for seed in (0, 1, 11, 2**64 - 1)
        for purpose in ("dice", "move")
        for numbers in ((), (0,), (1,), (11,), (1, 1), (0, 1), (1, 0), (-1,), (0, 0))
    }
    assert len(keys) == 4 * 2 * 9
    assert all(0 <= one < 2**64 for one in keys)


def test_a_key_stays_what_it_is() -> None:
    """Runs go on, and games with a seed are dealt alike, in every version."""
    assert key(7, "dice", 3) == KEY
    assert key(np.int64(7), "dice", np.int32(3)) == KEY  # type: ignore[arg-type]


def test_what_stands_on_a_key() -> None:
    assert sub_seed(7, "dice", 3) == KEY >> 11
    assert uniform(7, "dice", 3) == (KEY >> 11) / 2**53
    assert kernel_rng(7, "dice", 3).tolist() == [KEY]
    twin = np.random.default_rng(KEY)
    assert numpy_rng(7, "dice", 3).random() == twin.random()


def test_keys_of_neighbours_are_even() -> None:
    numbers = np.array([uniform(1, "dice", n) for n in range(COUNT)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert numbers.mean() == pytest.approx(0.5, abs=0.01)
    assert np.corrcoef(numbers[:-1], numbers[1:])[0, 1] == pytest.approx(0, abs=0.03)


def drawn(draw: Callable[[Rng], float], count: int = COUNT) -> NDArray[np.float64]:
    """Return many numbers of one generator."""
    rng = np.array([2026], np.uint64)
    with np.errstate(over="ignore"):
        return np.array([draw(rng) for _ in range(count)])


def test_words_are_those_of_splitmix64() -> None:
    """The first words for seed 1234567, from Vigna's reference program."""
    rng = np.array([1234567], np.uint64)
    with np.errstate(over="ignore"):
        words = [int(next_word(rng)) for _ in range(3)]
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_fractions_are_even() -> None:
    numbers = drawn(fraction)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert numbers.mean() == pytest.approx(0.5, abs=0.01)
    assert numbers.var() == pytest.approx(1 / 12, rel=0.03)


def test_below_is_even() -> None:
    counts = np.bincount(drawn(lambda rng: below(rng, 7)).astype(int))
    assert counts == pytest.approx([COUNT / 7] * 7, rel=0.06)


def test_pick_follows_the_probabilities_and_never_takes_what_cannot_be() -> None:
    chances = np.array([0.0, 0.5, 0.2, 0.0, 0.3, 0.0])
    counts = np.bincount(drawn(lambda rng: pick(rng, chances, 6)).astype(int))
    assert counts / COUNT == pytest.approx([0, 0.5, 0.2, 0, 0.3], abs=0.012)


def test_normal_numbers_have_their_moments() -> None:
    numbers = drawn(normal)
    assert numbers.mean() == pytest.approx(0, abs=0.03)
    assert numbers.var() == pytest.approx(1, rel=0.04)
    assert (numbers**4).mean() == pytest.approx(3, rel=0.1)


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 4.5])
def test_gamma_numbers_have_their_moments(shape: float) -> None:
    numbers = drawn(lambda rng: gamma(rng, shape))
    assert numbers.min() >= 0
    assert numbers.mean() == pytest.approx(shape, rel=0.1)
    assert numbers.var() == pytest.approx(shape, rel=0.15)


def test_gumbel_numbers_have_their_moments() -> None:
    numbers = drawn(gumbel)
    assert np.isfinite(numbers).all()
    assert numbers.mean() == pytest.approx(0.5772, abs=0.03)
    assert numbers.var() == pytest.approx(math.pi**2 / 6, rel=0.05)
    assert np.median(numbers) == pytest.approx(-math.log(math.log(2)), abs=0.03)
