"""What goes wrong in a request, as a problem document (RFC 9457) with one plain sentence."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio.to_thread
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.errors import CallerError
from core.values import Frozen
from dr_rd.service import ResearchService, without_folder

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


class TooLong(CallerError):
    """The request's body is longer than any that is read."""


_STATUS: Mapping[type[CallerError], int] = {
    NotYours: 403,
    NotFound: 404,
    TooSoon: 409,
    TooLong: 413,
}
"""How a mistake is answered; any other with 400."""

TITLES: Mapping[int, str] = {
    400: "The request cannot be used",
    401: "The request does not say who sends it",
    403: "The request may not be made by its sender",
    404: "There is no such thing",
    405: "There is nothing to do here by that method",
    409: "The request does not fit the state",
    413: "The request is too long",
}
"""What goes wrong in a request, by status."""


_HIDDEN: ContextVar[Path | None] = ContextVar("hidden", default=None)


@contextmanager
def hiding(folder: Path) -> Iterator[None]:
    """Name no *folder* of the server's in the problems of a request."""
    before = _HIDDEN.set(folder)
    try:
        yield
    finally:
        _HIDDEN.reset(before)


class Problem(Frozen):
    """A problem document (RFC 9457)."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    """What is wrong and what to do, in one plain sentence; the command line has the same."""


def problem(
    sentence: str, status: int = 400, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the problem document for a request that cannot be answered."""
    hidden = _HIDDEN.get()
    detail = without_folder(sentence, hidden) if hidden else sentence
    body = Problem(title=TITLES[status], status=status, detail=detail).model_dump()
    return JSONResponse(body, status, headers, media_type="application/problem+json")


async def read_body(request: Request, kind: type[B]) -> B:
    """Return the request's JSON body as *kind*; raises CallerError that names the first fault.

    Nothing is taken for what it is not, such as "5" for 5: the API's description holds to the letter.
    """
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MOST_BYTES:
            raise TooLong(f"the body is larger than {MOST_BYTES:,} bytes; shorten it")
    try:
        _check_json(bytes(raw or b"{}"))
        return kind.model_validate_json(bytes(raw or b"{}"), strict=True)
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "the body"
        fields = ", ".join(kind.model_fields)
        raise CallerError(f"{place}: {fault['msg'].lower()}; the fields are {fields}") from wrong
    except ValueError as wrong:
        raise CallerError("the body is not JSON; send one JSON object") from wrong


def _check_json(raw: bytes) -> None:
    """Raise ValueError for what is no JSON, or what no file could hold again."""
    found = from_json(raw)  # knows no half of a surrogate pair, and bounds depth and digits
    json.dumps(found, allow_nan=False)  # 1e999 is read as infinity


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a request may have besides its path and body."""

    name: str
    place: Literal["query", "header"]
    text: str
    kind: Any = str
    """The type that its text is read as."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the API's description tells of a route."""

    summary: str
    status: int
    body: type[Frozen] | None
    gives: Any
    """The type of what is answered; a text is the media type of what is no JSON."""
    parameters: Sequence[Parameter]
    problems: frozenset[int]
    """The statuses of what may go wrong."""


class ApiRoute(Route):
    """A route that says what the API's description tells of it."""

    told: Told


def json_route(
    path: str,
    answer: Callable[[Request], Awaitable[Any]],
    method: str = "GET",
    status: int = 200,
    *,
    body: type[Frozen] | None = None,
    gives: Any = dict[str, Any],  # noqa: ANN401 - any type
    parameters: Sequence[Parameter] = (),
    problems: Sequence[int] = (),
) -> ApiRoute:
    """Return the route whose *answer* is a JSON value, or a response as it stands.

    The first line of *answer*'s docstring and what else is given are what the API's description
    tells of it; of *problems* only those that neither the path nor the body makes plain.
    """

    async def endpoint(request: Request) -> Response:
        try:
            found = await answer(request)
        except CallerError as mistake:
            return problem(str(mistake), _STATUS.get(type(mistake), 400))
        return found if isinstance(found, Response) else JSONResponse(found, status)

    route = ApiRoute(path, endpoint, methods=[method])
    # what a path names may be there and be broken
    faults = {*problems, *((400, 404) if "{" in path else ()), *((400, 413) if body else ())}
    faults |= {400} if parameters else set()
    summary = (answer.__doc__ or "").partition("\n")[0].rstrip(".")
    route.told = Told(summary, status, body, gives, parameters, frozenset(faults))
    return route


async def off_loop(work: Callable[..., Any], *given: Any) -> Any:  # noqa: ANN401 - whatever it returns
    """Do blocking *work* in a thread, so that other requests are answered meanwhile."""
    return await anyio.to_thread.run_sync(lambda: work(*given))
