"""`ludens observe`: what a network sees of a position, plane by plane."""

import shutil
import sys

from ludens.cli import options

WIDTH = 88
"""Characters of a line that goes elsewhere than to a terminal."""


def run(
    game: options.Game,
    moves: options.Moves = "",
    seed: options.Seed = 0,
    setup: options.Setup = "",
    json: options.Json = False,
) -> None:
    """Draw what a network sees of a position, plane by plane."""
    from ludens.cli.screen import draw, print_json
    from ludens.loading.game import load_game
    from ludens.pictures.planes import draw_planes, planes_of

    state = load_game(game).new(seed, setup)
    state.apply_moves(moves)
    planes = planes_of(state)
    if json:
        facts = {"game": state.game.spec, "history": state.history}
        seen = [plane.to_json() for plane in planes]
        print_json({**facts, "player": state.to_play, "planes": seen})
        return
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
    print(f"{draw(state)}\n\nplayer {state.to_play} to move sees\n")
    print(draw_planes(planes, columns))
