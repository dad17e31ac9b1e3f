"""Files written whole or not at all, and the one file format for arrays."""

import errno
import hashlib
import io
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from ludens.errors import NoRoom, UserError

Tensors = dict[str, NDArray[Any]]
Texts = dict[str, str]
Kinds = Mapping[str, tuple[np.dtype[Any] | None, tuple[int, ...]]]
"""The type and shape of each array."""
Check = Callable[[Kinds, Texts], None]
MAX_HEADER_BYTES = 2_000_000
"""The state of a learner of the largest net needs half of it."""
MAX_DIMENSIONS = 16
MOST_NUMBERS = 2**40
NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What the system says where there is no room; Windows knows no quota."""
_ROOM_BYTES = 2**16
_DTYPES = {
    **{f"F{8 * n}": np.dtype(f"<f{n}") for n in (2, 4, 8)},
    **{f"I{8 * n}": np.dtype(f"<i{n}") for n in (1, 2, 4, 8)},
    **{f"U{8 * n}": np.dtype(f"<u{n}") for n in (1, 2, 4, 8)},
    "BOOL": np.dtype(np.bool_),
}
"""The types of numbers by their names in a file; those of no use to us are missing."""


def write_text(path: Path, text: str) -> None:
    """Write a text so that a crash leaves the old one or the new one."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open_new(draft) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        kind = NoRoom if error.errno in NO_ROOM else UserError
        raise kind(f"cannot write {path}: {error.strerror}") from None


