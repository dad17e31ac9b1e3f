"""The help of a command with settings lists all of them."""

import typer
from typer.testing import CliRunner

from ludens.cli.train import CommandWithSettings
from ludens.training.config import describe

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(cls=CommandWithSettings)
def run() -> None:
    """Do something."""


def test_help_ends_with_every_setting_in_a_line_of_its_own():
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    assert "Do something." in shown.output
    assert shown.output.endswith(describe() + "\n")
