"""Does this passage support that claim? Rules that code can check, no model."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from core.values import Frozen
from dr_rd.evidence.corpus import Status
from dr_rd.evidence.units import differ, same_kind
from dr_rd.evidence.words import language, plain, sentences, stem, stems, words
from dr_rd.quantity import Quantity, quantities

Verdict = Literal["supported", "partly", "contradicted", "unsupported", "not_checkable"]

ENOUGH = 0.7
"""Share of a claim's content words, from which a passage says it."""
SOME = 0.4
"""Share from which it says part of it."""
SUBJECT = 0.5
"""Share from which passage and claim speak of one thing, so that they can contradict."""


class Support(Frozen):
    """The verdict on one claim, and why."""

    verdict: Verdict
    reason: str


def support(claim: str, passage: str, status: Status = "live") -> Support:
    """Judge whether *passage*, from a document of *status*, supports *claim*.

    Words are compared by their stems, numbers by value and unit, quotations letter by letter.
    A paraphrase without common words is called unsupported: no rule here can tell it.
    """
    return _lowered(_judged(claim, passage), status)


def _lowered(found: Support, status: Status) -> Support:
    """Trust a document that is not live less: it can support in part, and refute nothing."""
    if status == "live" or found.verdict in ("unsupported", "not_checkable"):
        return found
    source = {"archive": "an archived document", "draft": "a draft"}.get(
        status, "a superseded document"
    )
    verdict: Verdict = "partly" if found.verdict == "supported" else "unsupported"
    return Support(verdict=verdict, reason=f"{found.reason}; but this is {source}")


def _judged(claim: str, passage: str) -> Support:
    """Judge each sentence of the claim; one that is contradicted spoils the whole."""
    text, source = _ATTRIBUTION.sub("", plain(claim)), plain(passage)
    found = [_sentence(text[a:b], source) for a, b in sentences(text)]
    checked = [f for f in found if f.verdict != "not_checkable"]
    if not checked:
        return next(iter(found), Support(verdict="not_checkable", reason="the claim is empty"))
    worst = min(checked, key=lambda f: _ORDER.index(f.verdict))
    if worst.verdict == "unsupported" and any(f.verdict != "unsupported" for f in checked):
        return Support(verdict="partly", reason=worst.reason)
    return worst


_ORDER: Sequence[Verdict] = ("contradicted", "unsupported", "partly", "supported")


def _sentence(text: str, source: str) -> Support:
    if reason := _uncheckable(text):
        return Support(verdict="not_checkable", reason=reason)
    for quote in _quotes(text):
        if quote.casefold() not in source.casefold():
            return Support(verdict="unsupported", reason=f"the passage does not say “{quote}”")
    if text.casefold() in source.casefold():
        return Support(verdict="supported", reason="the passage says it word for word")
    given = _with_units(source)
    return _compared(_Claim.of(text, given), given)


_ATTRIBUTION = re.compile(
    r"^(?:the|this) [\w-]+ (?:notes?|says?|states?|finds?|found|reports?|shows?) that\s+",
    re.IGNORECASE,
)
_CELL = re.compile(r"(\S{1,20}): (\d[\d.,]*)(?=;|$)")


def _with_units(source: str) -> str:
    """Say the unit of a column after the number of its cell: "Price EUR: 5" is "5 EUR" too."""

    def said(match: re.Match[str]) -> str:
        with_unit = f"{match[2]} {match[1]}"
        has_unit = any(q.unit for q in quantities(with_unit))
        return f"{match[1]}: {with_unit}" if has_unit else match[0]

    return _CELL.sub(said, source)


_OPINION = re.compile(
    r"^\W*(?:we|i) (?:will|plan to|propose|intend|recommend|suggest|should|believe)\b"
    r"|\?\s*$|^\W*(?:please|let us|let's)\b",
    re.IGNORECASE,
)


def _uncheckable(claim: str) -> str:
    if len(set(stems(claim, language(claim)))) < 2:
        return "the claim says too little to be checked"
    if _OPINION.search(claim):
        return "the claim is an intention, an opinion or a question"
    return ""


_QUOTE = re.compile(r'"([^"]+)"')


def _quotes(text: str) -> Iterator[str]:
    """The quoted parts of *text* that are words and not names: three or more."""
    yield from (
        q for m in _QUOTE.finditer(text) if len((q := m.group(1).strip(" .,;")).split()) >= 3
    )


# --- Words ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim beside the sentence of the passage that is nearest to it."""

    text: str
    nearest: str
    tongue: str
    coverage: float
    """Share of its content words in the passage."""
    subject: float
    """The same in the nearest sentence alone, words of direction left out."""

    @classmethod
    def of(cls, text: str, source: str) -> "_Claim":
        tongue = language(source)
        wanted = _content(text, tongue)
        spans = [source[a:b] for a, b in sentences(source)] or [source]
        nearest = max(spans, key=lambda s: (len(wanted & _content(s, tongue)), -len(s)))
        coverage = _share(wanted, _content(source, tongue))
        subject = _share(_neutral(wanted), _content(nearest, tongue))
        return cls(text, nearest, tongue, coverage, subject)


def _content(text: str, tongue: str) -> set[str]:
    """The stems of *text* without its numbers and units, which are compared by value."""
    for quantity in reversed(quantities(text)):
        if quantity.unit:
            text = f"{text[: quantity.start]} {text[quantity.end :]}"
    return {s for s in stems(text, tongue) if not s[0].isdigit()} - _SPELLED


