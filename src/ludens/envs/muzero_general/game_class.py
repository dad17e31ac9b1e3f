"""The class Game of an exported file: the rules as muzero-general calls them.

The texts have lines for some games only: those from `#if one` (player), `#if two`,
`#if chance`, `#if start` or `#if spellings`, or two of them, to `#end`.
"""

from collections.abc import Collection

from ludens.loading.game import Game


def traits_of(game: Game) -> set[str]:
    """Return what is true of a game."""
    found = {
        "one": game.num_players == 1,
        "two": game.num_players == 2,
        "chance": game.plain.MAX_OUTCOMES > 0,
        "start": game.defines("start"),
        "spellings": game.defines("read_action"),
    }
    return {trait for trait, is_true in found.items() if is_true}


def lines_for(text: str, traits: Collection[str]) -> str:
    """Return the lines of a text that are for games with these traits."""
    kept, is_kept = [], True
    for line in text.splitlines():
        word, _, trait = line.strip().partition(" ")
        if word == "#if":
            is_kept = set(trait.split(" and ")) <= set(traits)
        elif word == "#end":
            is_kept = True
        elif is_kept:
            kept.append(line)
    return "\n".join(kept) + "\n"


ABSTRACT_GAME = '''try:
    from .abstract_game import AbstractGame
except ImportError:  # outside of muzero-general

    class AbstractGame:
        """Stands in for the class that the games of muzero-general derive from."""


if np.lib.NumpyVersion(np.__version__) < "2.0.0":
    raise ImportError("this game needs NumPy 2, where small numbers keep their size")
'''
GAME = r'''class Game(AbstractGame):
    """The game as muzero-general plays it."""

    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)
        self.reset()

    @np.errstate(over="ignore")
    def reset(self):
        """Begin a game; return the first observation."""
        self.state = np.zeros(1, STATE)[0]
        self._player = None
        #if start
        start(self.state)
        #end
        #if chance
        self.outcomes = []  # what chance has given in this game
        self._resolve_chance()
        #end
        self._begin_turn()
        return self._observe()

    @np.errstate(over="ignore")
    def step(self, action):
        """Play an action; return observation, reward and whether the game is over.

        #if two
        A win is 1 for the player who has just moved, a loss -1.
        #end
        #if one
        The reward includes what chance has brought since.
        #end
        """
        if self.state.to_play < 0:  # nothing changes after the end
            return self._observe(), 0.0, True
        if action not in self._legal:
            raise ValueError(f"action {action} is not legal here")
        reward = self._play(self.state, int(action))
        #if chance
        reward += self._resolve_chance()
        #end
        self._begin_turn()
        return self._observe(), reward, bool(self.state.to_play < 0)

    def legal_actions(self):
        """Return the legal actions; after the end all, as a search must find some."""
        return list(self._legal)

    def to_play(self):
        """Return the player to move; after the end, the one whose turn it would be."""
        return self._player

    def render(self):
        """Print the position, in colours on a terminal."""
        text = draw(self.state)
        print(text if sys.stdout.isatty() else re.sub(r"\x1b\[\d+m", "", text))

    def close(self):
        """Do nothing: a game holds nothing open."""

    def action_to_string(self, action):
        """Return an action in words."""
        return action_name(self.state, int(action))

    def human_to_action(self):
        """Ask for a move, by its name, until a legal one is given."""
        names = {self.action_to_string(a).lower(): a for a in self._legal}
        while True:
            text = input(f"Move of player {self._player}: ").strip()
            action = names.get(text.lower())
            #if spellings
            if action is None:
                action = read_action(self.state, text)
            #end
            if action in self._legal:
                return int(action)
            print("That is not a legal move. Legal:", *list(names)[:8], "...")

    #if two
    @np.errstate(over="ignore")
    def expert_agent(self):
        """Return a move that wins at once, else one after which the other cannot."""
        actions = self.rng.permutation(self._legal).tolist()
        best = self._find_win(self.state, actions)
        if best is not None:
            return best
        for action in actions:
            after = self.state.copy()
            reward = self._play(after, action)
            replies = self._list_legal(after) if after.to_play >= 0 else []
            if reward >= 0 and self._find_win(after, replies) is None:
                return action
        return actions[0]
    #end
    #if one
    @np.errstate(over="ignore")
    def expert_agent(self):
        """Return a move that brings most at once."""
        actions = self.rng.permutation(self._legal).tolist()
        return max(actions, key=lambda action: self._play(self.state.copy(), action))
    #end

    def _begin_turn(self):
        """Note who is to move, and which actions are legal."""
        if self.state.to_play < 0:
            #if two
            self._player = 0 if self._player is None else 1 - self._player
            #end
            #if one
            self._player = 0
            #end
            self._legal = list(range(NUM_ACTIONS))
            return
        #if two
        if self.state.to_play == self._player:
            raise RuntimeError("a player moves twice; muzero-general has turns")
        #end
        self._player = int(self.state.to_play)
        self._legal = self._list_legal(self.state)

    def _observe(self):
        """Return what the player to move sees [planes, rows, columns]."""
        seen = self.state.copy()
        seen.to_play = self._player  # also after the end
        planes = np.zeros(OBSERVATION_SHAPE, np.float32)
        observe(seen, planes)
        return planes
    #if chance

    def _resolve_chance(self):
        """Let chance have its turns; return the reward that it brings the mover."""
        reward = 0.0
        while self.state.to_play == CHANCE:
            shares = np.zeros(MAX_OUTCOMES)
            shares = shares[: chance(self.state, shares)].clip(0)
            outcome = int(self.rng.choice(len(shares), p=shares / shares.sum()))
            self.outcomes.append(outcome)
    #end
    #if chance and one
            reward += float(apply_chance(self.state, outcome))
    #end
    #if chance and two
            apply_chance(self.state, outcome)
            reward = self._reward_of(self.state, self._player)
    #end
    #if chance
        return reward
    #end
    #if one

    @staticmethod
    def _play(state, action):
        """Play an action, without what chance does after it; return the reward."""
        return float(apply(state, action))
    #end
    #if two

    def _play(self, state, action):
        """Play an action, without what chance does after it; return the reward."""
        mover = int(state.to_play)
        apply(state, action)
        return self._reward_of(state, mover)

    @staticmethod
    def _reward_of(state, player):
        """Return 1 if a player has won, -1 if he has lost, else 0."""
        if state.to_play != OVER or player is None:
            return 0.0
        return float(result(state)) * (1 - 2 * player)

    def _find_win(self, state, actions):
        """Return an action that wins at once, None if none does."""
        for action in actions:
            if self._play(state.copy(), action) > 0:
                return action
        return None
    #end

    @staticmethod
    def _list_legal(state):
        """Return the legal actions."""
        actions = np.empty(NUM_ACTIONS, np.int32)
        return actions[: legal(state, actions)].tolist()
'''
