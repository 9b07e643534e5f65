"""The API's description (OpenAPI 3.1), made from its routes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from starlette.routing import BaseRoute

from core.values import Frozen
from dr_rd.api.problems import ApiRoute

PATH = "/api/openapi.json"

_PROBLEM = {
    "description": "A problem document (RFC 9457); its detail is one plain sentence.",
    "content": {"application/problem+json": {"schema": {"type": "object"}}},
}


def describe(routes: Iterable[BaseRoute]) -> Mapping[str, Any]:
    """Return the description of those of *routes* that the API answers with JSON."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if isinstance(route, ApiRoute):
            (method,) = (route.methods or {"GET"}) - {"HEAD"}
            paths.setdefault(route.path, {})[method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "dr-rd", "version": version("dr-rd")},
        "paths": paths,
    }


def _operation(route: ApiRoute) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": route.summary,
        "parameters": _parameters(route.path),
        "responses": {str(route.status): {"description": "Done."}, "default": _PROBLEM},
    }
    if route.body:
        found["requestBody"] = {"required": True, "content": _content(route.body)}
    return found


def _content(body: type[Frozen]) -> dict[str, Any]:
    return {"application/json": {"schema": body.model_json_schema()}}


def _parameters(path: str) -> Sequence[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
    ]
