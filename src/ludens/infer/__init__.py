"""Evaluate positions with a network, where it is fastest."""

import os
import sys

# PyTorch's threads wait for each other in a loop that eats a core, unless told not to
# before it is first imported. With other work on two cores a training step of a small
# net took 544 ms that way and 78 ms this way.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# OpenVINO tells its makers of each import, from a process of its own, and writes into
# the user's home; without this module it does not (and is 0.3 s sooner there).
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]

DEVICES = ("auto", "cpu", "cuda", "mps")
PRECISIONS = ("auto", "f32", "bf16", "f16", "int8")
