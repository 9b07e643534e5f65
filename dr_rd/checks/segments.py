"""The parts of a limit that affirm, and the parts that refuse."""

import re

from dr_rd.checks.phrases import PARENTHESIS

REFUSING = re.compile(
    r"^(?:(?:must|may|should|will|shall|do|does)\s+not\s+(?:be\s+)?|no(?:t)?\s+(?:use\s+of\s+)?|without\s+|never\s+"
    r"|avoid\s+|cannot\s+|zero\s+(?=[a-z]))(?!more|fewer|less|later|longer|earlier|exceed|only)",
    re.IGNORECASE,
)
"""How a part begins that refuses what follows."""

BANNED = re.compile(r"^\s*(?:do not|never|no|avoid)\s+(?!more\b|fewer\b|less\b)", re.IGNORECASE)
"""How a banned move may begin though it is banned anyway; "no more than" begins a bound."""

_SEGMENT = re.compile(r"\s*(?:[;,]|\bbut\b)\s*")

_INNER_NOT = re.compile(
    r"(?<!\bwho)(?<!\bthat)(?<!\bwhich)\s+(?:with\s+no|without|(?:must|may|will|shall|is|are|do|does)\s+not|cannot|never)"
    r"\s+(?!exceed|more|fewer|less|later|longer|earlier|only)",
    re.I,
)


def segments(text: str) -> list[str]:
    """Cut *text* into the parts that affirm, and the parts that deny."""
    spread = _INNER_NOT.sub("; no ", PARENTHESIS.sub("", text))
    found: list[str] = []
    for sentence in re.split(r"\s*;\s*", spread):
        joined: list[str] = []
        for part in filter(None, _SEGMENT.split(sentence.strip())):
            if joined and not REFUSING.match(part) and not part.lower().startswith("only "):
                joined[-1] += f", {part}"
            else:
                joined.append(part)
        found += joined
    return found
