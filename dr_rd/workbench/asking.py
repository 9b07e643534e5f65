"""How a run asks its models: with its key, behind its mask, under its caps, on its record."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from core.budget import Budget
from core.calls import Caller, Policy, past_calls, stuck_calls
from core.clock import Clock, seeded
from core.events import Event
from core.redaction import Redactor
from core.settings import RunOptions, Served, read_services
from core.store import TRACE, RunFolder
from core.trace import read_events
from dr_rd.models.chat.send import patience_s
from dr_rd.models.privacy.egress import check_allowed
from dr_rd.models.privacy.masking import Mask, masked
from dr_rd.models.served.prices import read_prices
from dr_rd.workbench.shared import Shared


def key_of(shared: Shared, folder: RunFolder, served: Served | None) -> str:
    """Return the key with which the run in *folder* asks its server; "" without one."""
    if served is None:
        return ""
    key = shared.keys.key(folder.run_id, served.base_url, shared.environ())
    return key.get_secret_value()


def asking(
    shared: Shared,
    folder: RunFolder,
    options: RunOptions,
    served: Served,
    record: Callable[[Event], None],
    clock: Clock,
    budget: Budget,
    secrets: Iterable[str] = (),
) -> tuple[Caller, Callable[[], Awaitable[None]]]:
    """Return what asks the server, and what lets go of it at the end.

    It is told none of *secrets*, nor are they written down.

    Raises CallerError if it may not be asked at all.
    """
    mask, key = _mask(shared, folder, served), key_of(shared, folder, served)
    flags = options.flags
    try_s = flags.CALL_TIMEOUT_S or patience_s(served.base_url)
    lease = shared.clients.lease(served.base_url, key, clock, try_s, direct=flags.DIRECT_CALLS)
    past = tuple(read_events(folder.trace_path)) if folder.has(TRACE) else ()
    caller = Caller(
        masked(lease.send, mask) if mask else lease.send,
        record=record,
        keep=folder.keep,
        commit=folder.commits.commit_files,
        clock=clock,
        random=seeded(options.seed),
        budget=budget,
        breakers=shared.breakers,
        policy=Policy(try_s=try_s),
        redactor=Redactor([key, *secrets]),
        past=past_calls(past, folder.kept),
        stuck=stuck_calls(past),
        price=read_prices(shared.environ()).price,
        watched=partial(shared.live.watched, folder.run_id, clock),
        stream=flags.STREAM_REPLIES and not flags.DIRECT_CALLS,
    )
    return caller, lease.close


def _mask(shared: Shared, folder: RunFolder, served: Served) -> Mask | None:
    """Return what the server is not told; raises CallerError if it may not be asked at all."""
    allowed = read_services(shared.environ()).endpoints_allowed
    check_allowed(served.base_url, allowed, local_only=served.local_only)
    return shared.masks.mask(folder.run_id, served)
