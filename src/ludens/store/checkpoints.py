"""The files of a run's iterations: written first, named by the database, pruned."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludens.errors import UserError
from ludens.files import TensorFormat, Tensors, read_bytes, write_bytes
from ludens.nets.weights import Net, net_from_bytes, save_net
from ludens.store.checksums import ROWS, insert, is_whole, select
from ludens.store.database import Base
from ludens.store.guard import FILE, FOLDERS

STATE_FORMAT = TensorFormat(
    "ludens state 2", "the state of a learner", older=("ludens-state-1",)
)
_OURS = re.compile(
    rf"({'|'.join(FOLDERS)})/(\d{{6,}}\.safetensors|\.\d{{6,}}\.safetensors\.\d+)"
    r"|\.(config\.toml|origin\.safetensors)\.\d+"
)
"""Checkpoints and drafts: any other file is the user's."""
_FIELDS = ROWS["iterations"].split(", ")
_ROW = select("iterations", "WHERE {}")


@dataclass(frozen=True)
class Keeps:
    """Which checkpoints stay."""

    nets: int = 5
    """How many of the newest nets."""
    nets_every: int = 10
    """Nets of iterations that this divides, too; 0: no others."""
    states: int = 2
    """How many of the newest states: one more than the last, in case it is damaged."""


@dataclass(frozen=True)
class Checkpoint:
    """What training goes on with."""

    iteration: int
    """The iteration that ended with it."""
    net: Net | None
    """The newest net published by then."""
    tensors: Tensors | None
    """The state of the learner, if it is left."""
    notes: tuple[str, ...]
    """A sentence for each newer checkpoint that is not whole."""


@dataclass(frozen=True)
class Named:
    """A file as the database knows it."""

    iteration: int
    file: str
    sha256: str
    is_known: bool = True
    """Whether what the database says of the iteration is whole."""

    @property
    def is_checkpoint(self) -> bool:
        """Whether it is a file that a run may have: strangers write databases, too."""
        name = f"{self.iteration:06d}.safetensors"
        return self.is_known and self.file in [f"{part}/{name}" for part in FOLDERS]

    def read(self, folder: Path) -> bytes:
        """Return what the file holds if it is what was committed."""
        if not self.is_known:
            raise UserError(f"what {FILE} says of it is damaged")
        if not self.is_checkpoint:
            raise UserError(f"{self.file!r} is not the name of a checkpoint")
        if not (folder / self.file).exists():
            raise UserError(f"{self.file} is missing")
        path, most = folder / self.file, STATE_FORMAT.max_bytes
        content = read_bytes(path, most, STATE_FORMAT.what, follows_links=False)
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise UserError(f"{self.file} is not as it was written (SHA-256 differs)")
        return content


def net_name(iteration: int) -> str:
    """Return the name of an iteration's net in its run."""
    return f"nets/{iteration:06d}.safetensors"


def write_net(folder: Path, iteration: int, net: Net | None) -> Named | None:
    """Write a net that is published."""
    if net is None:
        return None
    file = net_name(iteration)
    return Named(iteration, file, save_net(net, folder / file))


def write_state(folder: Path, iteration: int, tensors: Tensors | None) -> Named | None:
    """Write the state of the learner."""
    if tensors is None:
        return None
    file = f"state/{iteration:06d}.safetensors"
    return Named(iteration, file, save_state(tensors, iteration, folder / file))


def save_state(tensors: Mapping[str, NDArray[Any]], iteration: int, path: Path) -> str:
    """Write the state of a learner whole or not at all; return the file's SHA-256."""
    content = STATE_FORMAT.pack(tensors, {"iteration": str(iteration)})
    write_bytes(path, content)
    return hashlib.sha256(content).hexdigest()


def state_from_bytes(content: bytes, iteration: int, source: Path | str) -> Tensors:
    """Return the state that a file holds; `source` is its name in errors."""
    tensors, texts = STATE_FORMAT.unpack(content, source)
    if texts.get("iteration") != str(iteration):
        raise UserError(f"{source} is of iteration {texts.get('iteration')}")
    for name, array in tensors.items():
        if not np.isfinite(array).all():
            raise UserError(f"{source} has numbers that are not finite ({name})")
    return tensors


