"""A reply that came in parts, joined at its seams.

A model that is told to go on where it stopped often repeats its last words first, opens its fence
again, or begins anew. What is repeated is left out where that is certain; else the parts are
joined as they are, and the reader finds out.
"""

import re

_CERTAIN = 12
"""Characters from which a repetition at the seam is no chance."""

_LETTERS = 8
"""Letters that it has at the least."""

_FAR = 40
"""Characters that are given up at most to have a part end between two words."""

_LONGEST = 500
"""Characters of a repetition that are looked for."""

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_OPENING = re.compile(r"\s*(?:`{3,}|~{3,})[ \t]*(?:json\w*)?[ \t]*\r?\n", re.IGNORECASE)


def trim_cut_word(text: str) -> str:
    """Return a part without the word in which it was cut, if there is a blank before it.

    No model begins a turn with a blank, so only after one is it certain what it goes on with.
    """
    end = max(text.rfind(blank) for blank in " \t\n") + 1
    return text[:end] if end and len(text) - end <= _FAR else text


def join_parts(first: str, more: str) -> str:
    """Return what the two parts of a reply are together.

    JSON holds no line break as it is within a text, so a fence at the beginning of *more* belongs
    to no value.
    """
    more = _OPENING.sub("", more, count=1) if _OPENING.match(more) else more
    return more if _begins_anew(first, more) else first + more[_repeated_length(first, more) :]


def _begins_anew(first: str, more: str) -> bool:
    """Whether *more* begins as *first* begins: no value holds itself."""
    begun = _without_blanks(_OPENING.sub("", first, count=1) if _OPENING.match(first) else first)
    return len(begun) >= _CERTAIN and _without_blanks(more).startswith(begun[: 2 * _CERTAIN])


def _without_blanks(text: str) -> str:
    return "".join(text[:_LONGEST].split())


def _repeated_length(first: str, more: str) -> int:
    """Count the characters at the end of *first* that *more* repeats; 0 if it may be chance."""
    for size in range(min(len(first), len(more), _LONGEST), _CERTAIN - 1, -1):
        if first.endswith(more[:size]):
            return size if _is_certain_repeat(first[:-size], more[:size]) else 0
    return 0


def _is_certain_repeat(before: str, part: str) -> bool:
    """Whether *part*, which followed *before*, cannot be about to come once more.

    Numbers and whole elements of a list can, and so can what has come twice already; words cannot
    that begin or end within a text.
    """
    within_text = _is_in_string(before) or _is_in_string(before + part)
    worded = sum(map(str.isalpha, part)) >= _LETTERS
    return within_text and worded and (before + part).find(part) == len(before)


def _is_in_string(json: str) -> bool:
    return '"' in _TEXT.sub("", json)
