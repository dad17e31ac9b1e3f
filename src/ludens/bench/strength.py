"""The measured strength of nets: `ludens bench strength`."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from ludens.agents import AGENTS, agent_maker, search_of
from ludens.bench.exams import (
    Candidate,
    examine_against,
    examine_match,
    examine_positions,
    examine_scores,
)
from ludens.bench.figures import Measured, Strength, markdown, table
from ludens.bench.solved import find_exam
from ludens.errors import UserError, nearest
from ludens.formats.strict import to_json
from ludens.formats.tables import text_table
from ludens.loading.game import Game, load_game, parse_spec
from ludens.loading.options import OptionValue
from ludens.log import say
from ludens.nets.fitting import fit_net
from ludens.nets.shipped import shipped_files
from ludens.nets.weights import Net, load_net, num_parameters
from ludens.search.config import read_search_config, search_options
from ludens.store.finding import find_net

MATCH_GAMES = 100
SCORED_GAMES = 200
"""A score varies more than a result."""
Exam = Callable[[Candidate], Iterator[Measured]]


def measure(
    spec: str,
    weights: str,
    settings: Mapping[str, OptionValue],
    num_positions: int,
    num_games: int,
    opponent: str = "",
) -> Strength:
    """Measure a net of a game: a file, a run, or "" for the one that ships.

    With an opponent, by matches against it.
    """
    game = load_game(spec)
    exam = _exam(game, opponent)
    path = find_net(weights, game)
    net, game = fit_net(load_net(path), game)
    num_games = num_games or (SCORED_GAMES if game.num_players == 1 else MATCH_GAMES)
    given = net_settings({**search_of(net.card), **settings})
    candidate = Candidate(game, net, given, num_positions, num_games, _tell)
    _tell(f"{game.spec}: {path.name}, iteration {net.card.iteration}")
    figures = tuple(_ask(exam, candidate))
    return _about(game, net, figures)


def read_agent(text: str) -> dict[str, OptionValue]:
    """Return how a net searches, from text such as net:c_puct=2."""
    name, given = parse_spec(text)
    known = search_options()
    for setting in given:
        if setting not in known:
            hint = nearest(setting, known)
            raise UserError(f"a search has no setting {setting!r}{hint}")
    if name != "net":
        raise UserError(f"the strength of nets is that of `net`, not of {name!r}")
    return dict(given)


def net_settings(given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return how the agent `net` searches, except for what is given and the sims."""
    defaults = {k: v for k, v in AGENTS["net"].defaults.items() if k != "sims"}
    settings = {**defaults, **given}
    read_search_config(settings)  # what cannot be is refused at once
    return settings


def _ask(exam: Exam, candidate: Candidate) -> Iterator[Measured]:
    """Yield the figures, telling each as it comes."""
    for figure in exam(candidate):
        _tell(f"  {figure.headline()}")
        yield figure


def _exam(game: Game, opponent: str) -> Exam:
    if opponent:
        if game.num_players == 1:
            raise UserError(f"{game.name} is for one player: nobody can be met in it")
        agent_maker(opponent, game)
        return partial(examine_against, opponent)
    if game.num_players == 1:
        return examine_scores
    exam = find_exam(game)
    return examine_match if exam is None else partial(examine_positions, exam)


def _about(game: Game, net: Net, figures: tuple[Measured, ...]) -> Strength:
    run = f" of {net.card.run}" if net.card.run else ""
    name = f"iteration {net.card.iteration}{run}"
    size, method = num_parameters(net), net.card.config.method
    return Strength(game.spec, name, size, net.card.notes, figures, method)


def _spec_of(path: Path) -> str:
    """Return the spec of the game that a net is for."""
    card = load_net(path).card
    return load_game(card.game, options=card.options).spec


def _tell(line: str) -> None:
    say(line)


def main(
    games: list[str] | None = None,
    weights: str = "",
    settings: Mapping[str, OptionValue] | None = None,
    num_positions: int = 1000,
    num_games: int = 0,
    form: str = "text",
    opponent: str = "",
) -> None:
    """Measure and print, as text, json or markdown."""
    if opponent and not games:
        raise UserError("name the game to meet another agent in")
    if weights and len(games or []) != 1:
        raise UserError("a net is of one game; name that game")
    shipped = [(_spec_of(path), str(path)) for path in shipped_files()]
    asked = [(spec, weights) for spec in games] if games else shipped
    if not asked:
        raise UserError("no nets come with this version; name a game and --net")
    found = []
    for spec, net in asked:
        how = (settings or {}, num_positions, num_games, opponent)
        found.append(measure(spec, net, *how))
        if form == "text":
            rows = table(found[-1])
            shown = text_table(rows, num_words=len(rows[0]))
            print(f"{found[-1].title}, {found[-1].net}\n{shown}\n")
    if form == "json":
        print(to_json([strength.to_json() for strength in found], indent=1))
    if form == "markdown":
        print(markdown(found))
