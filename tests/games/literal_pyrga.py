"""Pyrga once more, word by word from its rules: lists, dicts and no tricks."""

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
WAYS = list(STEPS)
CELLS = [(row, column) for row in range(4) for column in range(4)]


def number(kind, cell, way=None):
    """Return the action number of a placement."""
    index = CELLS.index(cell)
    if kind == "arrow":
        return 32 + 4 * index + WAYS.index(way)
    return index + {"square": 0, "circle": 16}[kind]


def placement(action):
    """Return kind, cell and direction of an action number."""
    if action < 16:
        return "square", CELLS[action], None
    if action < 32:
        return "circle", CELLS[action - 16], None
    return "arrow", CELLS[(action - 32) // 4], WAYS[(action - 32) % 4]


def walk(cell, way):
    """Return the cells from here to the edge, this one left out."""
    seen = []
    row, column = cell
    while True:
        row, column = row + STEPS[way][0], column + STEPS[way][1]
        if (row, column) not in CELLS:
            return seen
        seen.append((row, column))


class LiteralPyrga:
    def __init__(self, towers_to_win=0, inside=False, no_second=False, tie="none"):
        self.towers_to_win = towers_to_win
        self.inside = inside
        self.no_second_square = no_second
        self.tie = tie
        self.board = {cell: [] for cell in CELLS}
        self.stock = [{"square": 5, "circle": 5, "arrow": 5} for _ in range(2)]
        self.moves = []

    @property
    def mover(self):
        return len(self.moves) % 2

    def fits(self, kind, cell):
        there = [other for other, _ in self.board[cell]]
        return len(there) < 3 and kind not in there

    def kinds(self):
        """Return what the mover may place at all."""
        kinds = [kind for kind, left in self.stock[self.mover].items() if left > 0]
        his_second_move = len(self.moves) == 2
        opened_with_square = his_second_move and self.moves[0][0] == "square"
        if self.no_second_square and opened_with_square:
            kinds.remove("square")
        return kinds

    def limit(self):
        if not self.moves:
            return CELLS
        kind, cell, way = self.moves[-1]
        if kind == "circle":
            return [cell]
        if kind == "arrow":
            return walk(cell, way)
        return [walk(cell, way)[0] for way in WAYS if walk(cell, way)]

    def placements(self, cells):
        found = []
        for kind in self.kinds():
            for cell in cells:
                if not self.fits(kind, cell):
                    continue
                if kind != "arrow":
                    found.append(number(kind, cell))
                    continue
                for way in WAYS:
                    if not self.inside or walk(cell, way):
                        found.append(number(kind, cell, way))
        return sorted(found)

    def legal(self):
        enough = self.towers_to_win
        if enough and (self.count(0, 3) >= enough or self.count(1, 3) >= enough):
            return []
        limited = self.placements(self.limit())
        if limited:
            return limited
        return self.placements([cell for cell in CELLS if not self.board[cell]])

    def apply(self, action):
        kind, cell, way = placement(action)
        self.stock[self.mover][kind] -= 1
        self.board[cell].append((kind, self.mover))
        self.moves.append((kind, cell, way))

    def count(self, player, height):
        """Count the cells of a height in which most pieces are the player's."""
        owners = [[owner for _, owner in pieces] for pieces in self.board.values()]
        stacks = [stack for stack in owners if len(stack) == height]
        return sum(stack.count(player) > stack.count(1 - player) for stack in stacks)

    def result(self):
        for height in (3, 2, 1) if self.tie == "stacks" else (3,):
            mine, yours = self.count(0, height), self.count(1, height)
            if mine != yours:
                return 1 if mine > yours else -1
        return 0
