"""A run that somebody sends changes nothing here, ends soon, and says one line."""

import json
import os
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from faults.made_runs import CONFIG, FACTS, commit, commit_games, make_older, make_run
from ludens.errors import UserError
from ludens.store import checkpoints
from ludens.store.guard import Lock, has_writer
from ludens.store.run import Run
from ludens.store.summary import list_runs, summarise

MARK = bytes.fromhex("d9d505f920a163d7")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    make_run(folder, 2).close()
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "games.sqlite")) as base, base:
        for statement in statements:
            base.execute(statement)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refuse(folder: Path, complaint: str) -> None:
    """Check that a run is refused in one line, for reading and for writing."""
    before = bytes_of(folder)
    for write in (False, True):
        with pytest.raises(UserError, match=complaint) as caught:
            Run.open(folder, write=write)
        assert "\n" not in str(caught.value)
    left = bytes_of(folder)
    assert {name: left[name] for name in before} == before


def test_a_journal_that_names_another_file_removes_none(folder: Path) -> None:
    """SQLite takes that file for the journal of several databases, and deletes it."""
    victim = folder.parent / "victim"
    victim.write_bytes(b"dear")
    name = str(victim).encode()
    header = MARK + struct.pack(">IIIII", 0, 0, 0, 512, 4096)
    checksum = sum(name) & 0xFFFFFFFF
    end = struct.pack(">I", 1) + name + struct.pack(">II", len(name), checksum) + MARK
    (folder / "games.sqlite-journal").write_bytes(header.ljust(512, b"\0") + end)
    refuse(folder, "has a games.sqlite-journal that ludens did not write$")
    assert victim.read_bytes() == b"dear"


def half_done(folder: Path) -> None:
    """Leave what a writer leaves that is killed while it writes the database."""
    base = sqlite3.connect(folder / "games.sqlite", isolation_level=None)
    base.execute("PRAGMA cache_size = 1")
    base.execute("BEGIN")
    base.execute("DELETE FROM games")
    base.execute("CREATE TABLE filler AS SELECT randomblob(200000) AS x")
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy)
    base.execute("ROLLBACK")
    base.close()
    shutil.rmtree(folder)
    copy.rename(folder)


def test_what_a_killed_writer_left_half_done_is_undone(folder: Path) -> None:
    with Run.open(folder) as run:
        before = [game.number for game in run.games()]
    half_done(folder)
    assert (folder / "games.sqlite-journal").stat().st_size > 0
    with Run.open(folder) as run:
        assert [game.number for game in run.games()] == before
        assert run.damage == []
    with Run.open(folder, write=True) as run:
        commit(run, 3)


def test_a_reader_changes_no_byte(folder: Path) -> None:
    before = bytes_of(folder)
    with Run.open(folder) as run:
        summarise(run)
        list(run.games())
    assert bytes_of(folder) == before


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x"
PLANTED = {
    "a view for a table": (
        "ALTER TABLE facts RENAME TO old",
        f"CREATE VIEW facts AS {ENDLESS} AS key, x AS value FROM n",
    ),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON iterations BEGIN DELETE FROM games; END",
    ),
    "a column that is made up": (
        "DROP TABLE pending",
        "CREATE TABLE pending (number INTEGER PRIMARY KEY, began AS (1.0),"
        " seconds AS (1.0), metrics AS ('{}'))",
    ),
    "an index over a call": ("CREATE INDEX i ON games (abs(number))",),
    "a table of a module": ("CREATE VIRTUAL TABLE v USING fts5(x)",),
    "a table too few": ("DROP TABLE tallies",),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_schema_that_is_not_ours_is_refused(folder: Path, what: str) -> None:
    change(folder, *PLANTED[what])
    refuse(folder, r"is not a run of ludens: it (has another|lacks the) \w+ '")


def test_a_write_ahead_log_is_refused(folder: Path) -> None:
    change(folder, "PRAGMA journal_mode = WAL")
    refuse(folder, r"games.sqlite that no version of ludens wrote$")
    change(folder, "PRAGMA journal_mode = DELETE")
    (folder / "games.sqlite-wal").symlink_to("nowhere")
    refuse(folder, "has a games.sqlite-wal, which no run of ludens has$")


