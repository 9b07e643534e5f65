"""Where heavy calculations run: beside the event loop, so that the run stays awake meanwhile."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import anyio.to_thread

T = TypeVar("T")


class Compute(Protocol):
    """Calls a function elsewhere and waits for what it returns or raises."""

    async def __call__(self, function: Callable[..., T], /, *args: Any) -> T:  # noqa: ANN401
        """Return ``function(*args)``; both must survive pickling, for it may run anywhere."""
        ...


async def in_thread(function: Callable[..., T], /, *args: Any) -> T:  # noqa: ANN401 - any
    """Call *function* in a thread; a run that is stopped meanwhile does not wait for it."""
    return await anyio.to_thread.run_sync(function, *args, abandon_on_cancel=True)
