"""The README for a package index, where links into the repository lead nowhere."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """Give the README with pictures left out and links as their words."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme of the project."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": without_links(text),
        }


def without_links(text: str) -> str:
    """Return Markdown without pictures and links that are relative."""
    text = re.sub(r"^!\[[^]]*\]\([^):]+\)\n\n?", "", text, flags=re.MULTILINE)
    return re.sub(r"\[([^]]*)\]\([^):]+\)", r"\1", text)
