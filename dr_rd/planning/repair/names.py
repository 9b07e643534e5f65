"""What a plan calls its tasks and the items of the ledger, however it spells them."""

import re
from collections.abc import Collection, Iterable, Sequence

from core.errors import clipped
from core.graph.state import TASK_ID
from dr_rd.planning.repair.faults import SHOWN, Faults


def ids(written: Sequence[str], faults: Faults) -> list[str]:
    """Give every task an id of its own; one that cannot name a file is spelled anew."""
    found: list[str] = []
    for number, raw in enumerate(written, 1):
        wanted = re.sub(r"[^A-Za-z0-9_-]+", "-", raw).strip("-_")
        twice = wanted.lower() in {i.lower() for i in found}
        if twice or not re.match(TASK_ID, wanted):
            wanted = _free_id(number, [*found, *written])
        if twice:
            wrong = f"two tasks have the id {clipped(raw, SHOWN)!r}"
            faults.name(wrong, "give each its own", f"the second is now {wanted}")
        found.append(wanted)
    return found


def ids_by_name(written: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Ids by what the plan calls them: letter by letter, or however spelled if that is certain."""
    names, found = [normalized_name(raw) for raw in written], dict[str, str]()
    for raw, key in zip(written, ids, strict=True):
        found.setdefault(raw, key)
    for name, key in zip(names, ids, strict=True):
        if names.count(name) == 1:
            found.setdefault(name, key)
    return {name: key for name, key in found.items() if name}


def split_names(raw: str, known: Collection[str]) -> list[str]:
    """The ids that *raw* lists; one that holds a comma is one."""
    listed = [raw] if raw in known else re.split(r"[,;]", raw)
    return [name.strip() for name in listed if name.strip()]


def normalized_name(name: str) -> str:
    """Return a name without what spellings of it differ in."""
    return re.sub(r"[\W_]+", "", name).casefold()


def item_id(name: str) -> str:
    """An item's id however it is written: "c1" is C01."""
    found = re.match(r"\W*([A-Za-z])[\W_]*0*(\d+)\b", name)
    return f"{found[1].upper()}{found[2]}" if found else name


def _free_id(number: int, taken: Iterable[str]) -> str:
    """The first T01, T02, … from *number* on that nobody has."""
    used = {normalized_name(t) for t in taken}
    while (name := f"T{number:02}").lower() in used:
        number += 1
    return name
