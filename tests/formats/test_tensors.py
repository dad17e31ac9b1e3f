"""Tensors in a file have one form, and come back."""

import json

import numpy as np
from safetensors.numpy import load

from ludens.files import pack_tensors

TENSORS = {
    "b": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "a": np.array(3),
    "none": np.zeros((0, 4), np.float16),
}


def test_tensors_come_back_with_their_types_and_shapes() -> None:
    found = load(pack_tensors(TENSORS, {"x": 'a "word" \n ä'}))
    assert found.keys() == TENSORS.keys()
    for name, array in TENSORS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert (found[name] == array).all()


def test_metadata_has_one_order() -> None:
    metadata = {str(n): "x" for n in range(50)}
    content = pack_tensors(TENSORS, metadata)
    backwards = pack_tensors(TENSORS, dict(reversed(metadata.items())))
    assert content == backwards
    start = 8 + int.from_bytes(content[:8], "little")
    assert start % 8 == 0
    header = json.loads(content[8:start])
    assert list(header["__metadata__"]) == sorted(metadata)
