"""How long the work on one unit takes, and how many are done in a day by those who do it."""

import re
from collections.abc import Iterable, Sequence

from dr_rd.brief import Person
from dr_rd.quantity import Quantity, quantities
from dr_rd.reading.spans import Pace
from dr_rd.text import sentences, stem

_MINUTES = {"minute": 1.0, "hour": 60.0}
_DOING = re.compile(
    r"^\W*(?P<doing>\w+ing)\s+(?:an?|each|every|one)\s+(?P<noun>[\w-]+)\b", re.IGNORECASE
)
"""How a sentence opens that says how long something takes: "Reading a letter … takes 18 minutes"."""
_DOUBLE = re.compile(
    r"\bboth (?:of )?(?:the |our )?\w+(?:ers|ors)\b|\bby two \w+(?:ers|ors)\b|\bdouble[- ](?:read|cod|scor|enter|screen|mark|rat)\w*"
    r"|\b(?:read|coded|scored|rated|marked|screened|entered) twice\b",
    re.IGNORECASE,
)
"""What shows that each unit is worked on twice."""
_HOURS = re.compile(
    r"(?P<hours>\d+(?:\.\d+)?) hours?(?: of [\w-]+)? (?:an?|per|in an?|each|every) (?:working )?day\b",
    re.IGNORECASE,
)
_LEAST_STEM = 3
DAY_HOURS = 8.0
"""Hours of a working day where nothing says how many of them go into the work."""


def handled(text: str, units: Sequence[str], people: Iterable[Person]) -> Pace | None:
    """Return how many *units* those of the *people* do in a working day who do this work.

    None where the text does not say how long one takes, or none of the people is called by it:
    "Reading a letter takes 18 minutes" is the work of readers.
    """
    named = {stem(u.lower().split()[-1]) for u in units if u.split()}
    for sentence in sentences(text):
        opened = _DOING.match(sentence.text)
        if opened is None or (named and stem(opened["noun"].lower()) not in named):
            continue
        root = opened["doing"].lower().removesuffix("ing")
        doers = [p for p in people if _does(p, root)]
        length = next((q for q in quantities(sentence.text) if _is_length(q)), None)
        if length is None or not doers:
            continue
        minutes = (length.high or 0) * _MINUTES[length.unit]
        twice = 2 if _DOUBLE.search(text) else 1
        spoken = _HOURS.search(text)
        hours = float(spoken["hours"]) if spoken else DAY_HOURS
        strength = _strength(doers)
        a_day = strength * hours * 60 / (minutes * twice)
        return Pace(
            what=f"{opened['noun']} a day",
            number=round(a_day, 4),
            per="day",
            by=max(doers, key=lambda p: p.count).role,
            strength=strength,
        )
    return None


def _strength(doers: Sequence[Person]) -> float:
    """Full-time people among *doers*; those named one by one are among those named together."""
    together = [p for p in doers if p.count > 1]
    alone = [p for p in doers if p.count == 1]
    return max(sum(p.count * p.share for p in held) for held in (together, alone))


def _is_length(q: Quantity) -> bool:
    return q.unit in _MINUTES and bool(q.high)


def _does(person: Person, root: str) -> bool:
    """Whether somebody is called by what they do: a reader reads."""
    return len(root) >= _LEAST_STEM and any(
        word.startswith(root) for word in person.role.lower().split()
    )
