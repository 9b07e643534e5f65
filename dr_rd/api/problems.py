"""What goes wrong in a request, as a problem document (RFC 9457) with one plain sentence."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import anyio.to_thread
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.errors import CallerError
from core.values import Frozen
from dr_rd.service import ResearchService

ServiceOf = Callable[[], ResearchService]
"""Returns the process's service once the server has started."""

MOST_BYTES = 2_000_000
"""The longest body of a request: a brief and a scenario of a megabyte each."""

B = TypeVar("B", bound=Frozen)


class NotFound(CallerError):
    """The address names something that is not there."""


class NotYours(CallerError):
    """What is asked is for whoever holds a seat, and the request does not show its token."""


class TooSoon(CallerError):
    """What is asked does not fit the state that the thing is in."""


def problem(sentence: str, status: int = 400) -> Response:
    """Return the problem document for a request that cannot be answered."""
    titles: Mapping[int, str] = {
        400: "The request cannot be used",
        403: "The request may not be made by its sender",
        404: "There is no such thing",
        409: "The request does not fit the state",
        413: "The request is too long",
    }
    body = {"type": "about:blank", "title": titles[status], "status": status, "detail": sentence}
    return JSONResponse(body, status, media_type="application/problem+json")


async def read_body(request: Request, kind: type[B]) -> B:
    """Return the request's JSON body as *kind*; raises CallerError that names the first fault."""
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MOST_BYTES:
            raise CallerError(f"the body is larger than {MOST_BYTES:,} bytes; shorten it")
    try:
        return kind.model_validate(_parsed(bytes(raw)) if raw else {})
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "the body"
        fields = ", ".join(kind.model_fields)
        raise CallerError(f"{place}: {fault['msg'].lower()}; the fields are {fields}") from wrong
    except ValueError as wrong:
        raise CallerError("the body is not JSON; send one JSON object") from wrong


def _parsed(raw: bytes) -> object:
    """Return the JSON value in *raw*; raises ValueError for what no file could hold again."""
    found = from_json(raw)  # knows no half of a surrogate pair, and bounds depth and digits
    json.dumps(found, allow_nan=False)  # 1e999 is read as infinity
    return found


class ApiRoute(Route):
    """A route that says in the API's description what it is for and what it takes."""

    summary: str = ""
    body: type[Frozen] | None = None
    status: int = 200


def json_route(
    path: str,
    answer: Callable[[Request], Awaitable[Any]],
    method: str = "GET",
    status: int = 200,
    *,
    body: type[Frozen] | None = None,
) -> Route:
    """Return the route whose *answer* is a JSON value, or a response as it stands.

    The first line of *answer*'s docstring, and *body*, are what the API's description tells of it.
    """

    async def endpoint(request: Request) -> Response:
        try:
            found = await answer(request)
        except NotFound as mistake:
            return problem(str(mistake), 404)
        except NotYours as mistake:
            return problem(str(mistake), 403)
        except TooSoon as mistake:
            return problem(str(mistake), 409)
        except CallerError as mistake:
            return problem(str(mistake))
        return found if isinstance(found, Response) else JSONResponse(found, status)

    route = ApiRoute(path, endpoint, methods=[method])
    route.summary = (answer.__doc__ or "").partition("\n")[0].rstrip(".")
    route.body, route.status = body, status
    return route


async def off_loop(work: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401 - whatever it returns
    """Do blocking *work* in a thread, so that other requests are answered meanwhile."""
    return await anyio.to_thread.run_sync(lambda: work(*given))
