"""The HTTP API under /api: the same service as the page's, the same sentences as the command line's.

::

    problems.py   what goes wrong, as RFC 9457 problem documents
    <others>      routes of one kind each: a module with `routes(service)`, found beside this one
"""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from starlette.routing import BaseRoute

from dr_rd.api.problems import ServiceOf


def api_routes(service: ServiceOf) -> Sequence[BaseRoute]:
    """Return every route of the API; *service* is called when a request comes."""
    modules = (import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__))
    makers = (getattr(module, "routes", None) for module in modules)
    return [route for make in makers if make for route in make(service)]
