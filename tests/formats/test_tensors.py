"""Arrays in a file have one form, and come back."""

import json

import numpy as np
import pytest
from safetensors.numpy import load, save

from ludens import UserError
from ludens.files import TensorFormat

FORMAT = TensorFormat("thing 2", "a thing", max_bytes=2000, older=("thing 1",))

TENSORS = {
    "b": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "a": np.array(3),
    "none": np.zeros((0, 4), np.float16),
}


def test_tensors_come_back_with_their_types_and_shapes() -> None:
    content = FORMAT.pack(TENSORS, {"x": 'a "word" \n ä'})
    found, texts = FORMAT.unpack(content, "it")
    assert texts == {"x": 'a "word" \n ä'}
    assert load(content).keys() == found.keys()
    assert found.keys() == TENSORS.keys()
    for name, array in TENSORS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert (found[name] == array).all()


def test_metadata_has_one_order() -> None:
    metadata = {str(n): "x" for n in range(50)}
    content = FORMAT.pack(TENSORS, metadata)
    backwards = FORMAT.pack(TENSORS, dict(reversed(metadata.items())))
    assert content == backwards
    start = 8 + int.from_bytes(content[:8], "little")
    assert start % 8 == 0
    header = json.loads(content[8:start])
    assert list(header["__metadata__"]) == sorted([*metadata, "format", "sha256"])


def test_damage_is_one_line_whatever_it_hits() -> None:
    content = FORMAT.pack(TENSORS, {"x": "a"})
    for at in range(0, len(content), 7):
        changed = bytearray(content)
        changed[at] ^= 1
        with pytest.raises(UserError, match=r"^it is (damaged|not a thing)[^\n]*$"):
            FORMAT.unpack(bytes(changed), "it")


def test_former_versions_are_read_and_others_are_not(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(save({"a": np.zeros(1)}, {"format": "thing 1", "y": "b"}))
    tensors, texts = FORMAT.read(path)
    assert (list(tensors), texts) == (["a"], {"y": "b"})
    path.write_bytes(save({"a": np.zeros(1)}, {"format": "thing 3"}))
    with pytest.raises(UserError, match=r"is not a thing of this version \(thing 2\)"):
        FORMAT.read(path)


def test_a_file_too_large_is_not_read(tmp_path) -> None:
    (tmp_path / "file").write_bytes(b"0" * 2001)
    with pytest.raises(UserError, match="is too large for a thing"):
        FORMAT.read(tmp_path / "file")
