"""What a client may ask for at most."""

MAX_SOCKETS = 32
MAX_CONNECTIONS = 128
"""Of all kinds; beyond it the server answers 503."""
MAX_MESSAGE_BYTES = 256_000
MAX_STEPS = 5_000
"""Of a history."""
MAX_WORDS = 300
"""Characters of a name, a step or an edit."""
MAX_TEXT = 200_000
"""Characters of a record or of moves."""
MAX_SIMS = 1_000_000
MAX_SECONDS = 300.0
MAX_MATCH_GAMES = 1_000
MAX_MATCH_SIMS = 20_000
"""Of an agent of a match, of which several games are under way at a time."""
MAX_MEMORY_MB = 256
"""For the tree of one search."""
MAX_JOBS = 4
"""Of one socket, thinking or watching at the same time."""
MAX_OPTION_SETS = 64
"""Of all games, beside their defaults. What was compiled for one, up to 10 MB with a
search and the solver, stays in memory until the server ends, and on disk."""
MAX_LOADING = 2
"""Games that are loaded, or their rules compiled, at the same time."""
BURST, MESSAGES_PER_S = 200.0, 40.0
"""Messages that a socket may send at once, and in the long run."""
SLICE_S = 0.05
"""Of thinking before another page has its turn."""
UPDATE_S = 0.2
"""Between two events of an analysis."""
WATCH_S = 1.0
"""Between two looks at a run."""