def test_pages_that_lead_to_each_other_end_soon(folder: Path) -> None:
    """A tree of pages in which all children are one has more rows than atoms exist."""
    path = folder / "games.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE filler (x)")
        for _ in range(8):
            base.execute("INSERT INTO filler VALUES (zeroblob(4000))")
        base.commit()
        where = "SELECT rootpage FROM sqlite_master WHERE name = "
        [root] = base.execute(f"{where} 'iterations'").fetchone()
        [last] = base.execute("PRAGMA page_count").fetchone()
        base.execute("DROP TABLE filler")
        base.commit()
    content = bytearray(path.read_bytes())
    leaf = content[(root - 1) * 4096 : root * 4096]
    pages = [root, *range(last - 5, last)]
    for page, child in zip(pages, [*pages[1:], last], strict=True):
        cells = [struct.pack(">I", child) + bytes([n % 128]) for n in range(400)]
        header = struct.pack(">BHHHBI", 5, 0, 400, 4096 - 2000, 0, child)
        places = b"".join(struct.pack(">H", 4096 - 5 * (n + 1)) for n in range(400))
        made = (header + places).ljust(4096 - 2000, b"\0") + b"".join(reversed(cells))
        content[(page - 1) * 4096 : page * 4096] = made
    content[(last - 1) * 4096 : last * 4096] = leaf
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"cannot (open|read) run .*: "):
        Run.open(folder)


def link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("name", ["writer", "log.txt", "config.toml"])
def test_a_link_does_not_lead_a_writer_out_of_its_run(folder: Path, name: str) -> None:
    victim = folder.parent / "victim"
    victim.write_bytes(b"dear")
    link(folder / name, victim)
    with Run.open(folder, write=True) as run:
        run.save_config("seed = 8\n")
        if name == "log.txt":
            with pytest.raises(UserError, match=r"cannot write run .*: it is a link$"):
                run.log("a line")
        commit(run, 3)
    assert victim.read_bytes() == b"dear"


def test_a_linked_lock_or_database_is_refused(folder: Path) -> None:
    victim = folder.parent / "victim"
    victim.write_bytes(b"dear")
    link(folder / "lock", victim)
    with pytest.raises(UserError, match=r"cannot write run .*: it is a link$"):
        Run.open(folder, write=True)
    link(folder / "writer", victim)
    has_writer(folder)
    assert victim.read_bytes() == b"dear"
    other = folder.parent / "other.sqlite"
    (folder / "games.sqlite").rename(other)
    link(folder / "games.sqlite", other)
    with pytest.raises(UserError, match=r"is not a run: it has no games.sqlite$"):
        Run.open(folder)


def test_linked_folders_of_nets_are_not_swept(folder: Path, whole: Path) -> None:
    (folder / "nets").rename(folder.parent / "nets")
    (folder.parent / "nets" / "000009.safetensors").write_bytes(b"dear")
    link(folder / "nets", folder.parent / "nets")
    refuse(folder, "nets is not a plain folder$")
    assert (folder.parent / "nets" / "000009.safetensors").exists()


@pytest.mark.parametrize("what", ["zero", "fifo", "link"])
def test_a_state_without_end_is_not_read(folder: Path, what: str) -> None:
    path = folder / "state" / "000002.safetensors"
    if what == "fifo":
        path.unlink()
        os.mkfifo(path)
    else:
        link(path, Path("/dev/zero" if what == "zero" else path.with_name("x")))
    with Run.open(folder) as run:
        found = run.last()
    assert found is not None
    assert found.iteration == 1
    assert len(found.notes) == 1


def test_a_fifo_for_a_database_is_no_run(folder: Path) -> None:
    (folder / "games.sqlite").unlink()
    os.mkfifo(folder / "games.sqlite")
    with pytest.raises(UserError, match="is not a run"):
        Run.open(folder)