_SPELLED = frozenset(
    {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
)


def _share(wanted: Set[str], given: Set[str]) -> float:
    return len(wanted & given) / len(wanted) if wanted else 1.0


def _neutral(found: Set[str]) -> set[str]:
    return set(found) - _DIRECTED


def _compared(claim: _Claim, source: str) -> Support:
    wrong, missing = _numbers(claim, source)
    if claim.subject >= SUBJECT:
        if reason := _opposed(claim):
            return Support(verdict="contradicted", reason=reason)
        if wrong:
            return Support(verdict="contradicted", reason=wrong)
    if missing or wrong:
        verdict: Verdict = "partly" if claim.coverage >= ENOUGH else "unsupported"
        return Support(verdict=verdict, reason=missing or wrong)
    if claim.coverage >= ENOUGH:
        return Support(verdict="supported", reason="the passage says it in the same words")
    percent = f"{claim.coverage:.0%} of the claim's words"
    if claim.coverage >= SOME:
        return Support(verdict="partly", reason=f"the passage has only {percent}")
    return Support(verdict="unsupported", reason=f"the passage has {percent}")


# --- Numbers -------------------------------------------------------------------------------


def _numbers(claim: _Claim, source: str) -> tuple[str, str]:
    """Say which number of the claim the passage gives another value, and which it lacks."""
    given = quantities(source)
    near = quantities(claim.nearest)
    for quantity in quantities(claim.text):
        if any(same_kind(quantity, g) and not differ(quantity, g) for g in given):
            continue
        rivals = [g for g in near if _rival(quantity, g)]
        if rivals:
            return f"the claim says {quantity.text}, the passage {rivals[0].text}", ""
        return "", f"the passage does not give {quantity.text}"
    return "", ""


def _rival(a: Quantity, b: Quantity) -> bool:
    """Whether *b* is another value of what *a* measures: of its unit, or a count of its noun."""
    if a.unit:
        return same_kind(a, b)
    return not b.unit and bool(a.noun and b.noun) and same_kind(a, b)


# --- Negation and direction ----------------------------------------------------------------

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|lacks?|lacked|fail(?:s|ed)?"
    r" to|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|sin|nunca|non|senza)\b|n't\b|不|没|未|无",
    re.IGNORECASE,
)
_DIRECTIONS: Sequence[tuple[str, str]] = (
    (
        "increase increases increased increasing rise rises rose rising raise raises raised grow "
        "grows grew higher gain gains gained improve improves improved more above over exceed "
        "exceeds exceeded greater larger longer faster stronger upward up steigt stieg höher mehr "
        "augmente supérieur aumenta mayor",
        "decrease decreases decreased decreasing fall falls fell falling drop drops dropped lower "
        "lowers lowered decline declines declined reduce reduces reduced worsen worsens worsened "
        "less fewer below under smaller shorter slower weaker downward down sinkt sank niedriger "
        "weniger diminue inférieur disminuye menor",
    ),
    ("before earlier", "after later"),
    ("minimum least", "maximum most"),
    ("allow allows allowed permit permits permitted", "forbid forbids forbidden prohibit banned"),
    ("include includes included", "exclude excludes excluded"),
    ("safe safer", "unsafe dangerous harmful"),
    ("stable", "unstable"),
    ("significant significantly", "insignificant nonsignificant"),
    ("profitable", "unprofitable"),
    ("positive positively", "negative negatively"),
)
_SIDES = tuple((frozenset(a.split()), frozenset(b.split())) for a, b in _DIRECTIONS)
_DIRECTED = frozenset(stem(w) for sides in _SIDES for side in sides for w in side)


def _opposed(claim: _Claim) -> str:
    """Say how the nearest sentence says the opposite; "" where it does not."""
    clause = _clause(claim)
    negated = (
        _denials(claim.text, clause, claim.tongue),
        _denials(clause, claim.text, claim.tongue),
    )
    turned = _turned(claim.text, clause)
    if turned and negated[0] % 2 == negated[1] % 2:
        return f"the claim and the passage point in opposite directions ({turned})"
    if not turned and negated[0] % 2 != negated[1] % 2:
        return "one says it, the other denies it"
    return ""


def _denials(text: str, other: str, tongue: str) -> int:
    """Count the negations in *text* of something that *other* speaks of too."""
    shared = set(stems(other, tongue))
    around = (
        stems(text[m.end() :], tongue)[:_AFTER] + stems(text[: m.start()], tongue)[-1:]
        for m in _NEGATION.finditer(text)
    )
    return sum(bool(shared & set(near)) for near in around)


_AFTER = 2
"""Content words after a negation that it denies; the one before it counts too."""


def _clause(claim: _Claim) -> str:
    """The part of the nearest sentence that the claim is about, by its words and numbers."""
    parts = re.split(r"[;:]|,\s+(?:but|yet|while|whereas|although|so|and)\b", claim.nearest)
    wanted = set(stems(claim.text, claim.tongue))
    return max(parts, key=lambda part: len(wanted & set(stems(part, claim.tongue))))


def _turned(text: str, clause: str) -> str:
    """Name the two words that point in opposite directions; "" where none do."""
    mine, theirs = set(words(text)), set(words(clause))
    for up, down in _SIDES:
        for a, b in ((up, down), (down, up)):
            # A sentence with both directions compares; it takes no side.
            if mine & a and theirs & b and not (mine & b or theirs & a):
                return f"{min(mine & a)} against {min(theirs & b)}"
    return ""
