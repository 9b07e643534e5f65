"""Which of two sides a figure is of, where its label says so, or where they come in pairs."""

import re
from dataclasses import replace

from dr_rd.adherence.reading import Stated
from dr_rd.text import cued, lexicon, plural

LABEL = re.compile(r"(?:^|[.;\n]\s*|,\s)(?:[-*]\s)?([A-Z]?[^\W\d_]+(?:\s[^\W\d_]+){0,2}):\s$")
LONG_LABEL = 120  # characters

_PAIRS_OF = re.compile(
    r"\sof\s(?:[\w-]+\s){1,2}?and\s(?:[\w-]+\s){1,2}?(?P<noun>[^\W\d_]+)", re.IGNORECASE
)


def label_of(stated: Stated) -> str:
    """The label right before a figure, as in "Specimens: 26"; "" where there is none."""
    found = LABEL.search(stated.before, max(0, len(stated.before) - LONG_LABEL))
    return found[1] if found and "|" not in stated.sentence.text else ""


def names_side(label: str) -> bool:
    """Whether a label names one of two sides, or a group: "Untreated: 640"."""
    told = cued("treated", label) or cued("compared", label)
    return bool(label) and (told or bool(lexicon().meanings(label) & lexicon().groups))


def side_scope(stated: Stated) -> str:
    """The scope of a figure that is of one side, or of each of two: "group"; "" for any other."""
    return "group" if names_side(label_of(stated)) or _of_pairs(stated) else ""


def unpaired(stated: Stated) -> Stated:
    """As many of each side as there are pairs: "640 pairs of treated and control homes" are 640 homes each."""
    found = _of_pairs(stated)
    if not found:
        return stated
    noun = found["noun"]
    update = {"noun": noun, "text": f"{stated.quantity.text} of {noun}"}
    return replace(stated, quantity=stated.quantity.model_copy(update=update))


def _of_pairs(stated: Stated) -> re.Match[str] | None:
    if not re.search(r"\bpairs\b", stated.quantity.text):
        return None
    found = _PAIRS_OF.match(stated.after)
    return found if found and plural(found["noun"]) else None
