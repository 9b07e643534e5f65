"""The part of the start page that says which models work, and what their server can do."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from random import SystemRandom
from typing import cast

import anyio
import streamlit as st
from pydantic import SecretStr

from core.clock import Clock
from core.errors import CallerError
from core.settings import Served, read_services
from dr_rd.commands.endpoint import probe_purpose, report_lines
from dr_rd.models.privacy.egress import check_allowed
from dr_rd.models.privacy.masking import Mask, typed_mask
from dr_rd.models.served.endpoint import Endpoint, Purpose, read_endpoint
from dr_rd.models.served.keys import environment_key
from dr_rd.models.served.probe import Abilities, Ability
from dr_rd.models.served.run import find_served
from dr_rd.ui import session, text
from dr_rd.ui.session import Key, Note

_NO_KEY = SecretStr("")

_MASK_HELP = (
    "No server is told these: others stand for them on the way out, and replies come back with "
    "them. Kept in memory only; the run records how many there are. Write Acme => Company One to "
    "choose what is shown instead."
)

_PURPOSES: Mapping[Purpose, tuple[Key, str]] = {
    "plan": (Key.MODEL_PLAN, "Plans"),
    "work": (Key.MODEL_WORK, "Works on tasks"),
    "judge": (Key.MODEL_JUDGE, "Judges"),
    "write": (Key.MODEL_WRITE, "Writes"),
}


def draw(environ: Mapping[str, str], clock: Clock) -> None:
    """Draw the fields, first filled from *environ*, and what a test of them found."""
    _prefill(environ)
    with st.expander("Models"):
        st.caption("Left empty, the plan and its answers come from the method library alone.")
        st.text_input(
            "Base URL",
            key=Key.ENDPOINT,
            placeholder="http://localhost:11434/v1",
            help="Any server that speaks the chat-completions protocol, up to and with its /v1.",
        )
        st.text_input("Model", key=Key.MODEL, placeholder="its name at that server")
        held = bool(_key(environ).get_secret_value())
        key_field("Key", Key.MODEL_KEY, _hold, held=held)
        st.toggle(
            "Only on this machine",
            key=Key.LOCAL_ONLY,
            help="Refuses a server that is not certain to be on the machine of the workbench.",
        )
        st.text_area(
            "Words and figures to mask, one per line",
            key=Key.MASK,
            height=90,
            placeholder="Acme\n1,250,000",
            help=_MASK_HELP,
        )
        if allowed := _allowed(environ):
            st.caption(text.plain(f"This workbench may ask: {', '.join(allowed)}."))
        with st.expander("Another model for a purpose", type="compact"):
            for key, label in _PURPOSES.values():
                st.text_input(label, key=key, placeholder="the model above")
        if st.button("Test", key=Key.TEST_MODELS, help="Sends some fifteen short requests."):
            session.put(Note.TESTED, _probe_models(environ, clock))
        _show(session.get(Note.TESTED))


def chosen_endpoint(environ: Mapping[str, str]) -> Endpoint | None:
    """Return the endpoint that the fields name, or None if they are empty.

    Raises CallerError if they name none that may be asked.
    """
    url, name = _field_text(Key.ENDPOINT), _field_text(Key.MODEL)
    if not url and not name:
        return None
    if not (url and name):
        missing = "model" if url else "base URL"
        raise CallerError(f"the models have no {missing}; fill it in, or empty the other field")
    given = {_variable(purpose): _field_text(key) for purpose, (key, _) in _PURPOSES.items()}
    given |= {"DRRD_CONTEXT": environ.get("DRRD_CONTEXT", "")}
    found = read_endpoint(given, url, name)
    if found:
        check_allowed(found.base_url, _allowed(environ), local_only=_only_here())
    return found and found.model_copy(update={"key": _key(environ)})


def hidden() -> Mask | None:
    """Return what the field names that no server is told; raises CallerError if it cannot be."""
    return mask_of(session.get(Key.MASK))


def mask_of(typed: object) -> Mask | None:
    """Return the mask of what was typed, or None if nothing was; raises CallerError."""
    lines = str(typed or "")
    return typed_mask(lines, SystemRandom()) if lines.strip() else None


def find(endpoint: Endpoint, clock: Clock, mask: Mask | None) -> Served:
    """Ask the models what they can do, which a run must know; raises CallerError."""
    asked = partial(find_served, local_only=_only_here())
    with st.spinner(f"Asking {endpoint.host} what its models can do …"):
        return anyio.run(asked, endpoint, clock, mask)


def key_field(label: str, key: Key, hold: Callable[[SecretStr], None], *, held: bool) -> None:
    """Draw a field for a server's key: *hold* gets what is typed, which leaves the field at once."""
    st.text_input(
        label,
        type="password",
        key=key,
        width=420,
        placeholder="held in memory" if held else "none",
        help="Kept in memory until the workbench is closed; written nowhere.",
        on_change=take_key,
        args=(key, hold),
    )


