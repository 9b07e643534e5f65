"""What the page shows of a mode's run beside what it shows of every run: one module a mode.

A module here is named as its mode and has two functions, as `ModeView` tells; a mode without one
is shown by its result's text. It is found by its name, so adding one changes no file.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from core.runs import Snapshot
from core.store import RunFolder
from dr_rd.ui.context import AppContext


class ModeView(Protocol):
    """What such a module has."""

    def live(self, context: AppContext, snapshot: Snapshot) -> None:
        """Draw a run that has not ended; anew every second while it is worked on.

        Questions to people are drawn above it for every mode alike, what models write below it.
        """
        ...

    def ended(self, context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
        """Draw what a run that has ended came to, above its trace and settings."""
        ...


@cache
def find_view(mode_id: str) -> ModeView | None:
    """Return what shows a run of that mode, or None if it is shown by its text."""
    name = f"{__name__}.{mode_id.replace('-', '_')}"
    return cast(ModeView, import_module(name)) if find_spec(name) else None
