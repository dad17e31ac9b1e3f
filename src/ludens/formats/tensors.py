"""Named arrays as the bytes of a safetensors file."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save


def pack_tensors(
    tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> bytes:
    """Return a safetensors file: the same contents give the same bytes.

    The library writes metadata in another order in every process.
    """
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    content = save(arrays, dict(metadata))
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # what follows is aligned
    return len(text).to_bytes(8, "little") + text + content[start:]
