"""What a model's sentences come to once code has looked at their sources."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from core.graph.state import Claim
from core.values import Frozen
from dr_rd.adherence import check
from dr_rd.evidence.corpus import Status
from dr_rd.evidence.support import Support, strongest, support
from dr_rd.ledger import Ledger
from dr_rd.prompts import undelimited
from dr_rd.quantity import numbers

MOST_CHARACTERS = 700
"""Of one sentence or two."""

_ID = r"[A-Z]\w{0,30}(?:-\w{1,20})*"
_BRACKETED = re.compile(rf"\s*[\[(](?:sources?:\s*)?({_ID}(?:\s*[,;]\s*{_ID})*)[\])]")
_LINK = re.compile(r"\(?(?:https?://|www\.|doi:\s?)[^\s)\]]+\)?|\b10\.\d{4,9}/[^\s)\]]+", re.I)
_AUTHORS = re.compile(
    r"\s*[\[(][^\W\d_][\w'’-]+(?:(?:,| and| &| et al\.?)[^\d()\[\]]{0,60})?,?\s(?:19|20)\d\d[a-z]?"
    r"(?:;[^()\[\]]{0,120})?[\])]"
)
"""A reference by author and year."""

_NEAR = 0.005
"""Relative difference that rounding for display may make."""


class Statement(Frozen):
    """A sentence as a model wrote it."""

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a statement may cite."""

    id: str
    kind: Literal["brief", "quoted", "computed", "answer"]
    text: str
    about: str = ""
    """Where it stands: document, heading, tool."""
    status: Status = "live"


class Told(Frozen):
    """A sentence as it stands in an answer."""

    text: str
    sources: tuple[str, ...] = ()
    assumption: str = ""
    """The id it has as an assumption; "" if it has a source or needs none."""


@dataclass(slots=True)
class Removed:
    """What was taken out of one reply."""

    citations: int = 0
    """Ids, links and references that lead nowhere, or to what does not bear the sentence out."""
    left_out: list[str] = field(default_factory=list)
    """Why each sentence that is gone is gone; its own words are not repeated."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Holds the sentences of one reply against their sources and the brief's limits."""

    sources: Mapping[str, Source]
    ledger: Ledger
    prefix: str
    """What the ids of assumptions begin with, such as "T02-M"."""

    def faults(self, statements: Iterable[Statement]) -> list[str]:
        """Say what makes sentences unfit to stand at all, for their author."""
        found = (self._fault(self._bare(s)[0]) for s in statements)
        return list(dict.fromkeys(f for f in found if f))

    def told(
        self, steps: Sequence[Statement], findings: Sequence[Statement]
    ) -> tuple[tuple[Told, ...], tuple[Told, ...], Removed]:
        """Return the steps and the findings that stand, and what was taken out."""
        removed, number = Removed(), 0
        kept: tuple[list[Told], list[Told]] = ([], [])
        said = [(s, False) for s in steps] + [(s, True) for s in findings]
        for statement, factual in said:
            found = self._told(statement, removed, factual=factual)
            if found and found.assumption:
                number += 1
                found = found.model_copy(update={"assumption": f"{self.prefix}{number}"})
            if found:
                kept[factual].append(found)
        return tuple(kept[False]), tuple(kept[True]), removed

    def _told(self, statement: Statement, removed: Removed, *, factual: bool) -> Told | None:
        bare, gone = self._bare(statement)
        removed.citations += gone
        if not re.search(r"\w", bare.text):
            return None
        if fault := self._fault(bare):
            removed.left_out.append(fault.partition(":")[0])
            return None
        borne = tuple(s for s in bare.sources if self._bears(s, bare.text))
        removed.citations += len(bare.sources) - len(borne)
        cited = " ".join(self.sources[s].text for s in borne)
        invented = not _stand_in(bare.text, cited)
        assumed = invented or (factual and not borne)
        return Told(
            text=bare.text,
            sources=() if assumed else borne,
            assumption=self.prefix if assumed else "",
        )

    def _bare(self, statement: Statement) -> tuple[Statement, int]:
        """Part the sentence from its citations; count those that lead nowhere."""
        text, gone = undelimited(statement.text), 0
        named = list(statement.sources)
        for found in _BRACKETED.finditer(text):
            ids = re.split(r"\s*[,;]\s*", found[1])
            if any(i in self.sources or re.search(r"\d", i) for i in ids):
                named += ids
                text = text.replace(found[0], "")
        known = "\n".join(s.text for s in self.sources.values())
        for pattern in (_LINK, _AUTHORS):
            for found in pattern.finditer(text):
                if found[0].strip(" ()[]") not in known:
                    text, gone = text.replace(found[0], ""), gone + 1
        ids = list(dict.fromkeys(i.strip("[]() ") for i in named))
        real = tuple(i for i in ids if i in self.sources)
        text = re.sub(r"\s+([.,;:])", r"\1", " ".join(text.split()))
        left = statement.model_copy(update={"text": text, "sources": real})
        return left, gone + len(ids) - len(real)

    def _fault(self, statement: Statement) -> str:
        """Why a sentence cannot stand, whatever else is changed; "" if it can."""
        broken = [v for v in check(self.ledger, statement.text) if v.verdict == "violated"]
        if broken:
            return f"it breaks {broken[0].id}: {broken[0].reason}"
        against = [
            s for s in statement.sources if self._verdict(s, statement.text) == "contradicted"
        ]
        return f"{against[0]} says otherwise" if against else ""

    def _verdict(self, source_id: str, text: str) -> str:
        source = self.sources[source_id]
        return self._support(source, text).verdict if source.kind == "quoted" else ""

    def _bears(self, source_id: str, text: str) -> bool:
        """Whether a source bears a sentence out at least in part."""
        source = self.sources[source_id]
        if source.kind == "quoted":
            return self._support(source, text).verdict in ("supported", "partly")
        if numbers(text):
            return _stand_in(text, source.text)
        return self._support(source, text).verdict != "unsupported"

    def _support(self, source: Source, text: str) -> Support:
        return strongest([support(text, source.text, source.status, source.about)])


def claims(told: Iterable[Told], sources: Mapping[str, Source]) -> list[Claim]:
    """Return what sentences claim of evidence, of calculations, and by assumption."""
    found: list[Claim] = []
    for sentence in told:
        if sentence.assumption:
            found.append(Claim(kind="assumption", text=sentence.text, source=sentence.assumption))
        quoted = [s for s in sentence.sources if sources[s].kind == "quoted"]
        if quoted:
            found.append(Claim(kind="quoted", text=sentence.text, source=", ".join(quoted)))
    return found


def _stand_in(text: str, source: str) -> bool:
    """Whether every figure of *text* stands in *source*, but for rounding."""
    stated = {abs(n.value) for n in numbers(text)}
    known = {abs(n.value) for n in numbers(source, words=True)}
    return all(any(abs(n - k) <= _NEAR * max(n, k) for k in known) for n in stated)