def has_room(folder: Path) -> bool:
    """Say whether a small file can be written to a folder now."""
    draft = folder / f".room.{os.getpid()}"
    try:
        with open_new(draft) as file:
            file.write(bytes(_ROOM_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno not in NO_ROOM
    finally:
        with suppress(OSError):
            draft.unlink()
    return True


def read_bytes(
    path: Path, max_bytes: int, what: str, *, follows_links: bool = True
) -> bytes:
    """Read a file that is not too large for what it should be."""
    with opened(path, max_bytes, what, follows_links=follows_links) as (file, size):
        return file.read(size)


@contextmanager
def opened(
    path: Path, max_bytes: int, what: str, *, follows_links: bool = True
) -> Iterator[tuple[BinaryIO, int]]:
    """Give a file and its size, if it is one, and not too large for what it should be.

    A pipe would keep us waiting, a device has no end.
    """
    try:
        handle = open_plain(path, os.O_RDONLY, follows_links=follows_links)
        with os.fdopen(handle, "rb") as file:
            size = os.fstat(handle).st_size
            if size > max_bytes:
                raise UserError(f"{path} is too large for {what}")
            yield file, size
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        why = getattr(error, "strerror", None) or "it cannot be opened"
        raise UserError(f"cannot read {path}: {why}") from None


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""To open a pipe waits for whoever is at its other end."""


def open_plain(path: Path, flags: int, *, follows_links: bool = False) -> int:
    """Open a file that is neither a folder nor a device nor a pipe, nor a link."""
    if not follows_links:
        flags |= _NO_LINK
        if path.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
    handle = os.open(path, flags | _NO_WAIT, 0o666)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a file")
    return handle


def open_new(path: Path) -> BinaryIO:
    """Open a new file for writing; what has its name goes, be it a link or a draft."""
    with suppress(FileNotFoundError):
        path.unlink()
    handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    return os.fdopen(handle, "wb")


def append_text(path: Path, text: str) -> None:
    """Add a text to a file, which is not a link, or nothing of it."""
    handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    size = os.fstat(handle).st_size
    try:
        with os.fdopen(handle, "ab") as file:
            file.write(text.encode("utf-8"))
    except OSError:
        with suppress(OSError):  # half a line is none
            os.truncate(path, size)
        raise


def is_plain(path: Path) -> bool:
    """Say whether there is a file of this name; a link to one is none."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # a name may be too long, or have a zero in it
        return False


def check_plain(path: Path, is_folder: bool = False) -> None:
    """Refuse what is there under a name, if it is a link, a device or a pipe."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if is_folder and not stat.S_ISDIR(mode):
        raise UserError(f"{path} is not a plain folder")
    if not is_folder and not stat.S_ISREG(mode):
        raise UserError(f"{path} is not a plain file")


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, so that they survive a loss of power."""
    folder = folder.absolute()
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in new:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a name in a folder durable; Windows, which opens none, needs no help."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder may be closed to readers, too
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that knows no such thing
            raise
    finally:
        os.close(handle)


@dataclass(frozen=True)
class TensorFormat:
    """A kind of file: named arrays and texts about them, with a checksum of both.

    The file is a safetensors file. The same contents give the same bytes.
    """

    name: str
    """What the file says that it is, with a version."""
    what: str
    """What it is called in an error message."""
    max_bytes: int = 2**33
    older: tuple[str, ...] = ()
    """Names of former versions, which are read without looking at a checksum."""

    def pack(
        self, tensors: Mapping[str, NDArray[Any]], texts: Mapping[str, str]
    ) -> bytes:
        """Return the contents of a file."""
        arrays = {name: np.asarray(a, order="C") for name, a in tensors.items()}
        checksum = _checksum(arrays, texts)
        return _encode(arrays, {"format": self.name, "sha256": checksum, **texts})

    def unpack(
        self, content: bytes, source: Path | str, check: Check = lambda *_: None
    ) -> tuple[Tensors, Texts]:
        """Return the arrays and texts of a file; `source` is its name in errors.

        `check` may refuse by shapes, types and texts before any array is read.
        """
        return self._load(io.BytesIO(content), len(content), source, check)

    def read(self, path: Path, check: Check = lambda *_: None) -> tuple[Tensors, Texts]:
        """Return the arrays and texts of a file, or say in one line what is wrong."""
        with opened(path, self.max_bytes, self.what) as (file, size):
            return self._load(file, size, path, check)

    def _load(
        self, file: BinaryIO, size: int, source: Path | str, check: Check
    ) -> tuple[Tensors, Texts]:
        try:
            spans, texts, start = _read_header(file, size)
        except (AttributeError, TypeError, ValueError, RecursionError):
            raise UserError(
                f"{source} is not {self.what}: it is no .safetensors file"
            ) from None
        version, checksum = texts.pop("format", ""), texts.pop("sha256", "")
        if version not in (self.name, *self.older):
            raise UserError(
                f"{source} is not {self.what} of this version ({self.name})"
            )
        if any(span.dtype is None for span in spans.values()):
            raise UserError(f"{source} is damaged: it has numbers of an unknown kind")
        check({name: (span.dtype, span.shape) for name, span in spans.items()}, texts)
        content = bytearray(size - start)
        if file.readinto(content) != len(content):  # type: ignore[attr-defined]
            raise UserError(f"{source} is not {self.what}: it is cut short")
        tensors = {name: span.array(content) for name, span in spans.items()}
        # The first files had neither the name of a format nor a checksum.
        is_checked = version not in self.older or (checksum and not version)
        if is_checked and checksum != _checksum(tensors, texts):
            raise UserError(f"{source} is damaged: its checksum is wrong")
        return tensors, texts


@dataclass(frozen=True)
class _Span:
    """Where an array lies in a file; a type that NumPy does not have is None."""

    dtype: np.dtype[Any] | None
    shape: tuple[int, ...]
    begin: int
    end: int

    def array(self, content: bytearray) -> NDArray[Any]:
        """Return the array, which shares the memory of the file's contents."""
        count = prod(self.shape)
        found = np.frombuffer(content, self.dtype, count, self.begin)
        found = found if found.flags.aligned else found.copy()
        return found.reshape(self.shape)


def _read_header(file: BinaryIO, size: int) -> tuple[dict[str, _Span], Texts, int]:
    """Return arrays, texts and where data begin; ValueError if they are no such file.

    As safetensors files have it, the arrays lie side by side and leave no gap.
    """
    length = int.from_bytes(file.read(8), "little")
    if length > min(size - 8, MAX_HEADER_BYTES):
        raise ValueError
    fields = json.loads(file.read(length).decode("utf-8"))
    texts = _strings(fields.pop("__metadata__", None) or {})
    spans = {name: _span(**about) for name, about in fields.items()}
    end = 0
    for span in sorted(spans.values(), key=lambda span: (span.begin, span.end)):
        if span.begin != end:
            raise ValueError
        end = span.end
    if end != size - 8 - length:
        raise ValueError
    "".join(spans).encode("utf-8")  # half a character has no code
    return spans, texts, 8 + length


def _span(dtype: str, shape: list[int], data_offsets: list[int]) -> _Span:
    begin, end = data_offsets
    numbers = [*shape, begin, end]
    if not all(type(n) is int and 0 <= n <= MOST_NUMBERS for n in numbers):
        raise ValueError
    if len(shape) > MAX_DIMENSIONS or prod(max(1, n) for n in shape) > MOST_NUMBERS:
        raise ValueError
    known = _DTYPES.get(dtype)
    if known is not None and prod(shape) * known.itemsize != end - begin:
        raise ValueError
    return _Span(known, tuple(shape), begin, end)


def _strings(texts: dict[str, str]) -> Texts:
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError
    "".join([*texts, *texts.values()]).encode("utf-8")
    return texts


def _checksum(tensors: Mapping[str, NDArray[Any]], texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of texts and arrays, both in the order of their names."""
    digest = hashlib.sha256("".join(texts[name] for name in sorted(texts)).encode())
    for name in sorted(tensors):
        array = tensors[name]
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _encode(tensors: Tensors, metadata: Texts) -> bytes:
    """Return a safetensors file whose metadata are in the order of their names.

    The library writes them in another order in every process.
    """
    content = save(tensors, metadata)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # what follows is aligned
    return len(text).to_bytes(8, "little") + text + content[start:]
