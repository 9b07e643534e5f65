"""What leaves this machine: which servers are on it, and which others may be sent anything."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from ipaddress import IPv6Address, ip_address
from operator import add
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.errors import CallerError
from core.events import CallEnded, CallTried, Row, RunStarted, ToolCalled
from core.settings import Served
from core.values import Frozen

if TYPE_CHECKING:
    from dr_rd.models.endpoint import Endpoint

# ------------------------------------------------------------------------------ where to


def is_local(base_url: str) -> bool:
    """Whether an address is certain to lead to this machine; no name is looked up.

    So are "localhost" and the loopback addresses (RFC 1122, RFC 4291) written in full. What
    merely looks like one is not: a name that somebody else answers for, such as
    localhost.example.org or 127.0.0.1.nip.io, and ways to write a number that programs read
    differently, such as 0x7f000001 or 127.1. A server here that passes on what it is sent, such
    as a proxy, is on this machine all the same: nobody can tell from its address.
    """
    host = _plain_host(base_url)
    return host == "localhost" or _is_loopback(host)


def _plain_host(base_url: str) -> str:
    """Return the host of an address that every program reads in the same way; "" for any other."""
    if not (base_url.isascii() and base_url.isprintable()) or set(base_url) & set(" \\"):
        return ""
    try:
        parts = urlsplit(base_url)
        plain = parts.scheme in ("http", "https") and not set(parts.netloc) & set("@%")
        return parts.hostname or "" if plain and parts.port != 0 else ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return False
    inner = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (inner or address).is_loopback


def check_allowed(
    endpoint: "Endpoint", allowed: Collection[str], *, local_only: bool = False
) -> None:
    """Raise CallerError unless the endpoint may be asked; none *allowed* leaves all of them open.

    Whoever is about to make a client asks this, in each process anew.
    """
    if local_only:
        refuse_remote(endpoint)
    if allowed:
        refuse_unlisted(endpoint, allowed)


def refuse_remote(endpoint: "Endpoint") -> None:
    """Raise CallerError unless the endpoint is on this machine."""
    if not is_local(endpoint.base_url):
        raise CallerError(
            f"only this machine may be asked, and the endpoint {endpoint.host} is not certain to be "
            "on this machine; name one such as http://localhost:11434/v1, or leave --local-only, "
            "or its switch on the page, out"
        )


def refuse_unlisted(endpoint: "Endpoint", allowed: Collection[str]) -> None:
    """Raise CallerError unless the endpoint is one of those *allowed*.

    Each is a host, such as api.example.org, with any port; or a host with its port, such as
    localhost:11434. No name stands for those below it.
    """
    parts = urlsplit(endpoint.host)
    if not {parts.hostname, parts.netloc.lower()} & {name.lower() for name in allowed}:
        raise CallerError(
            f"the endpoint {endpoint.host} is not one that this server may use; choose from: "
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
        left, stayed = self._told(named, local=False), self._told(named, local=True)
        told = [f"Left this machine for models: {left}." if left else _NOTHING]
        if stayed:
            told.append(f"Went to models on this machine: {stayed}.")
        if self.sent and self.masked != 0:
            told.append(_hidden(self.masked))
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

    def _told(self, named: Callable[[str], str], *, local: bool) -> str:
        hosts = dict.fromkeys(s.endpoint for s in self.sent if is_local(s.endpoint) == local)
        return "; ".join(_to(h, [s for s in self.sent if s.endpoint == h], named) for h in hosts)


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
            programs.append(event.name)
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


def _hidden(count: int | None) -> str:
    if count == 1:
        return "One word or figure was masked."
    return f"{count or 'Some'} words or figures were masked."


def _to(host: str, sent: Sequence[Sent], named: Callable[[str], str]) -> str:
    total = reduce(add, sent)
    each = ", ".join(_each(s, named) for s in sent)
    size = "an unknown number of" if total.chars is None else f"{total.chars:,}"
    return f"{size} characters to {host} in {each}"


def _each(sent: Sent, named: Callable[[str], str]) -> str:
    by = f" by {' and '.join(map(named, sent.models))}" if sent.models else ""
    return f"{_many(sent.calls, 'call')} to {sent.purpose}{by}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
