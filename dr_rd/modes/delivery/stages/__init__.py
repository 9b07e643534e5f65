"""The stages that are installed: a module here, or what packages name under the entry-point group.

A module has an async `STAGE(state, kit)` that returns an `Update`, and is called as its file; an
entry point names such a function. A scenario puts stages in line by these names.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import MappingProxyType

from core.modes.delivery import Stage

GROUP = "dr_rd.delivery_stages"
"""The entry-point group of stages that packages bring."""


@cache
def installed_stages() -> Mapping[str, Stage]:
    """Return every installed stage by name."""
    own = {
        info.name: import_module(f"{__name__}.{info.name}").STAGE
        for info in iter_modules(__path__)
    }
    return MappingProxyType({**{e.name: e.load() for e in entry_points(group=GROUP)}, **own})
