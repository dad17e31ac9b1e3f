"""Solve the positions that nets are asked about; connect four takes an hour.

python benchmarks/solved_positions.py GAME > src/ludens/bench/data/GAME.txt
"""

import sys

from ludens.bench import deal_set, four_sets

if __name__ == "__main__":
    {"connect_four": four_sets, "triple_triad": deal_set}[sys.argv[1]].main()
