"""Waits that take no time."""

import asyncio
from collections.abc import Awaitable, Callable


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that jumps over every wait: a makespan without waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.jumped = 0.0
        select = self._selector.select

        def skip(timeout: float | None) -> object:
            if timeout:
                self.jumped += timeout
            return select(0)

        self._selector.select = skip

    def time(self) -> float:
        return self.jumped


def virtually(work: Callable[[], Awaitable[object]]) -> float:
    """Do *work* in no time; gives the seconds it would have taken."""

    async def timed() -> float:
        await work()
        return asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(timed())
