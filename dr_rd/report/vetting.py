"""What may stay of a section that a model wrote: each sentence held against the material it names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from core.errors import clipped
from core.values import Frozen
from dr_rd.checks import Ledger, broken
from dr_rd.evaluation.sentences import sentences
from dr_rd.evidence.support import support
from dr_rd.figures import lacking
from dr_rd.language import UNKNOWN, alphabets, foreign, language, languages
from dr_rd.models.typed.schema import Ids, bounds
from dr_rd.plain import ADDRESS, plain
from dr_rd.planning.expertise import beginning
from dr_rd.planning.signals import stems
from dr_rd.quantity import quantities
from dr_rd.report.material import Material
from dr_rd.templates import stop

_GRACE = 1.5
"""How many times the words that it has a section may take."""

_TOLD = 5
"""How many of a draft's faults its author is told of at once."""

_SHOWN = 80
"""How much of a sentence is quoted to its author, in characters."""


class Said(Frozen):
    """A sentence as a model wrote it."""

    text: Annotated[str, Field(max_length=4000), bounds(maxLength=600)]
    sources: Ids = ()


class Paragraph(Frozen):
    """Sentences that belong together."""

    sentences: Annotated[tuple[Said, ...], bounds(maxItems=10)] = Field(min_length=1)


class Draft(Frozen):
    """A section as a model wrote it."""

    paragraphs: Annotated[tuple[Paragraph, ...], bounds(maxItems=3)] = Field(min_length=1)


class SectionDraft(Draft):
    """A section with its name."""

    id: str


class Drafts(Frozen):
    """Sections as a model wrote them."""

    sections: Annotated[tuple[SectionDraft, ...], bounds(maxItems=20)] = Field(min_length=1)


What = Literal["sentence", "id", "link"]


class Removal(Frozen):
    """What was taken out, and why; the reason is meant for the author."""

    what: What
    why: str
    text: str = ""
    """The sentence."""

    @property
    def named(self) -> str:
        """Say what is gone, and why, without its own words in full."""
        reason = self.why.rpartition("”: ")[2]
        return f"{ {'sentence': 'a', 'id': 'an', 'link': 'a'}[self.what] } {self.what}{beginning(self.text)}, because {reason}"


@dataclass(frozen=True, slots=True)
class VettedSentence:
    """A sentence that may stay."""

    text: str
    sources: tuple[str, ...]
    paragraph: int

    @property
    def cited(self) -> str:
        """The sentence with its sources before its full stop."""
        ended = stop(f"{self.text[:1].upper()}{self.text[1:]}")
        return f"{ended[:-1]} [{', '.join(self.sources)}]{ended[-1]}"


@dataclass(frozen=True, slots=True)
class Vetted:
    """A section, checked."""

    kept: tuple[VettedSentence, ...]
    faults: tuple[Removal, ...]

    @property
    def complaint(self) -> str:
        """What its author is told to put right."""
        return "; ".join(f.why for f in self.faults[:_TOLD])

    @property
    def text(self) -> str:
        """The section as Markdown; "" if nothing may stay."""
        numbers = dict.fromkeys(k.paragraph for k in self.kept)
        parts = (" ".join(k.cited for k in self.kept if k.paragraph == n) for n in numbers)
        return "\n\n".join(parts)


def vet(draft: Draft, material: Material, ledger: Ledger) -> Vetted:
    """Keep the sentences of *draft* that their sources, the ledger and the language allow."""
    desk = _Desk(material, ledger)
    kept: Sequence[VettedSentence] = [
        sentence
        for number, paragraph in enumerate(draft.paragraphs)
        for said in paragraph.sentences
        for sentence in desk.read(said, number)
    ]
    kept = desk.in_one_language(draft, desk.within(desk.keeping(kept)))
    return Vetted(tuple(kept), tuple(desk.faults))


