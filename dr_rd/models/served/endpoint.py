"""An endpoint: where it is, and which of its models does what."""

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, SecretStr

from core.errors import CallerError
from core.values import Frozen
from dr_rd.models.address import endpoint_of
from dr_rd.models.window import CONTEXT

Purpose = Literal["plan", "work", "judge", "write"]
PURPOSES: tuple[Purpose, ...] = ("plan", "work", "judge", "write")

NOBODY = "none"
"""The name of a model that says: no model does this."""

_LEAST_CONTEXT = 1_024
"""The smallest window that holds a question and its reply, in tokens."""


class Endpoint(Frozen):
    """A server that speaks the chat-completions protocol; never saved with a run."""

    base_url: str
    """Up to and with its "/v1"."""
    key: SecretStr = SecretStr("")
    model: str
    """The model for every purpose that names no other."""
    models: Mapping[Purpose, str] = {}
    roles: Mapping[str, str] = {}
    """The models for the tasks of some roles, by the role's id."""
    context: int | None = Field(default=None, ge=_LEAST_CONTEXT)
    """The window of its models, in tokens; None leaves it to what the server says."""

    @property
    def host(self) -> str:
        """Scheme, host and port; raises CallerError if the address has none."""
        return endpoint_of(self.base_url)

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        """What models do there: all but what nobody is to do, which is left to the library."""
        return tuple(p for p in PURPOSES if self.models.get(p) != NOBODY)

    @property
    def names(self) -> tuple[str, ...]:
        """The models that are asked, each once."""
        every = (*map(self.model_for, self.purposes), *self.roles.values())
        return tuple(dict.fromkeys(every))

    def model_for(self, purpose: Purpose) -> str:
        """Return the model that does *purpose*, which is one of `purposes`.

        Unless one is named, what judges is another than what writes, where another is known:
        models favour what they wrote.
        """
        if purpose == "judge" and "judge" not in self.models:
            author = self.model_for("write")
            known = (self.model, *self.models.values(), *self.roles.values())
            others = (name for name in known if name not in (author, NOBODY))
            return next(others, self.model if author == NOBODY else author)
        return self.models.get(purpose, self.model)


def read_endpoint(
    environ: Mapping[str, str], base_url: str | None = None, model: str | None = None
) -> Endpoint | None:
    """Read the endpoint from what was given, then the environment; None if there is none.

    DRRD_ENDPOINT is its address, DRRD_MODEL its model, DRRD_MODEL_PLAN, _WORK, _JUDGE and _WRITE
    the models for those purposes ("none": no model does that), DRRD_MODEL_ROLES those for the tasks of some roles (as
    "study-statistician=NAME", by commas), and DRRD_API_KEY the key, sent to no other server.
    DRRD_CONTEXT is how much they read and write at once, in tokens, whatever the server says.
    """
    url, name = base_url or environ.get("DRRD_ENDPOINT"), model or environ.get("DRRD_MODEL")
    if not url and not name:
        return None
    if not url:
        raise CallerError(f"the model {name!r} has no endpoint; give --endpoint or DRRD_ENDPOINT")
    if not name:
        raise CallerError(f"the endpoint {url!r} has no model; give --model or DRRD_MODEL")
    endpoint_of(url)
    chosen = {p: environ.get(f"DRRD_MODEL_{p.upper()}", "") for p in PURPOSES}
    found = Endpoint(
        base_url=url,
        key=SecretStr(environ.get("DRRD_API_KEY", "")),
        model=name,
        models={purpose: held for purpose, held in chosen.items() if held},
        roles=_roles(environ.get("DRRD_MODEL_ROLES", "")),
        context=_context(environ.get("DRRD_CONTEXT", "")),
    )
    if not found.purposes:
        raise CallerError(
            f"the model {name!r} has nothing to do: plan, work, judge and write are all "
            f"{NOBODY!r}; leave one to a model, or give no endpoint"
        )
    return found


def _roles(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if wrong := next(
        (role for role, _, name in pairs if not (role.strip() and name.strip())), None
    ):
        raise CallerError(
            f"DRRD_MODEL_ROLES names no role and model in {wrong.strip()!r}; write "
            "ROLE=MODEL, such as study-statistician=NAME, and part them by commas"
        )
    return {role.strip(): name.strip() for role, _, name in pairs}


def _context(text: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < _LEAST_CONTEXT:
        raise CallerError(
            f"DRRD_CONTEXT={text!r} is no context size; give a whole number of tokens from "
            f"{_LEAST_CONTEXT:,} on, such as {CONTEXT}, or none to leave it to the server"
        )
    return int(text)
