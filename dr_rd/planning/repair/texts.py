"""What a plan says, as plain lines: nothing unseen, no markup, no source from nowhere."""

import re
from dataclasses import dataclass

from core.errors import clipped
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.plain import ADDRESS, plain
from dr_rd.planning.repair.faults import SHOWN, Faults
from dr_rd.planning.repair.written import LONGEST

_SOURCE = re.compile(
    r"\s?(?:\[\s*(?:plan\b|brief\b|[A-Z]{1,2}\d{1,4}\b)[^\[\]]*\]|\(assumed,[^()]*\))"
)
"""Marks that readers and scores take for a source: of evidence, a calculation, an assumption."""

_IDS = re.compile(r"\w[\w-]*")


@dataclass(frozen=True, slots=True)
class Texts:
    """Reads the texts of one plan."""

    brief: Brief
    """Addresses may come from it."""
    ledger: Ledger
    """Its ids may be named."""
    faults: Faults

    def whole(self, text: str, what: str, most: int = LONGEST) -> str:
        """What a task cannot go without: it is shortened."""
        said = self._plain_line(text)
        if len(said) > most:
            self._too_long(said, what, most, "it is shortened")
        return said if len(said) <= most else clipped(said, most - len("..."))

    def line(self, text: str, what: str) -> str:
        """One of several: what is too long to be read whole is not cut in two."""
        said = self._plain_line(text)
        if len(said) <= LONGEST:
            return said
        self._too_long(said, what, LONGEST, "it is left out")
        return ""

    def _too_long(self, said: str, what: str, most: int, repair: str) -> None:
        wrong = f"{what} has {len(said)} characters, of {most} at most (“{clipped(said, SHOWN)}”)"
        self.faults.name(wrong, "say it in fewer", repair)

    def _plain_line(self, text: str) -> str:
        """Return *text* as one plain line: nothing unseen, no markup, no source from nowhere."""
        kept = _SOURCE.sub(self._source, ADDRESS.sub(self._address, plain(text)))
        said = re.sub(r"\s+([.,;:])(?=\s|$)", r"\1", " ".join(kept.split()))
        return said if re.search(r"\w", said) else ""

    def _source(self, mark: re.Match[str]) -> str:
        if set(_IDS.findall(mark[0])) <= {i.id for i in self.ledger.items}:
            return mark[0]
        self.faults.remove("marks of sources, of which a plan has none yet", mark[0].strip())
        return ""

    def _address(self, found: re.Match[str]) -> str:
        if found[0] in self.brief.model_dump_json():
            return found[0]
        self.faults.remove("addresses that the brief does not give", found[0])
        return ""