class _Desk:
    """Reads a draft and notes what it takes out."""

    def __init__(self, material: Material, ledger: Ledger) -> None:
        self._material, self._ledger = material, ledger
        self._whole = "\n".join(s.text for s in material.sources)
        self.faults: list[Removal] = []

    def read(self, said: Said, paragraph: int) -> Iterator[VettedSentence]:
        """Yield the sentences of what was said as one that may stay."""
        text, inside = self._without_ids(self._without_links(_plain(said.text)))
        sources = self._known_ids([*said.sources, *inside])
        for sentence in filter(None, (_LEAD.sub("", s.text) for s in sentences(text))):
            if why := self._wrong(sentence, sources):
                self._leave_out(sentence, why)
            else:
                yield VettedSentence(sentence, sources, paragraph)

    def keeping(self, kept: Sequence[VettedSentence]) -> Sequence[VettedSentence]:
        """Leave out what breaks the ledger, alone or together with other sentences."""
        while unfit := self._broken(kept):
            for sentence, why in unfit:
                self._leave_out(sentence.text, why)
            gone = [s for s, _ in unfit]
            kept = [k for k in kept if k not in gone]
        return kept

    def within(self, kept: Sequence[VettedSentence]) -> Sequence[VettedSentence]:
        """Cut what is too long, at a sentence."""
        room = _GRACE * self._material.words
        for n, sentence in enumerate(kept):
            room -= len(sentence.text.split())
            if room < 0:
                why = f"the section is longer than the {self._material.words} words it has"
                for late in kept[n:]:
                    self._leave_out(late.text, why)
                return kept[:n]
        return kept

    def in_one_language(
        self, draft: Draft, kept: Sequence[VettedSentence]
    ) -> Sequence[VettedSentence]:
        """Keep nothing of a draft that is mostly in another language.

        A short sentence does not tell its own; those around it do.
        """
        said = [_plain(s.text) for p in draft.paragraphs for s in p.sentences]
        told = Counter(t for t in map(language, said) if t != UNKNOWN)
        foreign = told and told.most_common(1)[0][0] != self._material.language != UNKNOWN
        if foreign or self._foreign(" ".join(k.text for k in kept)):
            for sentence in kept:
                self._leave_out(sentence.text, "the section is in another language")
            return ()
        return kept

    def _leave_out(self, text: str, why: str) -> None:
        told = f"“{clipped(text, _SHOWN)}”: {why}"
        self.faults.append(Removal(what="sentence", why=told, text=text))

    def _without_links(self, text: str) -> str:
        """Take out the addresses that the material does not have."""
        known = {*ADDRESS.findall(self._whole)}
        for link in dict.fromkeys(ADDRESS.findall(text)):
            if link not in known:
                self.faults.append(Removal(what="link", why=f"{link} is not in the material"))
                text = text.replace(link, " ")
        return " ".join(_HOLLOW.sub(" ", text).split())

    def _without_ids(self, text: str) -> tuple[str, list[str]]:
        """Take out what stands in square brackets, and return what it may name."""
        named = [i for group in _BRACKET.findall(text) for i in re.split(r"[,;\s]+", group) if i]
        bare = _ASSUMED.sub(" ", _BRACKET.sub(" ", text)).replace("[", " ").replace("]", " ")
        return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(bare.split())), named

    def _known_ids(self, named: Sequence[str]) -> tuple[str, ...]:
        """The ids that the material has; the others are taken out."""
        ids = dict.fromkeys(i.strip(" []()") for i in named)
        for i in ids:
            if i not in self._material.ids:
                self.faults.append(Removal(what="id", why=f"the id {i!r} is not in the material"))
        return tuple(i for i in ids if i in self._material.ids)

    def _wrong(self, text: str, sources: Sequence[str]) -> str:
        """Why a sentence may not stay; "" if it may."""
        if not sources:
            return "it names no piece of the material that it rests on"
        return (
            self._invented(text, sources)
            or self._foreign(text)
            or self._beside(text, sources)
            or self._against(text, sources)
        )

    def _invented(self, text: str, sources: Sequence[str]) -> str:
        """Say which number or id of a sentence is not in what it rests on."""
        told = self._material.texts(sources)
        if orphans := lacking(text, "\n\n".join(told), self._material.language):
            return f"{', '.join(orphans)} is not in {', '.join(sources)}"
        strange = [i for i in _ID.findall(text) if i not in self._whole + str(self._material.ids)]
        if strange:
            return f"it names {', '.join(strange)}, which the material does not have"
        return _other_unit(text, told)

    def _foreign(self, text: str) -> str:
        """Say that a text is not in the section's language, or has letters of a strange alphabet."""
        wanted = self._material.language
        if found := foreign(text, wanted):
            return f"it is written in {found.capitalize()} and not in {wanted.capitalize()}"
        stray = alphabets(text) - alphabets(self._whole)
        if stray and wanted in languages().common:
            return f"it has letters of another alphabet ({', '.join(sorted(stray))})"
        return ""

    def _beside(self, text: str, sources: Sequence[str]) -> str:
        """Say that what a sentence names shares neither a figure nor, in one language, a word."""
        told = "\n".join(self._material.texts(sources))
        foreign = language(told) != self._material.language
        if foreign or quantities(text) or not stems(text).isdisjoint(stems(told)):
            return ""
        return f"{', '.join(sources)} has no word of it"

    def _against(self, text: str, sources: Sequence[str]) -> str:
        """Say which of the passages that a sentence rests on says the opposite."""
        for piece in self._material.sources:
            if piece.id in sources and re.fullmatch(r"E\d+", piece.id):
                found = support(text, piece.text)
                if found.verdict == "contradicted":
                    return f"{piece.id} contradicts it: {found.reason}"
        return ""

    def _broken(self, kept: Sequence[VettedSentence]) -> list[tuple[VettedSentence, str]]:
        """The sentences that decide which items are broken, each with the reason."""
        return [
            (kept[n], f"it breaks {v.id} (“{v.text}”): {v.reason}")
            for v, deciding in broken(self._ledger, [stop(k.text) for k in kept])
            for n in deciding or range(len(kept))
        ]


