"""Dependencies point one way, and what must stay light does."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "ludens"
MAY_IMPORT = {
    "agents": (
        "errors game infer loading nets pictures rng search settings solver state store"
    ),
    "arena": "agents cores errors game loading rng solver state",
    "bench": (
        "agents arena cores errors formats game infer loading log nets rng search "
        "selfplay solver state store training"
    ),
    "boards": "game",
    "check": "formats game loading rng state",
    "cluster": (
        "agents arena cores errors files formats game infer learn loading log nets rng "
        "search selfplay settings state store"
    ),
    "cores": "",
    "envs": "agents errors formats game loading rng state",
    "errors": "",
    "files": "errors",
    "formats": "boards errors files game loading state",
    "game": "loading",
    "games": "boards game",
    "infer": "errors game nets search",
    "learn": "cores errors game infer loading nets selfplay settings",
    "loading": "cores errors formats game games log rng state",
    "log": "errors",
    "nets": "errors files loading rng settings",
    "pictures": "agents errors formats game search state",
    "protocols": "agents errors game loading nets rng search signals solver state",
    "report": "errors formats loading pictures selfplay settings state store training",
    "rng": "loading",
    "search": "cores errors game loading rng settings solver",
    "selfplay": "cores errors game infer loading rng search settings",
    "settings": "errors loading",
    "signals": "",
    "solver": "errors files game loading rng state",
    "state": "errors game pictures rng",
    "store": "errors files formats loading nets selfplay state",
    "track": "errors files loading report store training",
    "training": (
        "agents arena cluster cores errors files formats game infer learn loading nets "
        "rng search selfplay settings solver state store"
    ),
    "web": (
        "agents arena cores errors formats game loading nets pictures rng search "
        "selfplay solver state store"
    ),
}
"""What each part may import of the others, anywhere in it; the command line may all."""


def read_tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def module_of(file: Path, source: Path) -> str:
    parts = file.relative_to(source).with_suffix("").parts
    return ".".join(("ludens", *parts)).removesuffix(".__init__")


def walk_code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only a type checker sees."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from walk_code(child)


def imports_of(file: Path, modules: Collection[str]) -> set[str]:
    """Return the modules that a file imports, wherever, or names in a string."""
    found = set()
    for node in walk_code(read_tree(file)):
        if isinstance(node, ast.ImportFrom):
            home = node.module or ""
            names = {f"{home}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else home for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found & set(modules)


def import_graph(source: Path) -> dict[str, set[str]]:
    """Return what each module imports; the package's own face imports nothing."""
    files = {module_of(file, source): file for file in source.rglob("*.py")}
    del files["ludens"]
    return {name: imports_of(file, files) - {name} for name, file in files.items()}


GRAPH = import_graph(SOURCE)


def test_no_module_imports_itself_by_detours() -> None:
    TopologicalSorter(GRAPH).prepare()


@pytest.mark.parametrize(
    "back",
    [
        "from ludens.first import x",
        "def later():\n    from ludens import first",
        "def later():\n    import ludens.first",
        "HOME = 'ludens.first'",
    ],
)
def test_a_planted_cycle_is_found(tmp_path: Path, back: str) -> None:
    (tmp_path / "__init__.py").touch()
    (tmp_path / "first.py").write_text("import ludens.second")
    (tmp_path / "second.py").write_text(back)
    with pytest.raises(CycleError):
        TopologicalSorter(import_graph(tmp_path)).prepare()


@pytest.mark.parametrize("module", sorted(GRAPH))
def test_dependencies_point_one_way(module: str) -> None:
    part = module.split(".")[1]
    if part not in ("cli", "__main__"):
        others = {name.split(".")[1] for name in GRAPH[module]} - {part}
        assert others <= set(MAY_IMPORT[part].split())


FILES = sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def test_nothing_that_runs_what_it_reads_is_imported() -> None:
    runs_it = {"pickle", "cloudpickle", "dill", "marshal", "shelve"}
    for file in FILES:
        for node in ast.walk(read_tree(file)):
            if isinstance(node, ast.Import):
                assert runs_it.isdisjoint(alias.name for alias in node.names), file
            if isinstance(node, ast.ImportFrom):
                assert node.module not in runs_it, file


def test_only_the_bridge_to_ray_imports_it() -> None:
    mark = re.compile(r"^\s*(import|from) ray\b", re.MULTILINE)
    users = [file for file in FILES if mark.search(file.read_text(encoding="utf-8"))]
    assert [module_of(file, SOURCE) for file in users] == ["ludens.cluster.bridge"]
    known_by = [name for name in GRAPH if "ludens.cluster.bridge" in GRAPH[name]]
    assert known_by == ["ludens.cluster.link"]  # which starts it as a process


def test_importing_ludens_loads_nothing_heavy() -> None:
    script = "import sys, ludens; print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_files_of_tests_have_names_of_their_own() -> None:
    """Otherwise pytest refuses to run them together, as `make slow` does."""
    names = [file.name for file in TESTS.rglob("*.py") if file.name != "conftest.py"]
    assert [name for name in set(names) if names.count(name) > 1] == []
