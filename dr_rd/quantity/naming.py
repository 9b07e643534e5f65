"""In what unit a number is given, and what it counts."""

import re

from dr_rd.quantity.grammar import DASH, Grammar

_OR_SO = re.compile(r"\s+or\s+so(?=\s+[a-z])")

_NOUN_WORD = re.compile(rf"[\s{DASH}]{{1,2}}([^\W\d_][\w’'-]*)")

_SUSPENDED = re.compile(r"\s(?:and|or|to)(?=\s[^\W\d_])")
"""After a word that is cut short it goes on to the whole one: "first- and second-year"."""

_WORDS = re.compile(r"[^\W\d_][\w’'-]*|,")


def coin_before(grammar: Grammar, left: str) -> str:
    """The currency at the end of *left*, as written; "" where there is none."""
    found = grammar.money_before.search(left[-6:])
    return found[0] if found else ""


def unit_at(grammar: Grammar, text: str, position: int) -> tuple[str, int] | None:
    """The unit at *position*, no currency, and where it ends."""
    found = grammar.unit.match(text, position)
    if not found or (found["unit"] in grammar.letters and not _letter(text, found)):
        return None
    name = grammar.units[found["unit"]]
    if found["per"]:
        return f"{name}/{grammar.units[found['per']]}", found.end()
    return name, found.end()


def _letter(text: str, found: re.Match[str]) -> bool:
    """Whether a single letter is a unit here, and not a name such as vitamin C."""
    follows = text[found.end() : found.end() + 1]
    return found["gap"] not in tuple(DASH) and follows not in ("-", "'", "’", "*")


def noun_after(grammar: Grammar, text: str, position: int, *, unit: str) -> tuple[str, int]:
    """The noun phrase right after a number, and where it ends."""
    words: list[str] = []
    if loose := _OR_SO.match(text, position):
        position = loose.end()
    while len(words) < 4 and (match := _NOUN_WORD.match(text, position)):
        if match[1].lower() in grammar.stops or "\n\n" in match[0]:
            break
        position = match.end()
        if pair := _SUSPENDED.match(text, position) if match[1].endswith("-") else None:
            position = pair.end()
            continue
        words.append(match[1])
        if match[0][0] in DASH and not unit:
            break
    return " ".join(words), position


def noun_before(grammar: Grammar, left: str) -> str:
    """The noun phrase before the comparison: "analysis period" of "… must not exceed 10"."""
    words = _WORDS.findall(left)
    while words and (words[-1].lower() in grammar.links or words[-1] == ","):
        words.pop()
    kept: list[str] = []
    stops = grammar.stops
    while words and len(kept) < 3 and words[-1].lower() not in stops and words[-1] != ",":
        kept.insert(0, words.pop())
    return " ".join(kept)
