"""Compiled rules: never stale, found again by the next process, safe from others."""

import grp
import os
import pwd
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ludens import UserError, load_game
from ludens.agents import compiling
from ludens.agents import kernel as agents_kernel
from ludens.agents.compiling import prepare_agents
from ludens.bench import kernel as bench_kernel
from ludens.loading import ahead, jit
from ludens.loading import kernel as rules_kernel
from ludens.loading.ahead import prepare
from ludens.loading.announce import Announcer
from ludens.loading.cache import cache_folder
from ludens.loading.game import game_files
from ludens.search import kernel as search_kernel

TIC_TAC_TOE = game_files()["tic_tac_toe"].read_text(encoding="utf-8")
PLAY = """
import sys, numpy as np
from ludens import load_game
from ludens.bench import kernel as bench_kernel
game = load_game(sys.argv[1])
totals = np.zeros(4)
plies = game.kernel(bench_kernel).play_random(
    100, np.array([5], np.uint64), totals
)
print(plies, *totals[:3])
"""
NUM_LEGAL = """
from ludens import load_game
print(len(load_game("tic_tac_toe").new().legal_actions()))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("LUDENS_CACHE", str(folder))
    return folder


def play_in_new_process(spec: str) -> tuple[str, str]:
    """Return what PLAY prints and what appears on the screen beside it."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY, spec], capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def compiled_files(folder: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in folder.rglob("*.nbc")}


def test_second_process_starts_from_the_cache_unless_a_rule_was_edited(
    cache: Path, tmp_path: Path
) -> None:
    file = tmp_path / "my_game.py"
    file.write_text(TIC_TAC_TOE, encoding="utf-8")
    before, said = play_in_new_process(str(file))
    assert said == f"Compiling {file} (once) ...\n"
    facts = file.stat()
    edited = TIC_TAC_TOE.replace("(0, 4, 8), (2, 4, 6)", "(2, 4, 6), (2, 4, 6)")
    assert len(edited) == len(TIC_TAC_TOE)
    file.write_text(edited, encoding="utf-8")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    after, said = play_in_new_process(str(file))
    assert after != before
    assert said == f"Compiling {file} (once) ...\n"
    file.write_text(TIC_TAC_TOE, encoding="utf-8")
    files = compiled_files(cache)
    assert files
    assert play_in_new_process(str(file)) == (before, "")
    assert compiled_files(cache) == files


