"""The files of a run's iterations: written first, named by the database, pruned."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ludens.errors import UserError
from ludens.files import Tensors
from ludens.nets.weights import Net, net_from_bytes, save_net
from ludens.store.state import save_state, state_from_bytes

FOLDERS = ("nets", "state")
KEPT_STATES = 2
"""The newest, and the one before in case the newest is damaged."""
_OURS = re.compile(r"\d{6,}\.safetensors|\.(\d{6,}\.safetensors|config\.toml)\.\d+")
"""Checkpoints and drafts: any other file is the user's."""
_NAMES = re.compile(r"(nets|state)/\d{6,}\.safetensors")


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

    @property
    def is_checkpoint(self) -> bool:
        """Whether it is a file that a run may have: strangers write databases, too."""
        return _NAMES.fullmatch(self.file) is not None

    def read(self, folder: Path) -> bytes:
        """Return what the file holds if it is what was committed."""
        if not self.is_checkpoint:
            raise UserError(f"{self.file!r} is not the name of a checkpoint")
        try:
            content = (folder / self.file).read_bytes()
        except FileNotFoundError:
            raise UserError(f"{self.file} is missing") from None
        except OSError as error:
            raise UserError(f"cannot read {self.file}: {error.strerror}") from None
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise UserError(f"{self.file} is not as it was written (SHA-256 differs)")
        return content


def write_net(folder: Path, iteration: int, net: Net | None) -> Named | None:
    """Write a net that is published."""
    if net is None:
        return None
    file = f"nets/{iteration:06d}.safetensors"
    return Named(iteration, file, save_net(net, folder / file))


def write_state(folder: Path, iteration: int, tensors: Tensors | None) -> Named | None:
    """Write the state of the learner."""
    if tensors is None:
        return None
    file = f"state/{iteration:06d}.safetensors"
    return Named(iteration, file, save_state(tensors, iteration, folder / file))


def forget_old(base: sqlite3.Connection, keep: int, keep_every: int) -> None:
    """Let the database name only the files to keep; `sweep` removes the others."""
    latest = (
        "SELECT number FROM iterations WHERE {0} IS NOT NULL"
        " ORDER BY number DESC LIMIT ?"
    )
    base.execute(
        "UPDATE iterations SET state_file = NULL WHERE state_file IS NOT NULL"
        f" AND number NOT IN ({latest.format('state_file')})",
        (KEPT_STATES,),
    )
    base.execute(
        "UPDATE iterations SET net_file = NULL WHERE net_file IS NOT NULL"
        f" AND number NOT IN ({latest.format('net_file')})"
        " AND coalesce(number % ?, 1) != 0",  # NULL with 0: none is kept for its number
        (keep, keep_every),
    )


def sweep(folder: Path, base: sqlite3.Connection) -> None:
    """Remove checkpoints and drafts that the database does not name."""
    rows = base.execute("SELECT net_file, state_file FROM iterations").fetchall()
    named = {folder / file for row in rows for file in row if file is not None}
    for pattern in (".config.toml.*", *(f"{part}/*" for part in FOLDERS)):
        for path in folder.glob(pattern):
            if path not in named and _OURS.fullmatch(path.name):
                with suppress(OSError):  # another time will do
                    path.unlink()


def find_last(folder: Path, base: sqlite3.Connection) -> Checkpoint | None:
    """Return the newest checkpoint that is whole, or None if there was never one."""
    states, nets = list(_files(base, "state")), list(_files(base, "net"))
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


def _files(base: sqlite3.Connection, kind: str) -> Iterator[Named]:
    """Give the files that are kept, newest first."""
    rows = base.execute(
        f"SELECT number, {kind}_file, {kind}_sha256 FROM iterations"
        f" WHERE {kind}_file IS NOT NULL ORDER BY number DESC"
    )
    return (Named(*row) for row in rows.fetchall())
