"""A text in which the names of documents say nothing: to cite what does a thing is not to do it.

Every place stays where it was: what is taken out leaves blanks.
"""

import re
from collections.abc import Callable

_Found = re.Match[str]

_BEHIND = re.compile(r"\[E\d+(,[^\]\n]*)\]")
"""Where a passage stands, behind its id: "[E004, yield.md, Effects of X on Y]"."""

_FILE = re.compile(r"`([^`\n]*\.\w{1,5})`")
"""The name of a file."""

_ROW = re.compile(
    r"^[ \t]*[-*][ \t]+\[E\d+\] (?:` *`|[^\s,]+)(, “[^”\n]*”)?(?=.*, in [\w, -]+$)", re.MULTILINE
)
"""A line of the list of passages: its heading, before the tasks that quote it."""

_NAMED = re.compile(
    r"(?<![\w*_])([*_])(?![*_\s])[^*_\n]*(?<!\s)\1(?=[,;]?\s*(?:\[E\d+|\([^()\n]*\d{4}))"
)
"""A title in slanted letters, before the id or the year of what it names."""

_PERSON = r"[^\W\d_][\w'’-]+,? (?:[A-Z]\.?[ -]?){1,3}"
_ENTRY = re.compile(
    rf"^[ \t]*(?:[-*][ \t]+|\[?\d+[.\])][ \t]+)?[“\"]?{_PERSON}(?:(?:, |; |,? and |,? & ){_PERSON})*"
    r"(?:,? et al\.?)?,? ?\(?(?:19|20)\d\d[a-z]?\)?[.,:](.*)$",
    re.MULTILINE,
)
"""An entry of a list of references; what follows its year names the work and where it is."""

_WORDS = re.compile(r"[“\"]([^“”\"\n]*)[”\"](?=\s*\[E\d+)")
_STOP = re.compile(r"[.!?](?=\s)")


def without_titles(text: str) -> str:
    """Blank the titles in slanted letters, which are known by their marks alone."""
    return _NAMED.sub(_blanked(0), text)


def without_names(text: str) -> str:
    """Blank the other names of documents and passages, and read quoted sentences as one quotation."""
    for names, part in ((_BEHIND, 1), (_FILE, 1), (_ROW, 1), (_ENTRY, 1)):
        text = names.sub(_blanked(part), text)
    return _WORDS.sub(lambda m: _STOP.sub(",", m[0]), text)


def _blanked(part: int) -> Callable[[_Found], str]:
    def blank(found: _Found) -> str:
        start, end = (at - found.start() for at in found.span(part))
        return found[0][: max(start, 0)] + " " * (end - start) + found[0][max(end, 0) :]

    return blank
