"""Models to ask outside a run: nothing of it is recorded, and no run's caps apply."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from core.breakers import Breakers
from core.budget import Budget
from core.calls import Caller, Policy
from core.clock import Clock, seeded
from core.errors import CallerError, Stopped
from core.events import unrecorded
from core.redaction import Redactor
from core.settings import Flags
from core.values import digest
from dr_rd.models.chat.downgrade import Refusals, downgrading
from dr_rd.models.chat.send import chat_send, patience_s
from dr_rd.models.privacy.masking import Mask, masked
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.probe import strongest_reply_format
from dr_rd.models.typed.ask import Model

_NO_CAPS = Flags(
    MAX_CALLS=1_000_000, MAX_TOKENS=1_000_000_000, MAX_COST_USD=100_000, MAX_WALL_S=2_592_000
)


@asynccontextmanager
async def open_models(
    endpoint: Endpoint, names: Sequence[str], clock: Clock, mask: Mask | None = None
) -> AsyncIterator[tuple[Model, ...]]:
    """Open a client and return the models with those *names*, in that order.

    What *mask* hides is hidden from them. Raises CallerError if one of them does not answer, or no longer does: nothing can be resumed.
    """
    key = endpoint.key.get_secret_value()
    async with chat_send(endpoint.base_url, key, clock=clock) as send:
        asked = downgrading(send, Refusals())
        calls = Caller(
            masked(asked, mask) if mask else asked,
            record=unrecorded,
            keep=digest,
            clock=clock,
            random=seeded(0),
            budget=Budget(_NO_CAPS, clock),
            breakers=Breakers(),
            policy=Policy(try_s=patience_s(endpoint.base_url)),
            redactor=Redactor([key]),
        )
        forms = {name: await strongest_reply_format(send, endpoint, name) for name in {*names}}
        try:
            yield tuple(Model(calls, endpoint.host, name, forms[name]) for name in names)
        except Stopped as stop:
            raise CallerError(str(stop)) from stop
