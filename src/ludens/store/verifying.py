"""Read all that a run has kept, and say what of it is damaged."""

from collections.abc import Callable, Iterator, Mapping

from ludens.errors import UserError
from ludens.files import TensorFormat, check_plain, read_bytes
from ludens.store import checkpoints, database
from ludens.store.guard import has_writer
from ludens.store.origin import read_origin
from ludens.store.run import CONFIG, Run

TRUTH_FILE = "truth.safetensors"
"""The solved positions of a run."""


def verify(run: Run, formats: Mapping[str, TensorFormat]) -> list[str]:
    """Return a sentence for each damage; `formats` are those of files beside nets."""
    found: list[str] = []
    for check in _checks(run, formats):
        try:
            with database.one_line(run.folder, "read"):
                check()
        except UserError as error:
            found.append(str(error))
    return [*run.damage, *found]


def _checks(
    run: Run, formats: Mapping[str, TensorFormat]
) -> Iterator[Callable[[], object]]:
    """Give what to do: each step raises a UserError, or the run notes a damage."""
    yield lambda: _check_pages(run)
    yield from (run.facts, run.metrics, run.tallies, run.pending, run.unfinished)
    yield run.workers
    yield lambda: sum(1 for _ in run.games())
    for kind in ("net", "state"):
        for named in checkpoints.named_files(run.base, kind):
            yield lambda named=named: named.read(run.folder)  # type: ignore[misc]
    yield lambda: _check_config(run)
    yield lambda: read_origin(run.folder, run.facts())
    for name, form in formats.items():
        if (run.folder / name).exists():
            yield lambda name=name, form=form: _check_file(run, name, form)  # type: ignore[misc]


def _check_pages(run: Run) -> None:
    """Let SQLite go through all pages, unless a writer would have to wait for that."""
    if has_writer(run.folder):
        return
    for (said,) in run.base.execute("PRAGMA integrity_check"):
        if said != "ok":
            run.note(f"{database.FILE}: {said}")


def _check_config(run: Run) -> None:
    path, kept = run.folder / CONFIG, run.facts().get("config", "")
    if read_bytes(path, 2**20, "settings", follows_links=False) != kept.encode():
        raise UserError(f"{CONFIG} has other settings than the run; it is not read")


def _check_file(run: Run, name: str, form: TensorFormat) -> None:
    check_plain(run.folder / name)
    form.read(run.folder / name)
