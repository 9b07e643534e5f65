"""The API's description (OpenAPI 3.1), made from its routes and the types that they take and give."""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Literal

from pydantic import TypeAdapter
from starlette.routing import BaseRoute

from dr_rd.api.problems import TITLES, ApiRoute, Parameter, Problem

PATH = "/api/openapi.json"

_SCHEMAS = "#/components/schemas/{model}"

_TOKEN = "token"  # noqa: S105 - a scheme's name

Schemas = Mapping[tuple[Any, Literal["validation", "serialization"]], Mapping[str, Any]]
"""JSON schemas, by what is described and whether it is taken ("validation") or given."""


def describe(routes: Iterable[BaseRoute]) -> Mapping[str, Any]:
    """Return the description of those of *routes* that say what they take and give."""
    told = [route for route in routes if isinstance(route, ApiRoute)]
    schemas, shared = _schemas(told)
    paths: dict[str, dict[str, Any]] = {}
    for route in told:
        (method,) = (route.methods or {"GET"}) - {"HEAD"}
        paths.setdefault(route.path, {})[method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "dr-rd",
            "version": version("dr-rd"),
            "description": "Runs of the workbench: started, watched, answered and taken home.",
        },
        "paths": paths,
        "components": {
            "schemas": shared,
            "securitySchemes": {
                _TOKEN: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A user's token; a server without users asks for none.",
                }
            },
        },
    }


def _schemas(routes: Sequence[ApiRoute]) -> tuple[Schemas, Mapping[str, Any]]:
    """Return the schemas of all that the routes take and give, and the parts that those share."""
    wanted: list[tuple[Any, Any, TypeAdapter[Any]]] = [
        ("problem", "serialization", TypeAdapter(Problem))
    ]
    for route in routes:
        if route.told.body:
            wanted.append((route.told.body, "validation", TypeAdapter(route.told.body)))
        if not isinstance(route.told.gives, str):
            wanted.append((route.endpoint, "serialization", TypeAdapter(route.told.gives)))
        for parameter in route.told.parameters:
            wanted.append((parameter, "validation", TypeAdapter(parameter.kind)))
    schemas, shared = TypeAdapter.json_schemas(wanted, ref_template=_SCHEMAS)
    return {**schemas}, shared.get("$defs", {})


def _operation(route: ApiRoute, schemas: Schemas) -> dict[str, Any]:
    told = route.told
    if isinstance(told.gives, str):
        content: dict[str, Any] = {told.gives: {}}
    else:
        content = {"application/json": {"schema": schemas[route.endpoint, "serialization"]}}
    answers = {told.status} | ({200} if told.status == 201 else set())
    done = {"description": "Done.", "content": content}
    found: dict[str, Any] = {
        "summary": told.summary,
        "security": [{}, {_TOKEN: []}],
        "parameters": [*_in_path(route.path), *(_given(p, schemas) for p in told.parameters)],
        "responses": {
            **{str(status): done for status in sorted(answers)},
            **{str(status): _problem(status, schemas) for status in sorted(told.problems | {401})},
        },
    }
    if told.body:
        needed = any(field.is_required() for field in told.body.model_fields.values())
        taken = {"application/json": {"schema": schemas[told.body, "validation"]}}
        found["requestBody"] = {"required": needed, "content": taken}
    return found


def _problem(status: int, schemas: Schemas) -> Mapping[str, Any]:
    schema = schemas["problem", "serialization"]
    return {
        "description": f"{TITLES[status]}: a problem document (RFC 9457).",
        "content": {"application/problem+json": {"schema": schema}},
    }


def _in_path(path: str) -> Sequence[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", path)
    ]


def _given(parameter: Parameter, schemas: Schemas) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.text,
        "schema": schemas[parameter, "validation"],
    }
