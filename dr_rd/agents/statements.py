"""What a model's sentences come to once code has looked at their sources."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from core.errors import clipped
from core.graph.state import Claim
from core.values import Frozen
from dr_rd.checks import Ledger, broken
from dr_rd.evidence.corpus import DocumentStatus
from dr_rd.evidence.support import Support, strongest, support
from dr_rd.figures import ROUNDED, lacking
from dr_rd.language import UNKNOWN, foreign
from dr_rd.models.typed.schema import Ids, bounds
from dr_rd.plain import ADDRESS, plain
from dr_rd.planning.expertise import Basis, Confidence, beginning
from dr_rd.planning.signals import stems
from dr_rd.quantity import numbers
from dr_rd.templates import stop

MOST_CHARACTERS = 700
"""Of one sentence or two."""

_ID = r"[A-Z]\w{0,30}(?:-\w{1,20})*"
_BRACKETED = re.compile(rf"\s*[\[(](?:sources?:\s*)?({_ID}(?:\s*[,;]\s*{_ID})*)[\])]")
_OURS = re.compile(r"E\d{3,}|T\d+-M?\d+")
"""Ids that nothing else looks like; "(CO2)" is no citation."""
_MARK = re.compile(
    r"\s*(?:\[\s*(?:\d{1,3}\s*|(?:plan\b|brief\b|\^|[A-Z]{1,2}\d{1,4}\b)[^\[\]]*)\]|"
    r"\(assumed,[^()]*\))"
)
"""What readers and scores would take for a mark of ours, or for a reference by number."""
_AUTHORS = re.compile(
    r"\s*[\[(][^\W\d_][\w'’-]+(?:(?:,| and| &| et al\.?)[^\d()\[\]]{0,60})?,?\s(?:19|20)\d\d[a-z]?"
    r"(?:;[^()\[\]]{0,120})?[\])]"
)
"""A reference by author and year."""


_FEWEST = 4
"""Content words from which a finding that shares none with the work belongs elsewhere."""


UNVERIFIED = "unverified"
"""What stands behind a publication that a model names and nobody looked up."""


class Statement(Frozen):
    """A sentence as a model wrote it."""

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    sources: Ids = ()


class Finding(Statement):
    """What is known, as a model wrote it: how surely, and what would show it to be wrong."""

    basis: Basis = ""
    confidence: Confidence = ""
    would_change: Annotated[str, bounds(maxLength=300)] = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a statement may cite."""

    id: str
    kind: Literal["brief", "quoted", "computed", "answer"]
    text: str
    about: str = ""
    """Where it stands: document, heading, tool."""
    status: DocumentStatus = "live"


class CheckedStatement(Frozen):
    """A sentence as it stands in an answer."""

    text: str
    sources: tuple[str, ...] = ()
    assumption: str = ""
    """The id it has as an assumption; "" if it has a source or needs none."""
    fault: str = ""
    """Why nothing bears it out, although its author says so, or that it belongs elsewhere."""
    confidence: Confidence = ""
    would_change: str = ""


@dataclass(slots=True)
class Removed:
    """What was taken out of one reply."""

    citations: int = 0
    """Ids, links and references that lead nowhere, or to what does not bear the sentence out."""
    left_out: list[str] = field(default_factory=list)
    """Why each sentence that is gone is gone; its own words are not repeated."""
    named: list[str] = field(default_factory=list)
    """The same, with how each begins."""

    def leave_out(self, text: str, why: str) -> None:
        """Note a sentence that is gone."""
        reason = why.partition(":")[0]
        self.left_out.append(reason)
        self.named.append(f"a sentence{beginning(text)}, because {reason}")


