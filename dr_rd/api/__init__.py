"""The HTTP API under /api: the same service as the page's, the same sentences as the command line's.

::

    problems.py   routes, and what goes wrong as RFC 9457 problem documents
    bodies.py     what several routes take
    openapi.py    the API's description, made from its routes
    <others>      routes of one kind each: a module with `routes(service)`, found beside this one
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from starlette.requests import Request
from starlette.routing import BaseRoute

from dr_rd.api.openapi import PATH, describe
from dr_rd.api.problems import NotFound, ServiceOf, json_route


def api_routes(service: ServiceOf) -> Sequence[BaseRoute]:
    """Return every route of the API; *service* is called when a request comes."""
    modules = (import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__))
    makers = (getattr(module, "routes", None) for module in modules)
    found = [route for make in makers if make for route in make(service)]
    described = describe(found)

    async def description(_: Request) -> Mapping[str, Any]:
        return described

    anything = ("GET", "POST", "PUT", "PATCH", "DELETE")
    unknown = [json_route("/api/{rest:path}", _nowhere, method) for method in anything]
    return [*found, json_route(PATH, description), *unknown]


async def _nowhere(request: Request) -> None:
    """Say that there is no such route, where the page's server would send its page."""
    raise NotFound(f"there is no {request.method} {request.url.path[:80]}; see {PATH}")
