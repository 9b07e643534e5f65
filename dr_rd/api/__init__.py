"""The HTTP API under /api: the same service as the page's, the same sentences as the command line's.

::

    access.py     who sends a request
    problems.py   routes, and what goes wrong as RFC 9457 problem documents
    bodies.py     what several routes take
    openapi.py    the API's description, made from its routes
    <others>      routes of one kind each: a module with `routes(service)`, found beside this one
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from dr_rd.api.access import UsersOf, closed, current_user
from dr_rd.api.openapi import PATH, describe
from dr_rd.api.problems import ServiceOf, json_route, problem
from dr_rd.service import ResearchService


def api_routes(service: ServiceOf, users: UsersOf = lambda: None) -> Sequence[BaseRoute]:
    """Return every route of the API; *service* and *users* are called when a request comes.

    Where there are users, each is served as if their runs were all there are.
    """

    def own() -> ResearchService:
        user = current_user()
        return service().for_user(user) if user else service()

    modules = (import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__))
    makers = (getattr(module, "routes", None) for module in modules)
    found = [route for make in makers if make for route in make(own)]
    described = cache(lambda: describe(found))  # made when asked for: it takes a while

    async def description(_: Request) -> Mapping[str, Any]:
        """Describe this API (OpenAPI 3.1)."""
        return described()

    found.append(json_route(PATH, description))
    routes = [*found, Route("/api/{rest:path}", _Nowhere(found))]
    return [closed(route, users, lambda: service().store.root) for route in routes]


class _Nowhere:
    """Says that there is no such route, where the page's server would send its page."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = [route for route in routes if isinstance(route, Route)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        there = [route.methods or set() for route in self._routes if route.path_regex.match(path)]
        said = f"there is no {method} {path[:80]}; see {PATH}"
        if there:
            allowed = {"Allow": ", ".join(sorted(set().union(*there)))}
            await problem(said, 405, allowed)(scope, receive, send)
        else:
            await problem(said, 404)(scope, receive, send)
