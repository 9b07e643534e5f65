"""The ways of running that are installed: one module each, with a `MODE`.

Found are the modules beside this one, and what packages name under the entry-point group
`dr_rd.modes`: a `Mode`, or a package whose modules each have one. Adding a mode changes no file.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Any

from core.errors import CallerError, unknown
from core.modes.spec import Mode
from core.offers import check_apart, load_offer, owner

GROUP = "dr_rd.modes"
"""The entry-point group of modes that packages bring."""

AnyMode = Mode[Any, Any]


@cache
def modes() -> Mapping[str, AnyMode]:
    """Return every installed mode by id, in the order a person is shown them.

    Raises CallerError if what a package offers is no mode, or has an id that is taken.
    """
    found = sorted(_found(), key=lambda mode: (mode.rank, mode.id))
    check_apart("mode", ((mode.id, mode) for mode in found))
    return MappingProxyType({mode.id: mode for mode in found})


def find_mode(mode_id: str) -> AnyMode:
    """Return the mode of that id; raises CallerError for an unknown one."""
    known = modes()
    if mode_id not in known:
        raise unknown("mode", mode_id, known)
    return known[mode_id]


def _found() -> Iterator[AnyMode]:
    yield from _modes_of(import_module(__name__))
    for entry in entry_points(group=GROUP):
        found = load_offer(entry, "mode")
        if isinstance(found, ModuleType):
            yield from _modes_of(found)
        elif isinstance(found, Mode):
            yield found
        else:
            raise CallerError(
                f"{owner(entry)!r} offers {entry.value!r} as the mode {entry.name!r}, which is no "
                f"Mode but a {type(found).__name__}; name an instance, such as MODE = MyMode()"
            )


def _modes_of(package: ModuleType) -> Iterator[AnyMode]:
    for info in iter_modules(package.__path__, f"{package.__name__}."):
        mode = getattr(import_module(info.name), "MODE", None)
        if mode is not None:
            yield mode
