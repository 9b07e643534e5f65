"""Files of the page, each for whom the page has sent its address.

Streamlit keeps a file that a page shows under a digest of its contents, for all sessions. What a
server with users sends over a page's socket is therefore looked through for addresses of files, and
each is served to who has the cookie of that socket.
"""

import re
from collections import OrderedDict

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.files import sha256

_ADDRESS = re.compile(rb"/media/([0-9a-f]{32,64})")
_FILE = re.compile(r"/media/([0-9a-f]{32,64})")

_MOST = 10_000
"""Addresses that are remembered; a page that shows an older one sends it anew when it is loaded."""


class OwnFilesOnly:
    """An ASGI application that serves a file to who was sent its address.

    Args:
        app: Serves the page and its files.
        cookies: The cookies that tell who somebody is begin with one of these names.

    """

    def __init__(self, app: ASGIApp, cookies: tuple[str, ...]) -> None:
        self._app, self._cookies = app, cookies
        self._sent: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or say that there is no such file."""
        if scope["type"] == "websocket":
            who = self._who(scope)

            async def seen(message: Message) -> None:
                for found in _ADDRESS.findall(message.get("bytes") or b""):
                    self._note(who, found.decode())
                await send(message)

            await self._app(scope, receive, seen)
            return
        if scope["type"] == "http" and not self._may_have(scope):
            await PlainTextResponse("File not found", 404)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _may_have(self, scope: Scope) -> bool:
        if not scope["path"].startswith("/media/"):
            return True
        named = _FILE.match(scope["path"])
        return named is not None and (self._who(scope), named[1]) in self._sent

    def _who(self, scope: Scope) -> str:
        cookies = HTTPConnection(scope).cookies
        told = sorted(f"{k}={v}" for k, v in cookies.items() if k.startswith(self._cookies))
        return sha256("\n".join(told).encode())

    def _note(self, who: str, file: str) -> None:
        self._sent[who, file] = None
        self._sent.move_to_end((who, file))
        if len(self._sent) > _MOST:
            self._sent.popitem(last=False)
