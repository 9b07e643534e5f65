"""What a run came to, read off the first page of its result: in a word, and how its limits stand.

A list of runs shows this of each. The first page is enough for it: nothing is computed again.
"""

import re
from collections.abc import Iterator, Mapping

from core.values import Frozen
from dr_rd.templates import clipped

FIRST_PAGE = 8_000
"""Characters of a result that hold its first page."""

_TABLE = re.compile(r"^## +Decision *$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| \*\*(?P<name>[^|]+?)\*\* \| (?P<value>.+) \|$", re.MULTILINE)
_FINDING = re.compile(r"^\*\*(.+)\*\*$(?=\n\n|\n*\Z)|^# (.+)$", re.MULTILINE)
_VERDICT = re.compile(r"\*\*(.+?)[.:]?\*\*")
_CHANCE = re.compile(r"chance of ((?:nearly |below )?(\d+) %)")
_BROKEN = re.compile(r"\bbroken: ([A-Z]\d+(?:, [A-Z]\d+)*)")
_SHORT = re.compile(r"\*\*not kept in number: (.+?)\*\*")
_ID = re.compile(r"\(([A-Z]\d+)\)")
_LONGEST = 160
"""Characters of a finding that a line of a list has room for."""


class Outcome(Frozen):
    """What a run came to."""

    recommendation: str = ""
    """A proposal's verdict, such as "Fund if"; in a mode that has none, what it found."""
    limits: str = ""
    """With what chance time and money are kept, and which limits are broken."""


def decision_rows(markdown: str) -> Mapping[str, str]:
    """Return the table of a proposal's first page by its labels; empty where a text has none."""
    table = _TABLE.search(markdown)
    return {m["name"]: m["value"] for m in _ROW.finditer(table[1])} if table else {}


def verdict(recommendation: str) -> str:
    """Return the words that a recommendation begins with, such as "Fund if"."""
    found = _VERDICT.match(recommendation)
    return found[1] if found else recommendation


def chance(row: str) -> tuple[str, int] | None:
    """Return the chance of keeping a limit that a row of the table names, in words and percent."""
    found = _CHANCE.search(row)
    return (found[1], int(found[2])) if found else None


def read_outcome(markdown: str) -> Outcome:
    """Return what a result says of itself, from its first page."""
    if rows := decision_rows(markdown):
        return Outcome(
            recommendation=verdict(rows.get("Recommendation", "")),
            limits="; ".join(_limits(rows)),
        )
    said = list(_FINDING.finditer(markdown))
    bold = next((m[1] for m in said if m[1]), "") or next((m[2] for m in said), "")
    return Outcome(recommendation=clipped(bold, _LONGEST))


def _limits(rows: Mapping[str, str]) -> Iterator[str]:
    for name in ("Time", "Money"):
        if found := chance(rows.get(name, "")):
            yield f"{name.lower()} {found[0]}"
    said = rows.get("Limits", "")
    short = [i for listed in _SHORT.findall(said) for i in _ID.findall(listed)]
    broken = [i for listed in _BROKEN.findall(said) for i in listed.split(", ")]
    if broken or short:
        yield f"{', '.join(dict.fromkeys((*broken, *short)))} broken"
    elif "kept by this plan" in said:
        yield "none broken"
    elif said:
        yield "none checked"
