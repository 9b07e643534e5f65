"""The document that a browser draws the page in: Streamlit's own, with the page's stylesheet in it.

What a script sends as style comes with a part of Streamlit that a browser loads when it is first
needed. Until then, seconds on a busy machine, the page would stand there without its style.
"""

from collections.abc import Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route
from streamlit.file_util import get_static_dir

TITLE = "dr-rd workbench"
PATHS = ("", "run", "runs", "compare", "help")
"""The addresses of the pages."""

_STYLE = Path(__file__).with_name("style.css")


def document() -> str:
    """Return the document, styled and named before any script has run."""
    plain = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    named = plain.replace("<title>Streamlit</title>", f"<title>{TITLE}</title>")
    style = f"<style>\n{_STYLE.read_text('utf-8')}</style>"
    return named.replace("</head>", f"{style}\n</head>", 1)


def routes() -> Sequence[BaseRoute]:
    """Return a route for each page, all of the same document."""
    served = document()

    async def page(_: Request) -> HTMLResponse:
        return HTMLResponse(served, headers={"Cache-Control": "no-cache"})

    return [Route(f"/{path}", page) for path in PATHS]