NESTED = "[" * 100_000
WRONG: dict[str, tuple[str, object]] = {
    "nested metrics": ("UPDATE iterations SET metrics = ?", f'{{"a": {NESTED}'),
    "metrics that are a list": ("UPDATE iterations SET metrics = ?", "[1]"),
    "a number of 100,000 digits": (
        "UPDATE iterations SET metrics = ?",
        f'{{"elo": {"9" * 100_000}}}',
    ),
    "words for a number": (
        "UPDATE iterations SET metrics = ?",
        json.dumps({"elo": "\x1b[31m", "loss": [], "matches": {"a": 1}}),
    ),
    "metrics of bytes": ("UPDATE iterations SET metrics = ?", b"\xff\x00"),
    "times in words": ("UPDATE iterations SET began = ?", "now"),
    "files of bytes": ("UPDATE iterations SET net_file = ?", b"nets"),
    "2^62 actions": ("UPDATE games SET num_actions = ?", 2**62),
    "games of bytes": ("UPDATE games SET ending = ?", b"played"),
    "a result of bytes": ("UPDATE games SET result = ?", b"won"),
    "more positions than there are numbers": (
        "UPDATE games SET num_positions = ?",
        2**62,
    ),
    "nested settings": (
        "UPDATE facts SET value = ? WHERE key = 'config'",
        f"a = {NESTED}",
    ),
    "facts of bytes": ("UPDATE facts SET value = ? WHERE key = 'game'", b"\xff"),
    "an unknown number of players": (
        "INSERT INTO facts VALUES ('players', ?)",
        "9" * 10_000,
    ),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("number", [2, 3])
def test_wrong_types_and_huge_values_are_one_line(
    folder: Path, what: str, number: int
) -> None:
    """Whether or not a checksum would have found them."""
    if number == 2:
        make_older(folder, 2)
    with closing(sqlite3.connect(folder / "games.sqlite")) as base, base:
        base.execute(WRONG[what][0], (WRONG[what][1],))
    try:
        with Run.open(folder) as run:
            list(summarise(run).strength.lines())
            _ = summarise(run).settings
            list(run.games()), list(run.last_games(5)), run.unfinished(), run.last()
            run.nets(), run.pending()
            said = run.damage
    except UserError as error:
        said = [str(error)]
    assert all("\n" not in line for line in said)


def test_one_bad_run_takes_down_no_list(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_RUNS", str(folder.parent))
    for name, (sql, value) in WRONG.items():
        bad = shutil.copytree(folder, folder.parent / name)
        make_older(bad, 2)
        with closing(sqlite3.connect(bad / "games.sqlite")) as base, base:
            base.execute(sql, (value,))
    (folder.parent / "\x1b[31mred").mkdir()
    found = {listed.name: listed for listed in list_runs()}
    assert found["run"].games == 20
    assert len(found) == len(WRONG) + 2
    assert all(listed.trouble.isprintable() for listed in found.values())


def test_a_name_too_long_for_a_folder_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)
    with pytest.raises(UserError, match=r"File name too long$"):
        Run.start(folder, CONFIG, FACTS)
    with pytest.raises(UserError, match="is not a run"):
        Run.open(folder)


def test_a_lock_goes_though_the_system_has_no_locks_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    lock = Lock(folder)

    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", no_locks)
        with pytest.raises(UserError, match=r"No locks available$"):
            Lock(folder)
        lock.release()
    Lock(folder).release()


def test_who_loses_a_race_to_make_a_run_is_told_who_won(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one may have written nets before we look, and after we asked."""
    folder = tmp_path / "run"
    with make_run(folder) as run:
        run.commit_net(0, None, {}, {})
        (folder / "nets" / "000000.safetensors").write_bytes(b"")
        with monkeypatch.context() as patch:
            patch.setattr("ludens.store.database.is_run", lambda folder: False)
            with pytest.raises(UserError, match=f"in use by process {os.getpid()}$"):
                Run.create(folder, CONFIG, FACTS)


def test_the_folder_above_a_new_run_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    whole = os.fsync

    def listen(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        whole(handle)

    monkeypatch.setattr(os, "fsync", listen)
    make_run(tmp_path / "a" / "b").close()
    above = (tmp_path, tmp_path / "a", tmp_path / "a" / "b")
    assert {path.stat().st_ino for path in above} <= set(synced)


def test_damage_to_an_iteration_spares_its_files(folder: Path) -> None:
    """A row that no longer names its net must not cost the net."""
    change(folder, "UPDATE iterations SET net_file = NULL WHERE number = 1")
    with Run.open(folder, write=True) as run:
        assert (folder / "nets" / "000001.safetensors").exists()
        run.metrics()
        assert run.damage == ["iteration 1 is damaged: its metrics are left out"]
        commit_games(run, 3)
        checkpoints.forget_old(run.base, checkpoints.Keeps(nets=2, nets_every=0))
