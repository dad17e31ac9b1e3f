"""The page's files, each below the version of them all, so that browsers keep them."""

import hashlib
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"
FOR_THE_TYPE_CHECKER = "types.js"
"""The one module that no other imports."""
_NAMED = re.compile(r'\b(href|src)="(\w+\.\w+)"')


class KeptFiles(StaticFiles):
    """Files that a browser need not ask for again: an edit gives them another path."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["Cache-Control"] = "max-age=31536000, immutable"
        return answer


async def front_page(_: Request) -> Response:
    """Answer with the page, which names the files of today's version."""
    return HTMLResponse(versioned_page())


def versioned_page() -> str:
    """Return the page with paths below the version; it asks for all modules at once."""
    files = sorted(STATIC.iterdir())
    version = _version(files)
    modules = (file.name for file in files if file.suffix == ".js")
    early = "".join(
        f'<link rel="modulepreload" href="{name}" />'
        for name in modules
        if name != FOR_THE_TYPE_CHECKER
    )
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    text = text.replace("</head>", f"{early}</head>")
    return _NAMED.sub(rf'\1="v/{version}/\2"', text)


def _version(files: list[Path]) -> str:
    """Return a hash of what the files are now."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
