"""Check that what is said to change the observation alone leaves the game as it is."""

from random import Random

from ludens.check.report import Notes
from ludens.loading.game import Game
from ludens.loading.options import Option, OptionValue

MOST_STEPS = 50


def check_observed(game: Game, notes: Notes, seed: int) -> None:
    """Play a game with and without each option that is only observed."""
    for option in game.declared.values():
        if option.only_observed:
            other = game.variant({option.name: _other(option, game)})
            if not _is_same(game.variant({}), other, Random(seed)):
                notes.add("only-observed", f"it is {option.name}")


def _other(option: Option, game: Game) -> OptionValue:
    value = game.options[option.name]
    return option.default if value == option.off else option.off


def _is_same(one: Game, two: Game, rng: Random) -> bool:
    """Tell whether two games have the same states and moves, played at random."""
    sizes = [(g.plain.STATE, g.num_actions, g.plain.SHAPE) for g in (one, two)]
    if sizes[0] != sizes[1]:
        return False
    seed = rng.randrange(2**32)
    state, twin = one.new(seed), two.new(seed)
    for _ in range(MOST_STEPS):
        if state.raw.tobytes() != twin.raw.tobytes() or state.score != twin.score:
            return False
        if state.is_over:
            break
        actions = state.legal_actions()
        if actions != twin.legal_actions():
            return False
        action = rng.choice(actions)
        state.apply(action)
        twin.apply(action)
    return True
