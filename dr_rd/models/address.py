"""Addresses of models' servers: which server one names, and whether it is this machine."""

from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from core.errors import CallerError
from core.redaction import Redactor


def endpoint_of(base_url: str) -> str:
    """Return scheme, host and port of a server's address; raises CallerError if it has none."""
    parts = urlsplit(base_url)
    try:
        port = parts.port
    except ValueError as wrong:
        raise CallerError(
            f"the address of the model's server has a port that is none: {wrong}; use 1 to 65535"
        ) from wrong
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CallerError(
            f"the address {Redactor().text(base_url)!r} of the model's server cannot be used; "
            "write it like https://api.example.org/v1"
        )
    if parts.username or parts.password or parts.query:
        raise CallerError(
            "the address of the model's server must carry no name, password or query; "
            "give the key as a key"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


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
