"""Games and metrics for a report, and its page taken apart."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import numpy as np

from ludens.selfplay.share import GameRecord
from ludens.state import State

VOID = {"meta", "br", "hr", "img", "link", "input"}


@dataclass
class Element:
    """A part of a page."""

    tag: str
    attributes: dict[str, str]
    children: list = field(default_factory=list)

    def all(self, tag, look=""):
        """Return all elements below with a tag and a class."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                is_it = child.tag == tag and look in child.attributes.get("class", "")
                found += [child] if is_it else []
                found += child.all(tag, look)
        return found

    @property
    def text(self):
        parts = [c if isinstance(c, str) else c.text for c in self.children]
        return "".join(parts)


class Reader(HTMLParser):
    """Parse a page and insist that what is opened is closed."""

    def __init__(self):
        super().__init__()
        self.root = Element("root", {})
        self._open = [self.root]

    def handle_starttag(self, tag, attributes):
        element = Element(tag, {k: v or "" for k, v in attributes})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attributes):
        self._open[-1].children.append(Element(tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open.pop().tag == tag

    def handle_data(self, data):
        self._open[-1].children.append(data)


def parse(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader._open == [reader.root]
    return reader.root


def play(game, number, **of):
    """Return a game at random with made-up opinions of a search."""
    rng = np.random.default_rng(number)
    state = State(game, seed=number)
    policies = []
    while not state.is_over and state.num_plies < 200:
        legal = state.legal_actions()
        policy = np.zeros(game.num_actions, np.float16)
        policy[legal] = 1 / len(legal)
        policies.append(policy)
        state.apply(int(rng.choice(legal)))
    num_plies = len(policies)
    return GameRecord(
        number=number,
        seed=number,
        net=number // 10,
        history=np.array(state.history, np.int32),
        kinds=np.array([0, 1, *[2] * num_plies][:num_plies], np.uint8),
        policies=np.array(policies),
        values=np.linspace(-0.5, 0.5, num_plies).astype(np.float32),
        result=state.result if game.num_players == 2 else state.score,
        is_over=state.is_over,
        ending=of.get("ending", "played"),
    )


def metrics_of(iteration):
    """Return all that an iteration may measure."""
    share = iteration / 10
    names = "loss loss_policy loss_value loss_reply lr grad_norm"
    metrics = dict.fromkeys(names.split(), 2 - share)
    metrics |= {"evals_per_s": 12345.6, "positions_per_s": 789.0, "samples_per_s": 1e5}
    metrics |= {"seconds_selfplay": 2.0, "seconds_learn": 1.0, "window": 1000}
    metrics |= {"first_wins": 0.6, "drawn": 0.1, "plies_mean": 7.5, "seconds": 3.0}
    metrics |= {"resigned": 5, "resign_control": 4, "resign_wrong": 1}
    if iteration % 2 == 0:
        elo = 100 * share
        metrics |= {"elo": elo, "elo_low": elo - 50, "elo_high": elo + 50}
        metrics |= {"score_random": 0.9, "score_mcts": share, "gate_score": 0.5}
        metrics |= {"truth_net": share, "truth_search": 0.987, "lost_net": 0.2}
        metrics |= {"lost_search": 0.01, "seconds_evaluate": 0.5}
        metrics["matches"] = [[f"net {iteration}", "mcts", 3, 2, 1]]
    return metrics
