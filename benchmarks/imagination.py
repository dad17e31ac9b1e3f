"""Draw what a learned model imagines beneath what is true, for docs/muzero.md.

python benchmarks/imagination.py NET "4 4 3 3" > docs/pictures/imagination.svg

It is for games of two players whose first two planes are the stones of the player to
move and those of the other.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from numpy.typing import NDArray

from ludens import State
from ludens.errors import UserError
from ludens.loading.game import load_game
from ludens.nets.torch_ops import TorchNet
from ludens.nets.weights import Net, load_net
from script import run

CELL, GAP, TEXT = 18, 14, 34
STYLE = """svg{--cell:#efe9dc;--line:#b8ae98;--ink:#26241f;--p0:#2b8cbe;--p1:#f0a92b}
@media(prefers-color-scheme:dark){svg{--cell:#2d3036;--line:#545962;--ink:#e8e6e1;
--p0:#4fb3e8;--p1:#f2b544}}rect{fill:var(--cell);stroke:var(--line)}
.p0{fill:var(--p0)}.p1{fill:var(--p1)}
text{fill:var(--ink);font:11px system-ui,sans-serif;text-anchor:middle}"""

Planes = NDArray[np.float32]


def imagine(net: Net, state: State, actions: list[int]) -> list[tuple[Planes, float]]:
    """Return planes and value from the first position on, all but it imagined."""
    torch_net = TorchNet(net.card.config, net.card.sizes)
    torch_net.load(net.tensors)
    found = []
    with torch.no_grad():
        latent = torch_net.represent(torch.from_numpy(state.observe()[None]))
        for step in range(len(actions) + 1):
            said = torch_net.predict(latent)
            if said.planes is None:
                raise UserError("this net has no decoder, so nothing can be drawn")
            value = float(torch_net.expected_value(said.value)[0])
            found.append((said.planes[0].numpy(), value))
            if step < len(actions):
                chosen = torch.zeros(1, torch_net.sizes.choices)
                chosen[0, actions[step]] = 1
                latent, _ = torch_net.dynamics(latent, chosen)
    return found


def draw(planes: Planes, mover: int, left: int, top: int) -> Iterator[str]:
    """Yield a board: each stone is as solid as its number is large."""
    for row, column in np.ndindex(planes.shape[1:]):
        x, y = left + CELL * column, top + CELL * row
        yield f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>'
        for owner in (mover, 1 - mover):
            solid = float(planes[owner ^ mover, row, column].clip(0, 1))
            if solid >= 0.02:
                place = (
                    f'cx="{x + CELL / 2:g}" cy="{y + CELL / 2:g}" r="{CELL * 0.38:g}"'
                )
                yield f'<circle class="p{owner}" {place} opacity="{solid:.2f}"/>'


def main(
    weights: Annotated[Path, typer.Argument(help="A MuZero net.", metavar="NET")],
    moves: Annotated[str, typer.Argument(help="Moves to imagine.")],
    before: Annotated[str, typer.Option(help="Moves that the net sees.")] = "",
) -> None:
    """Print a picture: above what is true, below what the net imagines."""
    net = load_net(weights)
    state = load_game(net.card.game, options=net.card.options).new()
    state.apply_moves(before)
    actions = list(state.copy().play_moves(moves))
    first, imagined = state.to_play, imagine(net, state, actions)
    (rows, columns), parts = state.game.plain.SHAPE, []
    width, height = columns * CELL + GAP, rows * CELL + TEXT
    for step, (planes, value) in enumerate(imagined):
        left, mover = GAP + step * width, first ^ (step & 1)
        true = state.copy()
        true.raw.to_play = mover  # nobody's turn, after the end
        seen = true.observe()
        parts += [
            *draw(seen, mover, left, TEXT),
            *draw(planes, mover, left, TEXT + height),
        ]
        middle = left + columns * CELL // 2
        told = "seen" if step == 0 else f"after {state.action_name(actions[step - 1])}"
        parts.append(f'<text x="{middle}" y="{TEXT - 8}">{told}</text>')
        said = f"value {value:+.2f}"
        parts.append(f'<text x="{middle}" y="{TEXT + height - 8}">{said}</text>')
        if step < len(actions):
            state.apply(actions[step])
    size = f'viewBox="0 0 {GAP + len(imagined) * width} {TEXT + 2 * height}"'
    print(f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>')
    print("\n".join(parts), "</svg>", sep="\n")


if __name__ == "__main__":
    run(main)
