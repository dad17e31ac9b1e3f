"""Dependencies point one way, and what must stay light does."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "ludens"
MAY_IMPORT = {
    "errors": set(),
    "commands": set(),
    "cores": set(),
    "signals": set(),
    "options": {"errors"},
    "settings": {"errors", "options"},
    "announcing": set(),
    "cachefolder": {"errors"},
    "jitting": {"announcing", "cachefolder"},
    "compilable": {"jitting"},
    "hashing": {"compilable"},
    "rng": {"compilable"},
    "search": {
        "compilable",
        "cores",
        "errors",
        "game",
        "hashing",
        "loading",
        "options",
        "rng",
        "search",
        "settings",
    },
    "game": {"options"},
    "editing": {"game"},
    "games": {"editing", "game", "games"},
    "completing": {"game", "options"},
    "compiled": {"jitting", "options"},
    "preparing": {
        "agents",
        "announcing",
        "cachefolder",
        "check",
        "cores",
        "errors",
        "loading",
        "search",
        "solver",
    },
    "behaviour": {"loading", "state"},
    "loading": {
        "behaviour",
        "compiled",
        "completing",
        "errors",
        "game",
        "jitting",
        "options",
        "state",
    },
    "state": {"errors", "game", "loading", "svg"},
    "notebook": {"analysis", "svg"},
    "kernels": {
        "compilable",
        "completing",
        "game",
        "hashing",
        "learn",
        "rng",
        "search",
        "solver",
    },
    "check": {
        "check",
        "compiled",
        "completing",
        "errors",
        "game",
        "loading",
        "options",
        "rng",
        "state",
    },
    "solver": {"compilable", "errors", "loading", "state"},
    "analysis": {"game", "notebook", "search", "state"},
    "treeview": {"analysis", "errors", "game", "search", "state"},
    "agents": {
        "agents",
        "analysis",
        "errors",
        "infer",
        "loading",
        "nets",
        "options",
        "rng",
        "search",
        "settings",
        "solver",
        "state",
        "store",
    },
    "arena": {
        "agents",
        "arena",
        "cores",
        "errors",
        "game",
        "loading",
        "search",
        "state",
    },
    "formats": {"errors", "formats", "loading", "options", "state"},
    "nets": {"commands", "errors", "formats", "loading", "nets", "options", "settings"},
    "selfplay": {"cores", "game", "loading", "rng", "search", "selfplay", "settings"},
    "store": {"errors", "formats", "loading", "nets", "selfplay", "store"},
    "infer": {"commands", "errors", "game", "infer", "nets"},
    "learn": {
        "commands",
        "cores",
        "errors",
        "game",
        "infer",
        "learn",
        "loading",
        "nets",
        "selfplay",
        "settings",
    },
    "train": {
        "arena",
        "cores",
        "errors",
        "formats",
        "game",
        "infer",
        "learn",
        "loading",
        "nets",
        "options",
        "rng",
        "search",
        "selfplay",
        "settings",
        "solver",
        "state",
        "store",
        "train",
    },
    "svg": {"game"},
    "thoughts": {"analysis", "game", "state", "svg", "words"},
    "words": set(),
    "telling": {"errors", "loading", "state", "words"},
    "report": {
        "errors",
        "game",
        "loading",
        "nets",
        "report",
        "selfplay",
        "settings",
        "state",
        "store",
        "svg",
        "train",
        "words",
    },
    "track": {"commands", "errors", "formats", "report", "store", "track", "train"},
    "web": {
        "agents",
        "analysis",
        "announcing",
        "cores",
        "errors",
        "formats",
        "game",
        "loading",
        "nets",
        "options",
        "preparing",
        "search",
        "selfplay",
        "solver",
        "state",
        "store",
        "svg",
        "telling",
        "treeview",
        "web",
        "words",
    },
    "bench": {
        "agents",
        "arena",
        "bench",
        "cores",
        "errors",
        "formats",
        "infer",
        "learn",
        "loading",
        "nets",
        "options",
        "search",
        "selfplay",
        "solver",
        "state",
        "store",
        "train",
        "web",
        "words",
    },
}


def imports_of(file: Path) -> set[str]:
    """Return which parts of ludens a file imports, anywhere in it."""
    parts = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module == "ludens":
                names = [f"ludens.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        parts |= {n.split(".")[1] for n in names if n.startswith("ludens.")}
    return parts


FILES = sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


@pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_dependencies_point_one_way(file: Path) -> None:
    part = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part not in ("cli", "__main__"):  # the command line may use anything
        assert imports_of(file) <= MAY_IMPORT[part]


@pytest.mark.parametrize("name", ["pickle", "cloudpickle", "dill", "marshal", "shelve"])
def test_nothing_that_runs_what_it_reads_is_imported(name: str) -> None:
    for file in FILES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert name not in [alias.name for alias in node.names], file
            if isinstance(node, ast.ImportFrom):
                assert node.module != name, file


def test_public_names_are_these() -> None:
    import ludens

    assert ludens.__all__ == [
        "Game",
        "IllegalAction",
        "Record",
        "State",
        "UserError",
        "check_game",
        "load_game",
    ]
    for name in ludens.__all__:
        assert getattr(ludens, name)


def test_importing_ludens_loads_nothing_heavy() -> None:
    script = "import sys, ludens; print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
