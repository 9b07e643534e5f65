"""What the workbench says in each mode: seats, prompts, scenarios, results; one package a mode.

::

    spec.py         what such a package gives, and what it works from
    past.py         a finished run as what another one works from
    directions.py   what a direction of the brief speaks to, and what it costs
    <mode id>/      its `CONTENT`, found by its name

A mode without a package here needs no more than the engine gives it.
"""

from importlib import import_module
from importlib.util import find_spec

from dr_rd.modes.spec import Content


def find_content(mode_id: str) -> Content | None:
    """Return what the workbench says in that mode, or None if it says nothing."""
    name = f"{__name__}.{mode_id.replace('-', '_')}"
    if find_spec(name) is None:
        return None
    content: Content | None = getattr(import_module(name), "CONTENT", None)
    return content
