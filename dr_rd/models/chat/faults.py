"""What the outcomes of a request to a model's server mean."""

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TypeGuard, TypeVar

from core.clock import Clock
from core.errors import clipped
from core.redaction import Redactor
from core.requests import Fault, Reply, Request
from dr_rd.models.chat.sanitize import InvalidResponse, replace_lone_surrogates
from dr_rd.models.typed.ask import TOO_LONG

E = TypeVar("E", bound=BaseException)

_TRANSIENT = {408, 409, 425, 429}
_TOO_LONG = ("maximum context length", "available context size", "context_length", "context_size")
"""How servers say that a request is longer than the model can read."""
_ABOUT = {
    "response_format": (
        *("schema", "response_format", "grammar", "json_object", "json mode"),
        *("structured output", "maxlength", "maxitems"),
    ),
    "temperature": ("temperature",),
    "stream_options": ("stream_options", "include_usage"),
    "stream": ("streaming", "'stream'", '"stream"', "`stream`", "stream=true", "stream: true"),
}
"""By which words servers name the part of a request that they refuse."""
_REFUSING = {400, 422, 500, 501}
"""The statuses with which they do."""
_BROKEN = {500, 501}
"""Those with which servers fail that cannot stream what they are asked."""


class Outcomes:
    """What the outcomes of a request to one server mean."""

    def __init__(self, endpoint: str, redactor: Redactor, clock: Clock, read_s: float) -> None:
        self._endpoint, self._redactor = endpoint, redactor
        self._clock, self._read_s = clock, read_s

    def accepted(self, reply: Reply, declined: object, request: Request) -> Reply:
        """Return a reply that came to its end; raises Fault if the model has *declined* to answer."""
        if declined:
            said = f"the model refuses to answer: {self._quoted(str(declined))}"
            raise Fault("permanent", said)
        if not reply.finish:
            said = f"{self._endpoint} cut its reply off"
            partial = self._clean(reply.text)
            raise Fault("transient", said, partial=partial, about=_streamed(request))
        return reply

    def fault(
        self,
        error: Exception,
        request: Request,
        partial: str = "",
        *,
        unreached: bool = False,
        reason: str = "",
    ) -> Fault:
        """Say what went wrong, and whether it may go well another time.

        It is about the stream where a server might have given the same reply in one piece.

        Args:
            error: What was raised; `refused` has what a server answered.
            request: What was asked.
            partial: What had come.
            unreached: Whether there was no connection, or no longer.
            reason: What the server said of it.

        """
        import aiohttp  # noqa: PLC0415 - imported already by whoever has such an error

        partial, about = self._clean(partial), ""
        if invalid := _find_cause(error, InvalidResponse):
            said = f"{self._endpoint} {self._quoted(str(invalid))}"
            return Fault("permanent" if invalid.lasting else "transient", said, partial=partial)
        if _find_cause(error, aiohttp.ClientResponseError):
            said = f"{self._endpoint} sent a reply that is no HTTP"
        elif _find_cause(error, TimeoutError):
            said = f"{self._endpoint} said nothing for {self._read_s:g} s"
        elif unreached:
            said = f"{self._endpoint} cannot be reached, or broke the connection off"
        else:
            said = f"{self._endpoint} sent a reply that is no chat completion"
            if reason:
                said = f"{self._endpoint} failed: {self._quoted(reason)}"
            about = _streamed(request)
        return Fault("transient", said, partial=partial, about=about)

    def refused(
        self, status: int, headers: Mapping[str, str], said: object, request: Request
    ) -> Fault:
        """Say what an answer means that is none, of which *said* is what stands under "error"."""
        table = said if _is_table(said) else {}
        code = str(table.get("code") or table.get("type") or "")
        if told := self._server_wide_reason(status, code, request.model, headers):
            return Fault("permanent", told, status=status, everywhere=True)
        words = _server_message(status, said)
        about = _refused_field(f"{code} {words}") if status in _REFUSING else ""
        if status in _BROKEN and not about:
            about = _streamed(request)
        if status in _TRANSIENT or status >= 500:
            wait = self._retry_after(headers)
            line = self._quoted(words.partition("\n")[0])
            told = f"{self._endpoint} answers {status}{line and f': {line}'}"
            return Fault("transient", told, status=status, retry_after_s=wait, about=about)
        told = self._request_reason(status, code, words)
        return Fault("permanent", told, status=status, about=about)

    def _server_wide_reason(
        self, status: int, code: str, model: str, headers: Mapping[str, str]
    ) -> str:
        """Say what stands against every call to this server; "" if it is this one only."""
        if status < 400:
            to = self._quoted(headers.get("location", "nowhere"))
            return (
                f"{self._endpoint} redirects to {to}, which is not followed; "
                "set the server's own address"
            )
        if status == 402 or "insufficient_quota" in code:
            return f"the quota at {self._endpoint} is spent; add to it or set another key"
        if "model_not_found" in code:
            status = 404
        return {
            401: f"{self._endpoint} refuses the key; set the right one",
            403: f"{self._endpoint} does not allow this key to use {model!r}; set another",
            404: f"{self._endpoint} has no model {model!r} there; check model and address",
        }.get(status, "")

    def _request_reason(self, status: int, code: str, message: str) -> str:
        if status == 413 or any(sign in f"{code} {message}" for sign in _TOO_LONG):
            return f"{TOO_LONG}; give the task less to read"
        if "content_filter" in code:
            return "the provider's content filter refuses the request; word the task anew"
        told = self._quoted(message) or "it does not say why"
        return f"{self._endpoint} refuses the request ({status}): {told}"

    def _quoted(self, message: str) -> str:
        return clipped(self._clean(message), 200)

    def _clean(self, text: str) -> str:
        return self._redactor.text(replace_lone_surrogates(text))

    def _retry_after(self, headers: Mapping[str, str]) -> float | None:
        """Read how long to wait, in seconds; None if the server did not say, or not clearly."""
        text = headers.get("retry-after", "")
        try:
            seconds = float(text)
        except ValueError:
            return self._until(text)
        return max(0.0, seconds) if math.isfinite(seconds) else None

    def _until(self, text: str) -> float | None:
        try:
            date = parsedate_to_datetime(text)
            # without a zone it is in UTC, as every date of HTTP (RFC 9110)
            moment = date if date.tzinfo else date.replace(tzinfo=UTC)
            return max(0.0, (moment - self._clock.now()).total_seconds())
        except (ValueError, ArithmeticError):
            return None


def _streamed(request: Request) -> str:
    return "stream" if request.body.get("stream") else ""


def _server_message(status: int, said: object) -> str:
    """Return what a server says is wrong: the message in its answer, or else the answer.

    Of a page for people it is nothing.
    """
    named = [said.get(k) for k in ("message", "detail", "error")] if _is_table(said) else [said]
    words = next((text for text in named if text and isinstance(text, str)), "")
    prefix = f"Error code: {status}"  # a client's own
    bare = words.removeprefix(prefix).removeprefix(" - ").strip()
    return "" if bare.startswith("<") else bare


def _refused_field(words: str) -> str:
    """Return the field of a request that a refusal names first; "" if none."""
    said = words.lower()
    places = {said.find(sign): field for field, signs in _ABOUT.items() for sign in signs}
    return places[min(found)] if (found := [at for at in places if at >= 0]) else ""


def _is_table(body: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(body, Mapping)


def _find_cause(error: BaseException | None, kind: type[E]) -> E | None:
    """Return the error of that *kind* from which *error* came, or None."""
    while error:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None
