"""Numbers in words: two hundred and fifty, half an hour, a third."""

import re
from collections.abc import Iterator

from dr_rd.quantity.grammar import Grammar
from dr_rd.quantity.tokens import Token


def words_in(grammar: Grammar, text: str) -> Iterator[Token]:
    """The numbers that *text* spells out, in order."""
    for match in grammar.word.finditer(text):
        if match["ordinal"]:
            value = float(grammar.ordinals[match["ordinal"].lower()])
            if _is_part(text, match):
                share = round(1 / value, 10)
                yield Token(share, match.start(), match.end(), "whole", grouped=True)
            else:
                yield Token(value, match.start(), match.end(), "ordinal", grouped=True)
        elif (part := match["part"] or match["timed"]) and (
            match["part"] or _timed(text, match.start(), part)
        ):
            value = grammar.parts[re.sub(r"[\s-]+", " ", part.lower())]
            yield Token(value, match.start(), match.end(), "whole", grouped=True)
        elif match["timed"]:
            continue
        elif match["single"]:
            yield Token(1.0, match.start(), match.end(), "single", grouped=True)
        else:
            value = _spelled(grammar, match[0])
            yield Token(value, match.start(), match.end(), "word", grouped=True)


_PART_BEFORE = re.compile(
    r"\b(?:by|than|about|nearly|almost|roughly|around|over|under|up to|(?:at )?least|(?:at )?most)\s+$",
    re.I,
)
_PART_BEHIND = re.compile(r"\s+(?:of|off|less|more|lower|higher|fewer|as)\b", re.IGNORECASE)
_NO_NOUN = re.compile(
    r"\s*(?:[^\w\s]|$)|\s+(?:in|on|at|for|over|within|and|or|to|from|compared|relative|than|until|by|with|without)\b",
    re.I,
)


def _is_part(text: str, match: re.Match[str]) -> bool:
    """Whether "a third" is a part of something, as in "by a third", and not one more of several."""
    if not match[0].lower().startswith("a") or match["ordinal"].lower() == "second":
        return False
    cut = _PART_BEFORE.search(text, max(0, match.start() - 16), match.start())
    return bool(
        _PART_BEHIND.match(text, match.end()) or (cut and _NO_NOUN.match(text, match.end()))
    )


_LASTING = re.compile(
    r"\b(?:lasts?|takes?|took|runs?(?:\s+for)?|spans?|for|within|than|exceeds?|is|to)\s+$",
    re.IGNORECASE,
)

_WHOLE_TIME = re.compile(
    r"an?\s+(?:decade\b|\w+\s+and\s+(?:a\s+half|a\s+quarter|three\s+quarters)\b)", re.IGNORECASE
)


def _timed(text: str, start: int, part: str) -> bool:
    """Whether "an" of "an hour" counts: "lasts an hour", but not "twice an hour"."""
    lasting = _LASTING.search(text[max(0, start - 16) : start])
    return len(part) > 2 or bool(lasting or _WHOLE_TIME.match(text, start))


def _spelled(grammar: Grammar, words: str) -> float:
    """Add up number words: "two hundred and fifty" is 250."""
    total = part = 0.0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in grammar.words:
            part += grammar.words[word] if word != "dozen" or not part else 11 * part
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in grammar.multipliers:
            total += (part or 1) * grammar.multipliers[word]
            part = 0.0
    return total + part + (0.5 if words.lower().endswith("half") else 0.0)
