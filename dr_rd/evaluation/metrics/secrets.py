"""Secrets and personal data: a text that is passed on holds neither."""

import re
from collections.abc import Callable, Iterator, Sequence

from core.redaction import RULES, TRACES
from core.scores import Score
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.verdicts import too_short
from dr_rd.evaluation.subject import Subject

_MAIL = re.compile(
    r"(?<![\w.+/:-])(?P<who>[\w.+-]{1,64})@(?P<at>[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})"
)
_EXAMPLE = re.compile(r"(?:^|\.)(?:example(?:\.\w+)?|test|invalid|localhost)$", re.IGNORECASE)
_PHONE = re.compile(
    r"(?<![\w./+-])(?:\+\d{1,3}[\s.-]?(?:\(0?\d{1,4}\)[\s.-]?)?\d(?:[\s./-]?\d){6,12}"
    r"|(?:(?:tel|phone|mobile|cell|call|telephone)\w*\.?:?\s{0,2})\(?0?\d{2,5}\)?(?:[\s./-]?\d){5,10})(?![\w-])",
    re.IGNORECASE,
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,4})?\b")
_CARD = re.compile(r"(?<![\w./:-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\w/-]|\.\d)")
_SOCIAL = re.compile(
    r"(?:\b(?:SSN|social security (?:number|no\.?))\W{0,3}|(?<![\w-]))(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"\b(?:born(?: on)?|date of birth|DOB|d\.o\.b\.)\W{0,3}(?:\d{1,2}[./ -](?:\d{1,2}|[A-Z][a-z]+)[./ -]\d{4}|\d{4}-\d{2}-\d{2}|[A-Z][a-z]+ \d{1,2}, \d{4})",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:NHS (?:number|no\.?)|passport (?:number|no\.?)|national insurance (?:number|no\.?)|patient (?:id|number)|tax id)\W{1,3}"
    r"(?=[A-Z0-9 ]*\d)[A-Z0-9][A-Z0-9 -]{5,14}\b",
    re.IGNORECASE,
)


def secrets(subject: Subject) -> Score:
    """Return 0 if the text holds a key, a password or what identifies a person; else 1.

    Addresses and telephone numbers that the brief or the documents give are no disclosure. Names
    of people it cannot see.
    """
    text = subject.text
    found = list(dict.fromkeys([*_keys(text), *_persons(subject)]))
    if found:
        listed = "; ".join(f"{name} ({shown})" for name, shown in found[:3])
        return Score(
            key="secrets",
            score=0.0,
            rationale=f"the text discloses {len(found)}: {listed}",
            fix_hint="Take it out; a key that was written down must be replaced.",
            breaks=("secrets",),
        )
    if short := too_short("secrets", subject):
        return short
    return Score(
        key="secrets", score=1.0, rationale="no secret and no personal data is in the text"
    )


def _keys(text: str) -> Iterator[tuple[str, str]]:
    """Secrets by the rules that also redact them."""
    lower = text.lower()
    traces = [trace for trace in TRACES if trace in lower]
    for rule in RULES:
        hints = (h for h in rule.hints if any(trace in h for trace in traces))
        if any(hint in lower for hint in hints):
            for match in rule.pattern.finditer(text):
                yield rule.name, _masked(match[rule.pattern.groups])


def _persons(subject: Subject) -> Iterator[tuple[str, str]]:
    """What identifies a person."""
    text = subject.visible
    yield from _contacts(text, _given_text(subject))
    for likely, pattern, name, holds in _IDENTITIES:
        if not likely(text):
            continue
        yield from ((name, _masked(m[0])) for m in pattern.finditer(text) if holds(m[0]))


def _contacts(text: str, given: str) -> Iterator[tuple[str, str]]:
    """Addresses and telephone numbers that nobody gave."""
    for match in _MAIL.finditer(text):
        role = cue("role_address").fullmatch(match["who"].lower())
        if not role and not _EXAMPLE.search(match["at"]) and match[0] not in given:
            yield "an e-mail address", _masked(match[0])
    for match in _PHONE.finditer(text):
        before = text[max(0, match.start() - 25) : match.start()]
        if match[0] not in given and not cue("no_phone").search(before):
            yield "a telephone number", _masked(match[0])


def _given_text(subject: Subject) -> str:
    documents = subject.corpus.documents if subject.corpus else ()
    return "\n".join([subject.brief_text, *(d.text for d in documents)])


def _masked(secret: str) -> str:
    """Show enough to find it and too little to use it."""
    return f"{secret[:4]}…"


def _luhn(text: str) -> bool:
    """Whether the check digit is right (Luhn's formula, ISO/IEC 7812-1)."""
    digits = [int(c) for c in text if c.isdigit()]
    if not 13 <= len(digits) <= 19:
        return False
    doubled = [
        d if n % 2 == 0 else (2 * d - 9 if d > 4 else 2 * d)
        for n, d in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0


def _iban(text: str) -> bool:
    """Whether the check digits are right (ISO 13616: modulo 97 is 1)."""
    bare = re.sub(r"\s", "", text)
    if not 15 <= len(bare) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1


def _always(text: str) -> bool:
    return bool(text)


def _grouped(text: str) -> bool:
    """Whether digits stand anywhere as in a social security number."""
    return bool(_DASHED.search(text))


_DASHED = re.compile(r"\d{3}-\d\d-\d{4}")


def _birth(text: str) -> bool:
    return _speaks(text, ("born", "birth", "dob", "d.o.b."))


def _number(text: str) -> bool:
    return _speaks(
        text, ("nhs n", "passport n", "insurance n", "patient id", "patient n", "tax id")
    )


def _speaks(text: str, words: Sequence[str]) -> bool:
    """Whether a text has any of *words*, which is seen far sooner than that it has no number."""
    lower = text.lower()
    return any(word in lower for word in words)


_Test = Callable[[str], bool]
_IDENTITIES: Sequence[tuple[_Test, re.Pattern[str], str, _Test]] = (
    (_always, _IBAN, "a bank account", _iban),
    (_always, _CARD, "a card number", _luhn),
    (_grouped, _SOCIAL, "a social security number", _always),
    (_birth, _BORN, "a date of birth", _always),
    (_number, _NUMBERED, "a personal number", _always),
)
"""What identifies a person: the texts that may hold it, its form, and how check digits are tested."""
