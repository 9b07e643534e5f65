"""Seats of a run: whoever holds the secret token of one is shown its view and moves for it.

A token is given once, when the run is started; the run keeps its digest and no more.
"""

import hmac
from collections.abc import Iterable, Mapping
from secrets import token_urlsafe

from pydantic import JsonValue
from starlette.requests import HTTPConnection

from core.files import sha256
from core.store import RunFolder
from dr_rd.api.access import bearer, current_user
from dr_rd.api.problems import NotYours
from dr_rd.modes.spec import INPUTS

SEATS = f"{INPUTS}/seats.json"
"""The digest of each seat's token, by who holds the seat."""


def new_tokens(holders: Iterable[str]) -> dict[str, str]:
    """Return a new token for each holder of a seat."""
    return {holder: token_urlsafe(24) for holder in dict.fromkeys(holders)}


def seats_file(tokens: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return what a run keeps of *tokens*, by file name; nothing where there are none."""
    return {SEATS: {key: sha256(t.encode()) for key, t in tokens.items()}} if tokens else {}


def people_of(scenario: Mapping[str, JsonValue] | None) -> tuple[str, ...]:
    """Return who holds a seat by a scenario's `people`: names, or by seat who may answer."""
    people = (scenario or {}).get("people")
    if isinstance(people, Mapping):
        found = list(people.values())
    else:
        listed = people if isinstance(people, list) else []
        found = [p.get("name") for p in listed if isinstance(p, Mapping)]
    return tuple(name for name in found if isinstance(name, str) and name)


def seat_token(connection: HTTPConnection) -> str:
    """Return the token of a seat that a request shows; "" where it shows none.

    It stands in `Seat-Token`; where there are no users, in `Authorization: Bearer …` as well.
    """
    return connection.headers.get("seat-token", "") or (
        "" if current_user() else bearer(connection)
    )


def holds(folder: RunFolder, holder: str, connection: HTTPConnection) -> bool:
    """Whether the request shows the token of the seat that *holder* holds in a run."""
    kept = folder.read_json(SEATS) if folder.has(SEATS) else {}
    shown, expected = seat_token(connection), str(kept.get(holder, ""))
    return bool(shown) and hmac.compare_digest(sha256(shown.encode()), expected)


def check_holds(folder: RunFolder, holder: str, connection: HTTPConnection) -> None:
    """Raise NotYours unless the request shows the token of the seat that *holder* holds."""
    if not holds(folder, holder, connection):
        raise NotYours(
            f"that is for {holder!r} alone; send the token of the seat, which was given when the "
            f"run was started, as {'Seat-Token:' if current_user() else 'Authorization: Bearer'} TOKEN"
        )
