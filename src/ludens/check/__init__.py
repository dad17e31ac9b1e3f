"""Check a game against its contract by playing it at random."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic, thread_time

from ludens.check import forcing, mirror, people, symmetry, turns
from ludens.check.constants import check_constants, check_words, constants_of
from ludens.check.fast import play_fast
from ludens.check.observed import check_observed
from ludens.check.probe import Abandoned, Memory, Probe
from ludens.check.report import Finding, Notes, Report
from ludens.game import CHANCE, OVER, Rules
from ludens.loading.game import Game, load_game

__all__ = ["Finding", "Report", "check_game"]

Check = Callable[[Probe], None]

THOROUGH_GAMES = 24
THOROUGH_S = 2.0  # of computing: plain Python may be slow, and others may be busy
_MAX_STEPS = 1000  # of a game that is looked at; whether it ends is seen at full speed
_MAX_ABANDONED = 3
_PEOPLE_SHARE = 0.2  # of the positions are drawn, named and clicked


def check_game(game: Game | str, games: int = 1000, seed: int = 0) -> Report:
    """Play random games and report where the rules break their contract.

    A few games are looked at position by position, as plain Python and compiled, which
    must agree byte for byte. Then `games` games are played at full speed with the cheap
    checks. The same seed gives the same games.
    """
    start = monotonic()
    game = load_game(game) if isinstance(game, str) else game
    game.require_rules("this check")
    notes = Notes()
    check_constants(game, notes)
    before = constants_of(game)
    if not notes.findings:
        check_observed(game, notes, seed)
    for stage in (_play_plain, _play_compiled, play_fast):
        if not notes.is_broken:
            stage(game, notes, games, seed)
    for name, value in constants_of(game).items():
        if before.get(name) != value:
            notes.add("globals-changed", f"it is {name}")
    check_words(game, notes)
    found = tuple(notes.findings.values())
    elapsed_s = monotonic() - start
    return Report(game.spec, found, notes.num_games, notes.num_positions, elapsed_s)


def _play_plain(game: Game, notes: Notes, games: int, seed: int) -> None:
    """Look at everything with the rules as plain Python."""
    _play_thoroughly(game, game.plain, notes, games, seed, with_people=True)


def _play_compiled(game: Game, notes: Notes, games: int, seed: int) -> None:
    """Look at more positions with the rules compiled."""
    if game.compiled:
        _play_thoroughly(game, game.rules, notes, games, seed, with_people=False)


def _play_thoroughly(
    game: Game, rules: Rules, notes: Notes, games: int, seed: int, with_people: bool
) -> None:
    memory, abandoned = Memory(), 0
    end = thread_time() + THOROUGH_S
    for index in range(min(games, THOROUGH_GAMES)):
        probe = Probe(game, rules, notes, memory, seed, index)
        notes.num_games += 1
        try:
            _play_one(probe, end, with_people)
        except Abandoned:
            abandoned += 1
            notes.is_broken = True
        if index == 0:  # which had to wait for the compiler
            end = thread_time() + THOROUGH_S
        if abandoned == _MAX_ABANDONED or thread_time() > end:
            return


def _play_one(probe: Probe, end: float, with_people: bool) -> None:
    """Play one game, every position checked; leave it when the time is over."""
    turns.check_start(probe)
    if probe.index == 0:
        symmetry.check_permutations(probe)
    while thread_time() < end and len(probe.history) < _MAX_STEPS:
        probe.notes.num_positions += 1
        turns.check_turn(probe)
        for check in _checks_for(probe):
            check(probe)
        if with_people:
            _check_for_people(probe)
        if probe.turn == OVER:
            return
        _advance(probe)


def _advance(probe: Probe) -> None:
    """Play what the checks have chosen."""
    if probe.turn == CHANCE:
        probe.call("apply_chance", probe.record, probe.step)
    else:
        probe.call("apply", probe.record, probe.step)
        probe.num_plies += 1
    probe.history.append(probe.step)
    if 0 < probe.game.plain.MAX_PLIES < probe.num_plies:
        probe.stop("too-long", f"MAX_PLIES is {probe.game.plain.MAX_PLIES}")


def _checks_for(probe: Probe) -> Sequence[Check]:
    """Return the checks for a player's turn, chance's turn or the end."""
    kind = _KIND.get(probe.turn, 0)
    with_mirror = probe.game.compiled and probe.rules is probe.game.plain
    return [*_RULES[kind], symmetry.check_symmetry, *_MIRROR[kind][:with_mirror]]


def _check_for_people(probe: Probe) -> None:
    """Check names and drawings now and then; the game goes on without them."""
    at_an_end = not probe.history or probe.turn == OVER
    if at_an_end or probe.rng.random() < _PEOPLE_SHARE:
        for check in _PEOPLE[_KIND.get(probe.turn, 0)]:
            with suppress(Abandoned):
                check(probe)


_KIND = {CHANCE: 1, OVER: 2}
_OF_A_PLAYER = (*turns.PLAYER_CHECKS, forcing.check_forcing)
_RULES = (_OF_A_PLAYER, turns.CHANCE_CHECKS, turns.END_CHECKS)
_PEOPLE = (people.PLAYER_CHECKS, people.CHANCE_CHECKS, people.END_CHECKS)
_MIRROR = ((mirror.check_player,), (mirror.check_chance,), (mirror.check_end,))
