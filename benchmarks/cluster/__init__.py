"""A real Ray on one machine: what happens when parts of it die, and how it scales."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where `faults` is