_HOLLOW = re.compile(r"\(\s*(?:see|doi|doi:|url:?|at|via)?\s*\)", re.IGNORECASE)
_BRACKET = re.compile(r"\[([^\]\[]*)\]")
_ASSUMED = re.compile(r"\(assumed,[^()]*\)")
"""A mark that only code sets."""
_ID = re.compile(r"\b[A-Z]{1,2}\d{1,4}(?:-\d{1,3})\b|\b[ACEGORSTB]\d{2,4}\b")
_LEAD = re.compile(
    r"^(?:\s*(?:[#>|+•*–—-]+|\d{1,3}[.)])(?:\s+|$)"
    r"|\s*(?:[CSB]\d\d,?\s+)?\(?(?:constraint|criterion|ban)\)?\s*:\s+)+",
    re.IGNORECASE,
)
"""What stands before a sentence and is none of its words: marks, numbers, the name of an item's kind."""


_SIGN = re.compile(r"(`[^`]+`)|[`*~|\\<]|(?<!\S)#+(?!\S)")
"""A code span, in which a formula stands as it is, or a sign that a text in Markdown gives a meaning."""


def _plain(text: str) -> str:
    """One line of plain words, without any sign that a text in Markdown gives a meaning."""
    flat = " ".join(_SIGN.sub(lambda found: found[1] or " ", plain(text)).split())
    return _LEAD.sub("", flat)


def _other_unit(text: str, told: Sequence[str]) -> str:
    """Say which figure of a sentence its sources give in other units alone."""
    units: dict[float, set[str]] = {}
    for quantity in (q for t in told for q in quantities(t)):
        for value in (quantity.low, quantity.high):
            if value is not None:
                units.setdefault(value, set()).add(quantity.unit)
    for quantity in quantities(text):
        given = [units[v] for v in (quantity.low, quantity.high) if v is not None and v in units]
        if quantity.unit and any(g and not g & {quantity.unit, ""} for g in given):
            return f"{quantity.text} has another unit there"
    return ""
