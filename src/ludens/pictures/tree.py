"""A search tree as a picture: Graphviz DOT, or SVG without any other program."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ludens.agents.analysis import proof_word, real_state, winrate
from ludens.errors import UserError
from ludens.game import CHANCE
from ludens.search.search import Search
from ludens.search.tree import UNPROVEN
from ludens.state import State

BOX_WIDTH, BOX_HEIGHT = 150, 44
GAP_X, GAP_Y = 40, 10
NOBODY = -2
"""The player of the root: no move led to it."""


@dataclass(frozen=True)
class Branch:
    """A node to draw, with the edge that leads to it."""

    title: str
    choice: int
    """The action or outcome that leads to it; -1 at the root."""
    visits: int
    rate: float
    """Win rate, or expected score, for the player who made the move."""
    prior: float
    proof: str
    player: int
    """Who made the move; CHANCE for an outcome, NOBODY at the root."""
    children: tuple["Branch", ...]
    num_hidden: int
    """Children that the limits leave out."""

    @property
    def is_leaf(self) -> bool:
        """Whether the search went no further."""
        return not self.children and self.num_hidden == 0

    @property
    def facts(self) -> str:
        """The second line of the box."""
        known = f" {self.proof}" if self.proof else ""
        prior = "" if self.player == NOBODY else f"  p {self.prior:.2f}"
        return f"n {self.visits:,}  v {self.rate:.2f}{prior}{known}"


def grow_branch(
    search: Search,
    state: State,
    depth: int = 3,
    min_visits: int = 1,
    width: int = 8,
    path: Sequence[int] = (),
) -> Branch:
    """Read the tree of game 0 down to a depth, leaving rarely visited nodes out.

    `path` names the choices on the way from the root to where to begin.
    """
    index, edge = _follow(search, path)
    if edge is not None:
        parent = int(search.forest.nodes[0, index].parent)
        return _branch(search, state, parent, edge, depth + 1, min_visits, width)
    root = search.forest.nodes[0, 0]
    sign = -1 if root.to_play == 1 else 1
    rate = winrate(sign * root.total / max(1, root.visits), state.game.num_players)
    proof = "" if root.proof == UNPROVEN else proof_word(sign * root.proof)
    children, hidden = _children(search, state, 0, depth, min_visits, width)
    title = f"{state.game.name}: player {state.to_play} to move"
    return Branch(
        title, -1, int(root.visits), rate, 1.0, proof, NOBODY, children, hidden
    )


def _follow(search: Search, path: Sequence[int]) -> tuple[int, Any]:
    """Return the node that a path leads to and its edge, None at the root."""
    index, edge = 0, None
    for choice in path:
        edges = search.edges(0, index)
        [*found] = edges[(edges["action"] == choice) & (edges["child"] >= 0)]
        if not found:
            raise UserError(f"the tree has no node at {choice} of the path")
        edge = found[0]
        index = int(edge.child)
    return index, edge


def _children(
    search: Search, state: State, index: int, depth: int, min_visits: int, width: int
) -> tuple[tuple[Branch, ...], int]:
    edges = search.edges(0, index)
    tried = edges[edges["visits"] >= max(1, min_visits)]
    kept = tried[tried["visits"].argsort(kind="stable")[::-1]][: width if depth else 0]
    branches = tuple(
        _branch(search, state, index, edge, depth, min_visits, width) for edge in kept
    )
    return branches, int((edges["visits"] > 0).sum()) - len(branches)


def _branch(
    search: Search,
    state: State,
    index: int,
    edge: Any,
    depth: int,
    min_visits: int,
    width: int,
) -> Branch:
    player = int(search.forest.nodes[0, index].to_play)
    title = _title(search, state, index, int(edge.action))
    children, hidden = _children(
        search, state, int(edge.child), depth - 1, min_visits, width
    )
    rate = winrate(float(edge.total / edge.visits), state.game.num_players)
    proof = "" if edge.proof == UNPROVEN else proof_word(edge.proof)
    visits, prior = int(edge.visits), float(edge.prior)
    choice = int(edge.action)
    return Branch(title, choice, visits, rate, prior, proof, player, children, hidden)


def _title(search: Search, state: State, index: int, choice: int) -> str:
    """Return an action, or an outcome of chance, in words."""
    plain, raw = state.game.plain, real_state(search, state, index, choice)
    if raw is None:
        return f"{choice} (imagined)"
    if search.forest.nodes[0, index].to_play != CHANCE:
        return plain.action_name(raw, choice)
    return plain.outcome_name(raw, choice)


def to_dot(tree: Branch) -> str:
    """Return the tree in Graphviz's language."""
    lines = ["digraph tree {", "  rankdir=LR;", "  node [shape=box, fontname=sans];"]
    count = 0

    def add(branch: Branch) -> int:
        nonlocal count
        number, count = count, count + 1
        title = branch.title.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{number} [label="{title}\\n{branch.facts}"];')
        for child in branch.children:
            lines.append(f"  n{number} -> n{add(child)};")
        return number

    add(tree)
    return "\n".join([*lines, "}"]) + "\n"


def to_svg(tree: Branch) -> str:
    """Return the tree as SVG, the root on the left."""
    shapes: list[str] = []
    height, depth = _place(tree, 0, 0.0, shapes)
    width = (depth + 1) * (BOX_WIDTH + GAP_X)
    size = f'width="{width}" height="{height + 20:.0f}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif"'
        f' viewBox="-10 -10 {width} {height + 20:.0f}" font-size="12">'
    )
    title = f"<title>{escape(tree.title)}</title>"
    paper = f'<rect x="-10" y="-10" {size} fill="#fff"/>'
    return "\n".join([head, title, paper, *shapes, "</svg>", ""])


def _place(
    branch: Branch, depth: int, top: float, shapes: list[str]
) -> tuple[float, int]:
    """Draw a branch below `top`; return its height and the depth it reaches."""
    x = depth * (BOX_WIDTH + GAP_X)
    height, deepest, middles = 0.0, depth, []
    for child in branch.children:
        used, reach = _place(child, depth + 1, top + height, shapes)
        middles.append(top + height + used / 2)
        height += used
        deepest = max(deepest, reach)
    height = max(height, BOX_HEIGHT + GAP_Y)
    middle = top + height / 2
    for y in middles:
        ax, bx, half = x + BOX_WIDTH, x + BOX_WIDTH + GAP_X, x + BOX_WIDTH + GAP_X / 2
        curve = f"M{ax} {middle:.1f} C{half} {middle:.1f} {half} {y:.1f} {bx} {y:.1f}"
        shapes.append(f'<path d="{curve}" fill="none" stroke="#888"/>')
    shapes.append(_box(branch, x, middle - BOX_HEIGHT / 2))
    return height, deepest


def _box(branch: Branch, x: float, y: float) -> str:
    fills = {0: "#e3f1fa", 1: "#fdf0d5", CHANCE: "#eeeeee", NOBODY: "#ffffff"}
    title = branch.title if len(branch.title) <= 20 else branch.title[:19] + "…"
    hidden = f"{escape(branch.title)}, {branch.num_hidden} more below"
    return (
        f"<g><title>{hidden}</title>"
        f'<rect x="{x}" y="{y:.1f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4" '
        f'fill="{fills[branch.player]}" stroke="#555"/>'
        f'<text x="{x + 8}" y="{y + 18:.1f}" font-weight="bold">{escape(title)}</text>'
        f'<text x="{x + 8}" y="{y + 35:.1f}" font-size="11">{branch.facts}</text></g>'
    )