@dataclass(frozen=True, slots=True)
class Checker:
    """Holds the sentences of one reply against their sources and the brief's limits."""

    sources: Mapping[str, Source]
    ledger: Ledger
    prefix: str
    """What the ids of assumptions begin with, such as "T02-M"."""
    tongue: str = UNKNOWN
    """The language of the brief, such as "german"."""
    topic: frozenset[str] = frozenset()
    """Stems of the words of brief and plan; findings that share none belong elsewhere."""
    tasks: frozenset[str] = frozenset()
    """Ids of the plan's tasks."""

    def faults(self, statements: Iterable[Statement], unknowns: Iterable[str] = ()) -> list[str]:
        """Say what makes sentences unfit to stand at all, for their author."""
        bare = [self._bare(s)[0] for s in statements]
        asked = [self._bare(Statement(text=u))[0] for u in unknowns if u.strip()]
        why = {s.text: self._fault(s) for s in bare} | {s.text: self._loose(s) for s in asked}
        why |= self._together([t for t, w in why.items() if not w])
        found = [self._complaint(text, fault) for text, fault in why.items() if fault]
        return list(dict.fromkeys(found))

    def _complaint(self, text: str, fault: str) -> str:
        """Quote the sentence that is at fault, and the limit that it breaks."""
        broke = re.search(r"\bbreaks (\w+)", fault)
        limit = (
            f" ({broke[1]}: “{clipped(self.ledger.item(broke[1]).text, 200)}”)" if broke else ""
        )
        return f"“{clipped(text, 100)}”: {fault}{limit}"

    def checked(
        self, steps: Sequence[Statement], findings: Sequence[Statement], unknowns: Sequence[str]
    ) -> tuple[
        tuple[CheckedStatement, ...], tuple[CheckedStatement, ...], tuple[str, ...], Removed
    ]:
        """Return the steps, findings and unknowns that stand, and what was taken out."""
        removed = Removed()
        done = [t for s in steps if (t := self._checked_statement(s, removed, factual=False))]
        found = [t for s in findings if (t := self._checked_statement(s, removed, factual=True))]
        asked = [u for s in unknowns if (u := self._checked_unknown(s, removed))]
        unfit = self._together([*(t.text for t in (*done, *found)), *asked])
        for text, why in unfit.items():
            removed.leave_out(text, why)
        kept = self._with_assumption_ids([t for t in (*done, *found) if t.text not in unfit])
        steps_kept = sum(t.text not in unfit for t in done)
        asked = [u for u in asked if u not in unfit]
        return kept[:steps_kept], kept[steps_kept:], tuple(asked), removed

    def _with_assumption_ids(
        self, told: Iterable[CheckedStatement]
    ) -> tuple[CheckedStatement, ...]:
        """Give each assumption an id of its own."""
        found, number = [], 0
        for sentence in told:
            number += bool(sentence.assumption)
            own = f"{self.prefix}{number}" if sentence.assumption else ""
            found.append(sentence.model_copy(update={"assumption": own}))
        return tuple(found)

    def _checked_unknown(self, unknown: str, removed: Removed) -> str:
        """An open question as it may stand; "" if it may not."""
        if not unknown.strip():
            return ""
        bare, gone = self._bare(Statement(text=unknown))
        removed.citations += gone
        if fault := self._loose(bare):
            removed.leave_out(bare.text, fault)
            return ""
        return bare.text if re.search(r"\w", bare.text) else ""

    def _checked_statement(
        self, statement: Statement, removed: Removed, *, factual: bool
    ) -> CheckedStatement | None:
        bare, gone = self._bare(statement)
        removed.citations += gone
        if not re.search(r"\w", bare.text):
            return None
        if fault := self._fault(bare):
            removed.leave_out(bare.text, fault)
            return None
        borne = tuple(s for s in bare.sources if self._bears(s, bare.text))
        removed.citations += len(bare.sources) - len(borne)
        cited = " ".join(self.sources[s].text for s in borne)
        invented = self._lacks(cited, bare.text)
        fault = self._unfounded(statement, bare, borne) if factual else ""
        if factual and borne and invented and not fault:
            fault = f"{', '.join(borne)} does not give its figure"
        assumed = bool(invented or (factual and not borne) or fault)
        more: dict[str, Any] = {}
        if isinstance(statement, Finding):
            would_change, lost = self._bare(Statement(text=statement.would_change or "-"))
            removed.citations += lost
            more = {
                "confidence": statement.confidence,
                "would_change": would_change.text.strip("-"),
            }
        return CheckedStatement(
            text=bare.text,
            sources=() if assumed else borne,
            assumption=self.prefix if assumed else "",
            fault=fault,
            **more,
        )

    def _unfounded(self, written: Statement, bare: Statement, borne: Collection[str]) -> str:
        """Say that a finding belongs elsewhere, or claims a source that there is not; "" if neither."""
        words = stems(bare.text)
        cited = stems(" ".join(self.sources[s].text for s in borne))
        if self.topic and len(words) >= _FEWEST and not words & (self.topic | cited):
            return "it shares no word with the task or the brief"
        if borne:
            return ""
        if bare.sources:
            return f"{', '.join(bare.sources)} does not bear it out"
        cited_ids = dict.fromkeys(i.strip("[]() ") for i in written.sources)
        own = self.prefix.partition("-")[0]  # whoever cites the task itself says it on their own
        named = [i for i in cited_ids if i not in self.sources and i != own]
        if strange := [i for i in named if i not in self.tasks]:
            return f"it cites {clipped(', '.join(strange), 40)}, which does not exist"
        if named:
            return f"it cites {clipped(', '.join(named), 40)}, of which no answer is given here"
        if isinstance(written, Finding) and written.basis in ("source", "computed"):
            return "it claims a source and names none"
        return ""

    def _bare(self, statement: Statement) -> tuple[Statement, int]:
        """Part the sentence from its citations; count those that lead nowhere."""
        text, gone = plain(statement.text), 0
        named = list(statement.sources)
        for found in _BRACKETED.finditer(text):
            ids = re.split(r"\s*[,;]\s*", found[1])
            if any(i in self.sources or _OURS.fullmatch(i) for i in ids):
                named += ids
                text = text.replace(found[0], "")
        for found in _MARK.finditer(text):
            ids = [i for i in re.findall(_ID, found[0]) if i in self.sources]
            named, gone = [*named, *ids], gone + (not ids)
            text = text.replace(found[0], "")
        text = text.replace("[", "(").replace("]", ")")  # in square brackets stand sources alone
        known = "\n".join(s.text for s in self.sources.values())
        for found in ADDRESS.finditer(text):
            if found[0] not in known:
                text, gone = text.replace(found[0], ""), gone + 1
        for found in _AUTHORS.finditer(text):
            named_work = found[0].strip(" ()[]")
            if named_work not in known:
                text = text.replace(found[0], f" ({named_work}, {UNVERIFIED})")
        ids = list(dict.fromkeys(i.strip("[]() ") for i in named))
        real = tuple(i for i in ids if i in self.sources)
        text = re.sub(r"\s+([.,;:])", r"\1", " ".join(text.split()))
        left = statement.model_copy(update={"text": text, "sources": real})
        return left, gone + len(ids) - len(real)

    def breach(self, text: str) -> str:
        """Say which limit a sentence breaks by itself; "" if none."""
        return next((f"it breaks {v.id}" for v, _ in broken(self.ledger, [text])), "")

    def _together(self, texts: Sequence[str]) -> dict[str, str]:
        """Those of *texts* that break a limit beside the others, each with the reason."""
        found: dict[str, str] = {}
        while new := self._violations([t for t in texts if t not in found]):
            found |= new
        return found

    def _violations(self, texts: Sequence[str]) -> dict[str, str]:
        """Those that decide which limits all of *texts* break."""
        return {
            texts[n]: f"beside the others it breaks {v.id}: {v.reason}"
            for v, deciding in broken(self.ledger, [stop(t) for t in texts])
            for n in deciding
        }

    def _loose(self, question: Statement) -> str:
        """Why an open question cannot stand: what a sentence may not say, or figures of its own."""
        if fault := self._fault(question):
            return fault
        known = "\n".join(s.text for s in self.sources.values())
        own = self._lacks(known, question.text)
        return "it asks with a figure that no source states" if own else ""

    def _fault(self, statement: Statement) -> str:
        """Why a sentence cannot stand, whatever else is changed; "" if it can."""
        for v, _ in broken(self.ledger, [statement.text]):
            return f"it breaks {v.id}: {v.reason}"
        if used := foreign(statement.text, self.tongue):
            return f"it is in {used.capitalize()} and not in {self.tongue.capitalize()}"
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
        if self._lacks(source.text, text):
            return False
        return bool(numbers(text)) or self._support(source, text).verdict != "unsupported"

    def _lacks(self, source: str, text: str) -> bool:
        """Whether *source* does not give a figure of *text*."""
        return bool(lacking(text, source, self.tongue, ROUNDED))

    def _support(self, source: Source, text: str) -> Support:
        return strongest([support(text, source.text, source.status, source.about)])


def claims(told: Iterable[CheckedStatement], sources: Mapping[str, Source]) -> list[Claim]:
    """Return what sentences claim of evidence, of calculations, and by assumption."""
    found: list[Claim] = []
    for sentence in told:
        if sentence.assumption:
            found.append(
                Claim(
                    kind="assumption",
                    text=sentence.text,
                    source=sentence.assumption,
                    fault=sentence.fault,
                )
            )
        quoted = [s for s in sentence.sources if sources[s].kind == "quoted"]
        if quoted:
            found.append(Claim(kind="quoted", text=sentence.text, source=", ".join(quoted)))
    return found