def mask_field(label: str, key: Key, hold: Callable[[Mask], None], *, held: bool) -> None:
    """Draw a field for what no server is told: *hold* gets it once it is typed."""
    typed = st.text_area(
        label,
        key=key,
        placeholder="held in memory" if held else "none",
        on_change=take_mask,
        args=(key, hold),
    )
    try:
        mask_of(typed)
    except CallerError as mistake:
        st.error(text.plain(str(mistake)))


def take_mask(key: Key, hold: Callable[[Mask], None]) -> None:
    """Give *hold* what the field *key* names to mask, if it names anything that can be masked."""
    with suppress(CallerError):  # the field says what is wrong with it
        if mask := mask_of(session.get(key)):
            hold(mask)


def take_key(key: Key, hold: Callable[[SecretStr], None]) -> None:
    """Give *hold* the server's key that stands in the field *key*, and empty it; an empty one gives none."""
    if typed := session.get(key):
        hold(SecretStr(str(typed)))
        session.put(key, "")


def _hold(key: SecretStr) -> None:
    """Keep a key with the server that it was typed for; no other may have it."""
    session.put(Note.TYPED, (_field_text(Key.ENDPOINT), key))


def _prefill(environ: Mapping[str, str]) -> None:
    session.propose(Key.ENDPOINT, environ.get("DRRD_ENDPOINT", ""))
    session.propose(Key.MODEL, environ.get("DRRD_MODEL", ""))
    for purpose, (key, _) in _PURPOSES.items():
        session.propose(key, environ.get(_variable(purpose), ""))


def _variable(purpose: Purpose) -> str:
    return f"DRRD_MODEL_{purpose.upper()}"


def _only_here() -> bool:
    return bool(session.get(Key.LOCAL_ONLY))


def _field_text(key: str) -> str:
    return str(session.get(key) or "").strip()


def _allowed(environ: Mapping[str, str]) -> tuple[str, ...]:
    return read_services(environ).endpoints_allowed


def _key(environ: Mapping[str, str]) -> SecretStr:
    """Return the key that was typed, or else the environment's if it is for this server."""
    url = _field_text(Key.ENDPOINT)
    server, typed = session.get(Note.TYPED, ("", _NO_KEY))
    if not url:
        return _NO_KEY
    if server == url:
        return cast(SecretStr, typed)
    try:
        return environment_key(environ, url)
    except CallerError:  # no address yet; whoever asks it is told
        return _NO_KEY


def _probe_models(environ: Mapping[str, str], clock: Clock) -> tuple[Abilities, ...] | CallerError:
    """Try each model once: what it can do, or the mistake."""
    try:
        endpoint = chosen_endpoint(environ)
        if endpoint is None:
            raise CallerError("there is nothing to test; fill in a base URL and a model")
        purposes = {endpoint.model_for(p): p for p in endpoint.purposes}.values()
        with st.spinner(f"Asking {endpoint.host} …"):
            return tuple(
                anyio.run(probe_purpose, endpoint, purpose, clock) for purpose in purposes
            )
    except CallerError as mistake:
        return mistake


def _show(found: tuple[Abilities, ...] | CallerError | None) -> None:
    if isinstance(found, CallerError):
        st.error(text.plain(str(found)))
        return
    for abilities in found or ():
        head, *_, window, form = report_lines(abilities)
        tried = (f"{'✓' if a.works else '✗'} {_ability_line(a)}" for a in abilities.tried)
        rows = (head, *tried, window, form)
        st.caption("  \n".join(text.plain(row) for row in rows))


def _ability_line(ability: Ability) -> str:
    return f"{ability.name}: {ability.said}" if ability.said else ability.name
