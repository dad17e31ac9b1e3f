"""What is told of the speed of self-play."""

from selfplay import Speed, report


def speed(game: str, plain: float) -> Speed:
    return Speed(
        game=game,
        net="3 blocks x 32 channels",
        sims=64,
        threads=2,
        batch=128.0,
        bare_evals=20_000.0,
        evals=18_000.0,
        share=0.9,
        positions=245.0,
        cached_positions=250.0,
        plain_positions=plain,
        parts={"network": 0.9, "waiting": 0.1},
    )


def test_a_game_is_told_next_to_plain_python() -> None:
    lines = report(speed("connect_four", 24.5)).splitlines()
    assert lines[0].startswith("connect_four, 3 blocks x 32 channels, 64 simulations")
    assert lines[-1].split()[:2] == ["plain", "Python"]
    assert lines[-1].endswith("ours is 10.0x")


def test_triangle_is_told_next_to_published_moves() -> None:
    text = report(speed("triangle", 0.0))
    assert "plain Python" not in text
    last = text.splitlines()[-1]
    assert last.split()[:3] == ["AlphaTriangle", "2.0", "4.9"]
    assert last.endswith("ours is 50.0x")
