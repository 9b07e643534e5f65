"""What leaves this machine: which servers are on it, and which others may be sent anything."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from operator import add
from urllib.parse import urlsplit

from core.errors import CallerError
from core.events import CallEnded, CallTried, Row, RunStarted, ToolCalled
from core.settings import Served
from core.values import Frozen
from dr_rd.models.address import endpoint_of, is_local

# ------------------------------------------------------------------------------ where to


def check_allowed(base_url: str, allowed: Collection[str], *, local_only: bool = False) -> None:
    """Raise CallerError unless a server may be asked; none *allowed* leaves all of them open.

    Whoever is about to make a client asks this, in each process anew.
    """
    if local_only:
        refuse_remote(base_url)
    if allowed:
        refuse_unlisted(base_url, allowed)


def refuse_remote(base_url: str) -> None:
    """Raise CallerError unless a server is on this machine."""
    if not is_local(base_url):
        raise CallerError(
            f"only this machine may be asked, and the endpoint {endpoint_of(base_url)} is not certain to be "
            "on this machine; name one such as http://localhost:11434/v1, or leave --local-only, "
            "or its switch on the page, out"
        )


def refuse_unlisted(base_url: str, allowed: Collection[str]) -> None:
    """Raise CallerError unless a server is one of those *allowed*.

    Each is a host, such as api.example.org, with any port; or a host with its port, such as
    localhost:11434. No name stands for those below it.
    """
    endpoint = endpoint_of(base_url)
    parts = urlsplit(endpoint)
    if not {parts.hostname, parts.netloc.lower()} & {name.lower() for name in allowed}:
        raise CallerError(
            f"the endpoint {endpoint} is not one that this server may use; choose from: "
            f"{', '.join(sorted(allowed)) or 'none'}, or have its operator add it to "
            "DRRD_ENDPOINTS_ALLOWED"
        )


# ---------------------------------------------------------------------------------- what


class Sent(Frozen):
    """What was sent to one server for one purpose."""

    endpoint: str
    """Scheme, host and port."""
    purpose: str
    """plan, work, judge or write."""
    calls: int
    """HTTP requests, each retry counted."""
    chars: int | None
    """Characters of those requests as JSON; None if an earlier release did not count them."""
    models: tuple[str, ...] = ()
    """The models that were asked, as far as their calls have ended."""

    def __add__(self, other: "Sent") -> "Sent":
        """Join it with what was sent to the same server for the same purpose."""
        known = self.chars is not None and other.chars is not None
        chars = (self.chars or 0) + (other.chars or 0) if known else None
        models = tuple(dict.fromkeys((*self.models, *other.models)))
        calls = self.calls + other.calls
        return self.model_copy(update={"calls": calls, "chars": chars, "models": models})


_NOTHING = "Nothing left this machine for models."


class Label(Frozen):
    """What a run sent, and to whom."""

    sent: tuple[Sent, ...]
    """To models, in the order of the first requests."""
    programs: tuple[str, ...]
    """Tools of other programs that were called, one name for each call: where to, nobody knows."""
    masked: int | None = None
    """How many words and figures no model was told; None if some, uncounted."""
    asked: tuple[tuple[str, str], ...] = ()
    """Models whose server refused how they were asked, and how they were asked instead."""

    def sentence(self, named: Callable[[str], str] = str) -> str:
        """Say it for a reader, with the models' names as *named* writes them."""
        left, stayed = (
            self._sentence_part(named, local=False),
            self._sentence_part(named, local=True),
        )
        told = [f"Left this machine for models: {left}." if left else _NOTHING]
        if stayed:
            told.append(f"Went to models on this machine: {stayed}.")
        if self.sent and self.masked != 0:
            told.append(_masked_sentence(self.masked))
        told += [
            f"{named(model)} was asked {asked}: its server refuses more."
            for model, asked in self.asked
        ]
        if self.programs:
            names = ", ".join(dict.fromkeys(self.programs))
            told.append(
                f"Went to other programs, wherever they are: {_many(len(self.programs), 'call')} "
                f"of {names}."
            )
        return " ".join(told)

    def _sentence_part(self, named: Callable[[str], str], *, local: bool) -> str:
        hosts = dict.fromkeys(s.endpoint for s in self.sent if is_local(s.endpoint) == local)
        return "; ".join(
            _host_summary(h, [s for s in self.sent if s.endpoint == h], named) for h in hosts
        )


def left_machine(rows: Iterable[Row]) -> Label:
    """Read from a run's events what it sent, up to the last of them."""
    sent: dict[tuple[str, str], Sent] = {}
    programs: list[str] = []
    masked: int | None = 0
    asked = dict[tuple[str, str], None]()
    for event in (row.event for row in rows):
        if isinstance(event, CallTried | CallEnded):
            one = _sent(event)
            key = one.endpoint, one.purpose
            if key in sent or isinstance(event, CallTried):  # else it was answered from the record
                sent[key] = sent[key] + one if key in sent else one
            if isinstance(event, CallEnded) and event.asked:
                asked[event.model, event.asked] = None
        elif isinstance(event, ToolCalled) and "." in event.name:  # as in SERVER.TOOL
            programs += [] if event.refused else [event.name]
        elif isinstance(event, RunStarted) and (served := event.settings.served):
            masked = _masked(served)
    return Label(
        sent=tuple(sent.values()), programs=tuple(programs), masked=masked, asked=tuple(asked)
    )


def _sent(call: CallTried | CallEnded) -> Sent:
    """Return what one try sent; of a call that has ended, whom it asked."""
    purpose = call.purpose.removesuffix("-repair")
    if isinstance(call, CallTried):
        return Sent(endpoint=call.endpoint, purpose=purpose, calls=1, chars=call.chars or None)
    return Sent(endpoint=call.endpoint, purpose=purpose, calls=0, chars=0, models=(call.model,))


def _masked(served: Served) -> int | None:
    """Count what no server is told; an earlier release did not."""
    return None if served.mask and not served.masked else served.masked


def _masked_sentence(count: int | None) -> str:
    if count == 1:
        return "One word or figure was masked."
    return f"{count or 'Some'} words or figures were masked."


def _host_summary(host: str, sent: Sequence[Sent], named: Callable[[str], str]) -> str:
    total = reduce(add, sent)
    each = ", ".join(_purpose_summary(s, named) for s in sent)
    size = "an unknown number of" if total.chars is None else f"{total.chars:,}"
    return f"{size} characters to {host} in {each}"


def _purpose_summary(sent: Sent, named: Callable[[str], str]) -> str:
    by = f" by {' and '.join(map(named, sent.models))}" if sent.models else ""
    return f"{_many(sent.calls, 'call')} to {sent.purpose}{by}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
