"""The file that gives a mode its seats, options or rules; some are shipped, by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import JsonValue, ValidationError

from core.errors import CallerError
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.brief.markup import from_json, from_yaml
from dr_rd.files import data_folder, read_text
from dr_rd.reading.files import MAX_BYTES

_FOLDER = "scenarios"

S = TypeVar("S", bound=Frozen)


def shipped_scenarios() -> tuple[str, ...]:
    """Return the names of the scenarios that come with the workbench."""
    folder = data_folder() / _FOLDER
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(n.removesuffix(".yaml") for n in names if n.endswith(".yaml")))


def load_scenario(name: str | Path) -> Mapping[str, JsonValue]:
    """Return the scenario in a YAML or JSON file, or the shipped one of that name.

    Raises CallerError if it cannot be read, or is no mapping.
    """
    if str(name) in shipped_scenarios():
        return parse_scenario(read_text(_FOLDER, f"{name}.yaml").encode(), f"{name}.yaml")
    path = Path(name)
    try:
        with path.open("rb") as file:
            return parse_scenario(file.read(MAX_BYTES + 1), path.name)
    except OSError as wrong:
        choices = ", ".join(shipped_scenarios())
        raise CallerError(
            f"cannot read the scenario {str(path)!r} ({(wrong.strerror or 'unknown').lower()}); "
            f"name a YAML or JSON file, or one that is shipped: {choices}"
        ) from wrong


def parse_scenario(raw: bytes, name: str) -> Mapping[str, JsonValue]:
    """Return the scenario that a file of that *name* holds; raises CallerError."""
    if len(raw) > MAX_BYTES:
        raise CallerError(f"{name} is larger than {MAX_BYTES:,} bytes; shorten it")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise CallerError(f"{name} is not UTF-8 text; save it as UTF-8") from wrong
    found: Any = (from_json if name.endswith(".json") else from_yaml)(text, name)
    if not isinstance(found, dict):
        raise CallerError(f"{name} is no scenario; write keys and values, such as title: …")
    return found


def read_scenario(kind: type[S], given: Mapping[str, JsonValue]) -> S:
    """Return the scenario as a mode's own *kind* of it.

    Raises CallerError that names the first field that is wrong, and what it may be.
    """
    try:
        return kind.model_validate(dict(given))
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "it"
        fields = ", ".join(kind.model_fields)
        raise CallerError(
            f"the scenario cannot be used: {place}: {fault['msg'].lower()}; its fields are {fields}"
        ) from wrong


def scenario_brief(given: Mapping[str, JsonValue]) -> Brief:
    """Return what a scenario asks where no brief is named: its objective, or else its title.

    Raises CallerError if it has neither.
    """
    asked = given.get("objective") or given.get("title")
    if not isinstance(asked, str) or not asked.strip():
        raise CallerError(
            "there is no brief and the scenario has no title; name a brief, or give it a title"
        )
    return Brief(objective=asked.strip())
