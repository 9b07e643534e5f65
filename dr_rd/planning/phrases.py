"""Noun phrases of an objective, as short as they can be said."""

import re

_LONGEST = 14
"""Words a slot may have; longer phrases are cut at a comma, a bracket or a preposition."""


_HANDY = 5
"""Words of a phrase that is still said in full each time."""

_LOOSE = "in|for|with|by|from|at|on|over|within|between|enacted|using|under|among|across|that|as"
_TIGHT = "of|to"
"""Where a long phrase may be cut; first at the looser joints."""

_BOUND = re.compile(
    r"\s+(?:with|by|of|at)\s+(?:(?:fewer|more|less)|(?:at least|at most|more than|less than)?\s*\d\S*(?:\s?%| per ?cent)?"
    r"|(?:an?|one) (?:half|third|quarter|fifth|tenth)|half|two thirds)$",
    re.IGNORECASE,
)
"""A bound hanging on at the end of a phrase, such as "by at least 10%"."""


def bare(text: str) -> str:
    """Leave article, brackets and everything behind a comma away."""
    text = re.sub(r"\s*\([^)]*\)", "", text).strip(" ,;:.")
    vague = r"(?:\s+(?:specific|given|certain|particular))?"
    text = re.sub(
        rf"^(?:the|an?|its|their|our|my|your|some){vague}\s+", "", text, flags=re.IGNORECASE
    )
    text = re.sub(r"\b(?:our|my)\s", "the ", text)
    return re.split(r"\s*[,;:]\s+", text, maxsplit=1)[0]


_RELATIVE = re.compile(
    r"^(\S+ing\s+(?:which|who|that)\s.+)$|\s+(?:that|which|who)\s.*$", re.DOTALL
)
"""What is said of a thing; after "predicting" alone it is the thing itself."""


def noun_phrase(text: str) -> str:
    """A bare noun phrase, not longer than a reader can hold."""
    text = _RELATIVE.sub(r"\1", bare(text))
    text = _BOUND.sub("", text)
    words = text.split()
    if len(words) > _LONGEST:
        text = _head(" ".join(words[:_LONGEST])) or text
    return text.strip(" ,;:.")


_JOINT = re.compile(r"\s+(?:in|for|with|by|from|at|on|to|of|and)\s+")


def _head(text: str) -> str:
    """What stands before the first joint that does not leave a bare figure: no "replacing 20 %"."""
    ends = (m.start() for m in _JOINT.finditer(text))
    heads = (text[:end] for end in ends if not re.search(r"[\d%]\s*$", text[:end]))
    return next(heads, _JOINT.split(text, maxsplit=1)[0])


def briefly(phrase: str) -> str:
    """Cut a long noun phrase to its head: "annealing temperature" without the range."""
    if len(phrase.split()) > _HANDY:
        phrase = re.split(r"\s+(?:that|which)\s+", phrase, maxsplit=1)[0]
    for joints in (_LOOSE, _TIGHT):
        head = re.split(rf"\s+(?:{joints})\s+", phrase, maxsplit=1)[0]
        if len(phrase.split()) > _HANDY and (len(head.split()) >= 2 or head.isupper()):
            return head
    return phrase


def lowered(text: str) -> str:
    """Lower the first letter of a plain word, not of a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


_IN_MONTHS = {
    "year": 12.0, "month": 1.0, "week": 12 / 52, "day": 12 / 365, "term": 3.5, "season": 6.0,
    "semester": 4.5, "hour": 12 / 8760,
}  # fmt: skip
"""Months in a unit; a term, a season and a semester are taken as customary lengths."""


def months_in(text: str) -> float | None:
    """Length of the first period that *text* names, in months; None if it names none."""
    found = _PERIOD.search(text)
    if not found:
        return None
    return (_NUMBERS.get(found[1]) or float(found[1])) * _IN_MONTHS[found[2]]


def period_in(text: str) -> str:
    """The first period that *text* names, in its own words: "8 weeks"; "" if it names none."""
    found = _PERIOD.search(text)
    if not found:
        return ""
    return f"{found[1]} {found[2]}{'' if found[1] in ('1', 'one', 'a', 'an') else 's'}"


_NUMBERS = {
    w: float(n)
    for n, w in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
} | {"a": 1.0, "an": 1.0}

_PERIOD = re.compile(
    rf"(\d+(?:\.\d+)?|\b(?:{'|'.join(_NUMBERS)})\b)[ -]?(?:\w+ )?({'|'.join(_IN_MONTHS)})"
)
