"""What leaves this machine: which servers are on it, and which others may be sent anything."""

from collections.abc import Collection
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.errors import CallerError

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


def refuse_remote(endpoint: "Endpoint") -> None:
    """Raise CallerError unless the endpoint is on this machine."""
    if not is_local(endpoint.base_url):
        raise CallerError(
            f"--local-only is set, and the endpoint {endpoint.host} is not certain to be on this "
            "machine; name one such as http://localhost:11434/v1, or leave --local-only out"
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