def test_edit_is_seen_within_one_process_too(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "my_game.py"
    file.write_text(TIC_TAC_TOE, encoding="utf-8")
    old = load_game(str(file)).new()
    file.write_text(TIC_TAC_TOE.replace("range(9)", "range(8)"), encoding="utf-8")
    new = load_game(str(file)).new()
    assert (len(old.legal_actions()), len(new.legal_actions())) == (9, 8)


def test_hash_sees_tables_options_and_functions_but_not_comments(
    tmp_path: Path,
) -> None:
    def hash_of(text: str) -> str:
        file = tmp_path / "a_game.py"
        file.write_text(text, encoding="utf-8")
        return load_game(str(file)).rules_hash

    original = hash_of(TIC_TAC_TOE)
    assert hash_of(TIC_TAC_TOE + "\n# A remark.\n") == original
    assert hash_of(TIC_TAC_TOE.replace("(2, 4, 6)", "(2, 4, 5)")) != original
    assert hash_of(TIC_TAC_TOE.replace("state.ply == 9", "state.ply == 8")) != original
    assert hash_of(TIC_TAC_TOE.replace('("ply", "i1")', '("ply", "i2")')) != original
    sizes = {load_game(f"gomoku:size={n}").rules_hash for n in (9, 10, 15)}
    assert len(sizes) == 3


def test_hash_sees_a_helper_module_and_a_kernel_edit(tmp_path: Path) -> None:
    from ludens.loading.reached import fingerprint

    namespace: dict[str, object] = {"LIMIT": 3}
    exec("def helper(x): return x + LIMIT\ndef rule(x): return helper(x)", namespace)
    first = fingerprint(namespace["rule"])
    namespace["LIMIT"] = 4
    second = fingerprint(namespace["rule"])
    exec("def helper(x): return x - LIMIT", namespace)
    assert len({first, second, fingerprint(namespace["rule"])}) == 3


PART = """
from ludens.game import option, rule
LAST = option("last", 9, "plies at most", low=5, high=9)
@rule
def is_last(ply):
    return ply == LAST
"""


@pytest.fixture
def in_two_files(tmp_path: Path) -> Path:
    """Tic-tac-toe with a part beside it, which has an option and a rule."""
    text = TIC_TAC_TOE.replace("state.ply == 9", "is_last(state.ply)")
    file = tmp_path / "my_game.py"
    file.write_text("from _my_part import is_last\n" + text, encoding="utf-8")
    (tmp_path / "_my_part.py").write_text(PART, encoding="utf-8")
    return file


def num_plies(spec: str, compiled: bool) -> int:
    state = load_game(spec, compiled=compiled).new()
    for name in ["a1", "b1", "c1", "a2", "c2", "b2", "a3", "c3", "b3"]:
        if not state.is_over:
            state.apply(name)
    return len(state.history)


@pytest.mark.parametrize("last", [6, 7, 9])
def test_a_part_beside_a_game_has_its_options(in_two_files: Path, last: int) -> None:
    spec = f"{in_two_files}:last={last}"
    assert num_plies(spec, compiled=False) == num_plies(spec, compiled=True) == last


def test_hash_sees_the_options_and_edits_of_a_part(in_two_files: Path) -> None:
    hashes = {load_game(f"{in_two_files}:last={n}").rules_hash for n in (8, 9)}
    loaded = load_game(str(in_two_files))
    edited = PART.replace("ply == LAST", "ply >= LAST")
    (in_two_files.parent / "_my_part.py").write_text(edited, encoding="utf-8")
    hashes.add(load_game(str(in_two_files)).rules_hash)
    assert len(hashes) == 3
    assert loaded.rules_hash in hashes
    loaded.new().apply("a1")
    assert list(loaded._parts.values()) == [PART]


def test_a_part_imported_as_a_module_is_hashed_by_what_is_used(
    in_two_files: Path,
) -> None:
    text = in_two_files.read_text(encoding="utf-8")
    text = text.replace("from _my_part import is_last", "import _my_part")
    text = text.replace("is_last(", "_my_part.is_last(")
    in_two_files.write_text(text, encoding="utf-8")
    hashes = {load_game(f"{in_two_files}:last={n}").rules_hash for n in (8, 9)}
    assert len(hashes) == 2
    assert num_plies(f"{in_two_files}:last=7", compiled=True) == 7


def test_a_copy_of_a_game_in_parts_is_the_same_game(tmp_path: Path) -> None:
    copy = tmp_path / "my_four.py"
    copy.write_bytes(game_files()["connect_four"].read_bytes())
    options = "rows=4,columns=5"
    mine, ours = load_game(f"{copy}:{options}"), load_game(f"connect_four:{options}")
    assert mine.rules_hash == ours.rules_hash
    assert mine.new().legal_actions() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "line",
    ["from {} import _my_part", "import {}._my_part", "import {}._my_part as part"],
)
def test_a_part_cannot_be_mistaken_for_a_module(in_two_files: Path, line: str) -> None:
    in_two_files.write_text(line.format(in_two_files.parent.name), encoding="utf-8")
    with pytest.raises(UserError, match="import from a part by name"):
        load_game(str(in_two_files))


