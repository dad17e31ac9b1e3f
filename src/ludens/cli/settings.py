"""Help that lists every setting of a training."""

from typing import Any

from typer.core import TyperCommand


class CommandWithSettings(TyperCommand):
    """A command whose help ends with all settings, read only when it is asked for."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the settings, line by line as they are."""
        from ludens.train.config import describe

        formatter.write("\nSettings for --set and TOML files, with their defaults:\n")
        formatter.write(describe() + "\n")
