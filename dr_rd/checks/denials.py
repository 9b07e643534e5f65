"""How a limit refuses something: "don't" written out, and leaving out, which asks for what is left."""

import re
from functools import cache

from dr_rd.text import lexicon

_SHORTENED = re.compile(r"\b[a-z]+n[’']?t\b", re.IGNORECASE)


def written_out(text: str) -> str:
    """Write "don't" as "do not", and so all that the lexicon knows: other words know only that."""
    return _SHORTENED.sub(lambda m: _whole(m[0]), text)


def _whole(word: str) -> str:
    plain = word.lower().replace("’", "").replace("'", "")
    return lexicon().shortened.get(plain, word)


@cache
def _leaving_out() -> re.Pattern[str]:
    told = "|".join(sorted(lexicon().omitting, reverse=True))  # "fail to" before "fail"
    return re.compile(rf"\s*(?:(?:{told})\s+|not\s+(?=\w+ing\b))(?P<thing>.+)", re.I | re.DOTALL)


def left_out(text: str) -> str:
    """What *text* speaks of leaving out: the pilot, of "skip the pilot"; "" for any other text."""
    found = _leaving_out().fullmatch(text)
    return found["thing"] if found else ""