def forget_old(base: Base, keeps: Keeps) -> None:
    """Let the database name only the files to keep; `sweep` removes the others."""
    states = f"state_file IS NOT NULL AND number NOT IN ({_latest('state')})"
    nets = (
        f"net_file IS NOT NULL AND number NOT IN ({_latest('net')})"
        " AND coalesce(number % ?, 1) != 0"  # NULL with 0: none is kept for its number
    )
    _forget(base, "state", base.rows(_ROW.format(states), (keeps.states,)))
    kept = max(keeps.nets, keeps.states), keeps.nets_every  # a state needs its net
    _forget(base, "net", base.rows(_ROW.format(nets), kept))


def _latest(kind: str) -> str:
    return (
        f"SELECT number FROM iterations WHERE {kind}_file IS NOT NULL"
        " ORDER BY number DESC LIMIT ?"
    )


def _forget(base: Base, kind: str, rows: list[Any]) -> None:
    """Remove the name of a file from rows of iterations; a damaged one stays."""
    at = _FIELDS.index(f"{kind}_file")
    whole = [row[:-1] for row in rows if is_whole(row)]
    insert(base, "iterations", [(*row[:at], None, *row[at + 1 :]) for row in whole])


def sweep(folder: Path, base: Base) -> None:
    """Remove checkpoints and drafts that the database does not name.

    Those of an iteration stay if the database is damaged there.
    """
    rows = base.rows("SELECT net_file, state_file FROM iterations")
    named = {file for row in rows for file in row if file is not None}
    for place in ("", *(f"{part}/" for part in FOLDERS)):
        for name in _names_in(folder / place):
            file = place + name
            if file in named or not _OURS.fullmatch(file):
                continue
            if name.startswith(".") or not _is_damaged(base, int(name.split(".")[0])):
                with suppress(OSError):  # another time will do
                    os.unlink(f"{folder}/{file}")


def _names_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder.

    A Path of each would do, but Python remembers for long what a Path was made of: a
    training's memory grew with the files it kept.
    """
    with suppress(OSError):
        return os.listdir(folder)
    return []


def _is_damaged(base: Base, number: int) -> bool:
    return not all(map(is_whole, base.rows(_ROW.format("number = ?"), (number,))))


def find_last(folder: Path, base: Base) -> Checkpoint | None:
    """Return the newest checkpoint that is whole, or None if there was never one."""
    states, nets = list(named_files(base, "state")), list(named_files(base, "net"))
    if not states and not nets:
        return None
    notes: list[str] = []
    for state in states:
        net = next((net for net in nets if net.iteration <= state.iteration), None)
        try:
            return Checkpoint(
                state.iteration,
                None if net is None else net_from_bytes(net.read(folder), net.file),
                state_from_bytes(state.read(folder), state.iteration, state.file),
                tuple(notes),
            )
        except UserError as error:
            notes.append(f"checkpoint {state.iteration} is not used: {error}")
    return _last_net(folder, nets, notes)


def _last_net(folder: Path, nets: list[Named], notes: list[str]) -> Checkpoint:
    """Return the newest net that is whole, without the state of a learner."""
    for net in nets:
        try:
            loaded = net_from_bytes(net.read(folder), net.file)
        except UserError as error:
            notes.append(f"net {net.iteration} is not used: {error}")
            continue
        return Checkpoint(net.iteration, loaded, None, tuple(notes))
    return Checkpoint(0, None, None, (*notes, "no checkpoint is left whole"))


def named_files(base: Base, kind: str) -> Iterator[Named]:
    """Give the files that are kept, newest first."""
    at = _FIELDS.index(f"{kind}_file")
    which = _ROW.format(f"{kind}_file IS NOT NULL") + " ORDER BY number DESC"
    for row in base.rows(which):
        yield Named(row[0], row[at], row[at + 1], is_whole(row))
