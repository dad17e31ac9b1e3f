"""The campaign of faults: each module with `run(n, seed)` is one part of it."""
