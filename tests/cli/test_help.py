import os
import re
import subprocess
import sys

import pytest

from ludens.agents import AGENTS
from ludens.cli import app

VERBS = [command.name for command in app.registered_commands]


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from ludens.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as left: print(left.code, *sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    code, *modules = ran.stdout.splitlines()[-1].split()
    assert code == "0"
    assert not {"numba", "torch", "numpy", "pydantic", "rich"} & set(modules)


def test_without_a_verb_the_help_is_shown(ludens):
    assert ludens() == ludens("--help")
    assert all(f"\n  {verb}  " in ludens().out for verb in VERBS)


def test_a_shell_can_complete_commands():
    asked = {"_LUDENS_COMPLETE": "complete_bash", "COMP_WORDS": "ludens pl"}
    ran = subprocess.run(
        [sys.executable, "-m", "ludens"],
        capture_output=True,
        text=True,
        env=os.environ | asked | {"COMP_CWORD": "1"},
    )
    assert (ran.stdout.split(), ran.stderr) == (["play"], "")


def test_no_line_of_help_is_cut(ludens):
    for verb in ((), ("bench",)):
        assert "..." not in ludens(*verb, "--help").out.partition("Commands:")[2]


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_words_of_its_own_not_of_python(ludens, verb):
    """Typer writes {GAME} in the usage and `AGENT <list[str]>` below it."""
    text, _, _ = ludens(verb, "--help").out.partition("\n\nSettings for --set")
    assert not set("{}<>") & set(re.sub(r"\[[^]]*\]", "", text))


def test_names_of_agents_stand_apart_from_what_they_do(ludens):
    lines = ludens("agents").out.partition("\n\n")[0].splitlines()
    assert {line.partition("  ")[0] for line in lines} == set(AGENTS)


def test_long_defaults_of_agents_stand_apart_from_what_they_are(ludens):
    lines = ludens("agents").out.splitlines()
    [memory] = [line.split() for line in lines if line.startswith("  memory_mb ")]
    assert memory[1:3] == ["2048/2048/0", "memory"]


def test_version(ludens):
    assert ludens("--version").out == "ludens 0.1.0\n"


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_one_line_of_help(ludens, verb):
    ran = ludens(verb, "--help")
    text, _, _ = ran.out.partition("\n\nSettings for --set")
    _, about, *arguments, options = text.split("\n\n")
    assert len(about.splitlines()) == 1
    for part in (*arguments, options):
        for line in part.strip("\n").splitlines()[1:]:
            name, _, words = line.strip().partition("  ")
            assert words.strip(), line
            assert line.startswith("  --") or name.split()[0].isupper(), line
            assert len(line) <= 80
