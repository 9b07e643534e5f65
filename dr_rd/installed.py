"""Whether `core`, a name that others use too, is the package that was installed with this one."""

from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

_REMEDY = "install dr-rd in an environment of its own, such as a new venv or by pipx"


def foreign_core() -> str:
    """Return what stands in the place of our own `core`, in a sentence; "" if it is ours."""
    own = Path(__file__).parent.parent / "core"
    spec = find_spec("core")
    found = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    if any(place.exists() and own.exists() and place.samefile(own) for place in found):
        return ""
    there = f"is found at {str(found[0])!r}" if found else "is not found as a package"
    return (
        f"the package 'core' {there}, and dr-rd's own is {str(own)!r}; start dr-rd from a folder "
        f"without a 'core', leave it out of PYTHONPATH, or {_REMEDY}"
    )


def damaged_core(error: ImportError) -> str:
    """Return why an import from `core` fails, in a sentence; "" if the error is another one."""
    if (error.name or "").partition(".")[0] != "core":
        return ""
    owners = ", ".join(sorted({*packages_distributions().get("core", ())})) or "none"
    return (
        f"the package 'core' is not whole ({error}); it may have been overwritten: installed "
        f"packages that have one of that name: {owners}; {_REMEDY}"
    )
