"""Find a network: a file, one of a run, or the one that comes with a game."""

from pathlib import Path

from ludens.errors import UserError
from ludens.loading.game import Game
from ludens.nets import weights


def find_net(text: str, game: Game | None = None) -> Path:
    """Return the file of a net: FILE, RUN or RUN@ITERATION; no text: the game's own.

    If no game is given, the text may be one; a run of the same name comes first.
    """
    if not text or text.endswith(weights.SUFFIX):
        return weights.net_file(text, game)
    name, iteration = _split(text)
    # Agents without a run need none of what runs do.
    from ludens.store.listing import find_run

    try:
        folder = find_run(name)
    except UserError:
        if game is None:
            return weights.net_file(text)
        raise
    return _net_of_run(folder, iteration)


def _split(text: str) -> tuple[str, int | None]:
    """Split RUN@ITERATION; the name of a run may have an @ too."""
    name, at, iteration = text.rpartition("@")
    if at and iteration.isdecimal():
        return name, int(iteration)
    return text, None


def _net_of_run(folder: Path, iteration: int | None) -> Path:
    from ludens.store.run import Run

    with Run.open(folder) as run:
        nets = run.nets()
    if not nets:
        raise UserError(f"run {folder.name} has no net yet")
    number = max(nets) if iteration is None else iteration
    if number not in nets:
        kept = ", ".join(map(str, nets))
        raise UserError(
            f"run {folder.name} has no net of iteration {number}; it has {kept}"
        )
    return nets[number]