def test_an_error_in_a_part_is_told_with_its_place(in_two_files: Path) -> None:
    part = in_two_files.parent / "_my_part.py"
    part.write_text(PART + "nothing\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"_my_part.py:7 does not load: NameError"):
        load_game(str(in_two_files))
    part.write_text(PART + "if\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"_my_part.py:7 does not load: SyntaxError"):
        load_game(str(in_two_files))


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722, 0o1777])
def test_cache_others_can_write_to_is_refused(
    cache: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    cache.chmod(mode)
    group = grp.struct_group(("several", "", os.getgid(), ["somebody"]))
    monkeypatch.setattr(grp, "getgrgid", lambda gid: group)
    with pytest.raises(UserError, match="is not safe: others may write to"):
        load_game("tic_tac_toe").new().legal_actions()
    assert list(cache.iterdir()) == []


def test_cache_below_a_folder_of_everybody_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody = tmp_path / "everybody"
    everybody.mkdir()
    everybody.chmod(0o777)
    monkeypatch.setenv("LUDENS_CACHE", str(everybody / "mine"))
    with pytest.raises(UserError, match="everybody"):
        cache_folder()


def test_cache_behind_a_link_is_refused(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    cache.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="is not safe"):
        cache_folder()


def test_cache_folder_is_made_private(cache: Path) -> None:
    assert cache_folder() == cache
    assert cache.stat().st_mode & 0o777 == 0o700


def test_missing_folders_are_made_private_under_any_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDENS_CACHE", str(tmp_path / "a" / "b" / "c"))
    before = os.umask(0o002)
    try:
        folder = cache_folder()
    finally:
        os.umask(before)
    modes = [place.stat().st_mode & 0o777 for place in (folder, *folder.parents[:2])]
    assert modes == [0o700] * 3


@pytest.mark.parametrize("place", ["", "cache"])
def test_a_group_of_ones_own_may_write_to_the_cache_and_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """With umask 002, usual where each user has a group, ~/.cache has mode 775."""
    parent = tmp_path / "parent"
    shared = parent / place
    shared.mkdir(parents=True)
    shared.chmod(0o775)
    monkeypatch.setenv("LUDENS_CACHE", str(parent / "cache"))
    user = pwd.getpwuid(os.getuid())
    own, strange = (
        grp.struct_group((name, "", user.pw_gid, members))
        for name, members in ((user.pw_name, []), (user.pw_name, ["somebody"]))
    )
    os.chown(shared, -1, user.pw_gid)
    monkeypatch.setattr(grp, "getgrgid", lambda gid: own)
    assert cache_folder() == parent / "cache"
    monkeypatch.setattr(grp, "getgrgid", lambda gid: strange)
    with pytest.raises(UserError, match="others may write to"):
        cache_folder()


def test_without_a_home_compiled_code_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder", encoding="utf-8")
    home = str(tmp_path / "home" / "nobody")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    given = {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "TMPDIR": str(scratch)}
    environment = {k: v for k, v in os.environ.items() if k != "LUDENS_CACHE"}
    done = subprocess.run(
        [sys.executable, "-c", NUM_LEGAL],
        capture_output=True,
        text=True,
        check=True,
        env=environment | given,
    )
    assert "cannot use the cache folder" in done.stderr
    assert "compiled code is not kept this time" in done.stderr
    assert done.stdout == "9\n"
    assert list(scratch.iterdir()) == []


COUNT_COMPILES = """
import sys
from numba.core import event
from ludens import load_game
from ludens.search.config import SearchConfig
from ludens.search.search import Search

compiled = []

class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
game = load_game(sys.argv[1])
state = game.new(1)
search = Search(game, SearchConfig(sims=50, rollouts=1))
made = [name.partition("_")[0] for name in compiled]
search.reset(state._array, [1])
search.run(seconds=60)
search.reuse(0, state.raw)
print(*sorted({*made} & {"simulate", "read", "reset", "prepare"}))
print(len(compiled) - len(made), int(search.run().sims[0]))
"""


def count_compiles(spec: str, **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_COMPILES, spec],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    return done.stdout.splitlines()


def test_what_agents_need_is_compiled_ahead_and_announced(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "my_game.py"
    file.write_text(TIC_TAC_TOE, encoding="utf-8")
    announcer = compile_ahead(monkeypatch)
    game = load_game(str(file))
    prepare_agents(game, ["solver", "nobody:at=all"])
    assert announcer.is_busy(game.spec)
    announcer.wait_for(game.spec, "solver.search")
    assert capsys.readouterr().err == f"Compiling {file} (once) ...\n"
    assert any(name.startswith("solver.search") for name in compiled_files(cache))
    prepare_agents(game, ["solver"])
    assert not announcer.is_busy(game.spec), "all is there already"


def compile_ahead(monkeypatch: pytest.MonkeyPatch) -> Announcer:
    """Let processes compile ahead, which tests do without; return who tells of it."""
    announcer = Announcer()
    for module in (ahead, jit):
        monkeypatch.setattr(module, "ANNOUNCER", announcer)
    monkeypatch.setattr(compiling, "prepare", prepare)
    return announcer


@pytest.mark.slow
def test_a_search_compiles_at_once_and_only_what_options_change_anew(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "some_lines.py"
    source = TIC_TAC_TOE.replace("import OVER,", "import OVER, option,")
    chosen = 'np.array([*ROWS, (0, 4, 8), (2, 4, 6)])[: option("lines", 8, "that win")]'
    source = source.replace("np.array([*ROWS, (0, 4, 8), (2, 4, 6)])", chosen)
    file.write_text(source, encoding="utf-8")
    entries, later = count_compiles(f"{file}:lines=7")
    assert entries == "prepare read reset simulate"
    assert later == "0 50"
    known = compiled_files(cache)

    announcer = compile_ahead(monkeypatch)
    game = load_game(str(file))
    prepare_agents(game, ["mcts", "nobody:at=all"])
    assert announcer.is_busy(game.spec)
    for entry in ("simulate", "read_roots", "prepare_roots", "reset"):
        announcer.wait_for(game.spec, f"search.{entry}")
    assert capsys.readouterr().err == f"Compiling {file} (once) ...\n"
    made = {name.partition("-")[0] for name in compiled_files(cache).keys() - known}
    assert made == {"search.simulate"}, "the others reach nothing that has changed"
    assert count_compiles(str(file)) == ["", "0 50"]
    prepare_agents(game, ["mcts"])
    assert not announcer.is_busy(game.spec), "all is there already"


@pytest.mark.parametrize("name", sorted(game_files()))
def test_random_games_are_the_same_compiled_and_not(name: str) -> None:
    found = []
    for compiled in (True, False):
        game = load_game(name, compiled=compiled)
        totals = np.zeros(4)
        generator = np.array([11], np.uint64)
        kernel = game.kernel(bench_kernel)
        plies = kernel.play_random(5, generator, totals)
        found.append((plies, totals.tolist(), int(generator[0])))
    assert found[0] == found[1]


def test_switch_in_the_environment_runs_rules_uncompiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUDENS_COMPILE", "0")
    game = load_game("tic_tac_toe")
    assert not game.compiled
    assert game.rules.legal is game.plain.legal


def test_two_signatures_of_an_entry_share_no_file(cache: Path) -> None:
    """Two processes that save them at the same time would mix them up."""
    game = load_game("tic_tac_toe")
    legal, states = game.rules.legal, game.states(1)
    for kind in (np.int32, np.int64):
        assert legal(states[0], np.empty(9, kind)) == 9
    kept = {path.name for path in cache.rglob("loading.legal*.nb?")}
    assert len(kept) == 4, kept
    again = load_game("tic_tac_toe").rules.legal
    assert again(states[0], np.empty(9, np.int64)) == 9
    assert len(list(cache.rglob("loading.legal*.nb?"))) == 4


def test_only_those_who_read_a_heuristic_depend_on_it(tmp_path: Path) -> None:
    places: dict[str, set[str]] = {"simulate": set(), "legal": set(), "weigh": set()}
    for number, guess in enumerate(("lead / (8 + abs(lead))", "lead / 100")):
        file = tmp_path / f"guess_{number}" / "noughts.py"
        file.parent.mkdir()
        changed = TIC_TAC_TOE.replace("lead / (8 + abs(lead))", guess)
        file.write_text(changed, encoding="utf-8")
        game = load_game(str(file), compiled=True)
        kernels = (search_kernel, rules_kernel, agents_kernel)
        for name, kernel in zip(places, kernels, strict=True):
            entry = getattr(game.kernel(kernel), name)
            places[name].add(entry.py_func.__code__.co_filename)
    assert {name: len(found) for name, found in places.items()} == {
        "simulate": 1,
        "legal": 1,
        "weigh": 2,
    }
