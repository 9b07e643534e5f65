"""The ways in which one name or one figure may be written, as patterns over folded text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise
from unicodedata import category, decomposition, normalize
from unicodedata import name as called

from dr_rd.files import read_yaml

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\U00020000-\U0003ffff"
)
"""Letters of scripts that do not put a space between a name and all of its neighbours."""

LETTER = rf"[^\W\d_{_UNSPACED}]"
"""A letter of a word that stands apart from its neighbours."""

_APART = r"\s_.\-*/+|>"
BETWEEN = rf"(?:[{_APART}]|\\[nrt]|%20)"
"""What may stand between the words of a name; a line's end may be written as JSON does."""

_CUT = r"(?:[*_~`]{1,3}|-?[ \t]*(?:[\n\r]|\\[nr])[\s>]*)?"
"""What may part a word: the marks of Markdown, and what stands where a line ends."""

PASSED = rf"{_APART}~`,'"
"""Every sign that may stand between two letters of a name or two digits of a figure."""

OPENING = 12
"""How many of its first letters and digits a name or a figure is looked up by."""

_MOST_OPENINGS = 64
"""The most openings of one name, whose letters may each have several forms."""

_LONG = 4
"""Letters from which a name may take an ending."""

_JOINABLE = 3
"""Letters from which the words of a name may be written together, as in an address."""

_SPELT = 3
"""Letters from which a name may be spelled out, as in A c m e, or cut at the end of a line."""

_FINE = 6
"""The most decimals of a figure before a word such as million."""

_SEPARATOR = r"[.,' _]"
_WRITTEN = re.compile(
    rf"(?P<grouped>\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}|\d+)"
    r"(?:[.,](?P<part>\d+))?"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in one spelling, without what nobody sees.

    It has small Latin letters where they look so, no accents, and one kind of space, dash and
    digit.
    """

    text: str
    source: str
    places: Sequence[int]
    """Where in the source each letter of the text comes from."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the source that a part of the text comes from."""
        return self.places[start], self.places[end - 1] + 1

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """Return that part with the accents of its last letter, and what is invisible after it."""
        first, last = self.span(start, end)
        upto = self.places[end] if end < len(self.places) else len(self.source)
        return first, max(last, upto)


def folded(text: str, *, parting: bool = False) -> Folded:
    """Fold a text: Unicode's compatibility forms and full case folding, and letters that look alike.

    Those of other scripts are taken for the Latin ones that they are drawn like (as in Unicode's
    list for UTS 39, "confusables", checked against it), letters in circles for letters; accents and
    what is invisible are dropped. If *parting*, what is invisible and what is in circles stands
    between words instead.
    """
    if text.isascii() and not _CONTROL.search(text):
        return Folded(text.lower(), text, range(len(text)))
    letters, places = [], []
    for place, letter in enumerate(text):
        plain = _plain(letter, parting)
        letters.append(plain)
        places += [place] * len(plain)
    return Folded("".join(letters), text, places)


_CONTROL = re.compile(r"[^\t\n\r -~]")
_NAMED = re.compile(
    r"(?:.*LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL |SCRIPT |DOTLESS )?"
    r"|REGIONAL INDICATOR SYMBOL LETTER )([A-Z])(?: WITH .*)?"
)
"""What Unicode calls Latin letters with strokes and hooks, in circles, and the like."""


@cache
def _plain(letter: str, parting: bool) -> str:  # noqa: FBT001 - for every letter of a text
    if letter.isspace():
        return letter if letter in "\n\r\t" else "\n" if letter.splitlines() == [""] else " "
    kind = category(letter)
    if kind in ("Cc", "Cf") or _EMPTY.match(letter):
        return " " if parting else ""
    if sign := _sign(letter, kind):
        return sign
    return letter if parting and kind[0] == "S" else _letter(letter, kind)


def _sign(letter: str, kind: str) -> str:
    """Return a digit, dash or apostrophe in its usual form, "^" for a footnote's mark; else ""."""
    if letter.isdecimal():
        return str(int(letter))
    if kind == "Pd" or letter == "−":
        return "-"
    if letter in "’ʼ‘`´":
        return "'"
    # the mark of a footnote is no part of what it stands at
    marks = kind[0] == "N" or decomposition(letter).startswith(("<super>", "<sub>"))
    return "^" if marks else ""


def _letter(letter: str, kind: str) -> str:
    if letter in _alike():
        return _alike()[letter]
    if named := _NAMED.fullmatch(called(letter, "")):
        return named[1].lower()
    if kind[0] not in "LM":
        return letter
    spread = "".join(_looks(c) for c in normalize("NFKD", letter))
    return "".join(c for c in spread if category(c) not in ("Mn", "Me", "Cf"))


_EMPTY = re.compile(r"[\u115f\u1160\u3164\uffa0\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]")
"""Letters and vacant places that are drawn as nothing."""


def _looks(letter: str) -> str:
    """Return the Latin letter that one looks like, itself or as a capital; else it folded."""
    alike = _alike()
    found = alike.get(letter) or alike.get(letter.upper())
    return found or normalize("NFKD", letter.casefold())


# ---------------------------------------------------------------------------------- names


def name_pattern(name: str) -> str:
    """Return what finds a name in folded text, as a word or words of its own; "" if it has none.

    Its words may be joined in other ways, cut where a line ends, or spelled out; and it may take
    an ending, which is not matched.
    """
    words = _words(name)
    letters = [letter for word in words for letter in word]
    if not any(letter[0].isalnum() for letter in letters):
        return ""
    spelt = len(letters) >= _SPELT or not re.match(LETTER, letters[0])
    cut = _CUT if spelt else ""
    rest = "".join(cut + _any(letter) for letter in words[0][1:])
    for before, word in pairwise(words):
        rest += _joint(before, word) + cut.join(map(_any, word))
    if spelt:
        apart = (_joint([one], [other]) + _any(other) for one, other in pairwise(letters))
        rest = f"(?:{rest}|{''.join(apart)})"
    return "|".join(_begun(first) + rest + _end(words[-1]) for first in letters[0])


def name_openings(name: str) -> frozenset[str]:
    """Return with which letters any match of `name_pattern` begins, what is `PASSED` left out.

    A first sign that is no letter stands alone.
    """
    first, *letters = [letter for word in _words(name) for letter in word]
    found = set(first)
    for letter in letters[: 2 * OPENING] if first.isalnum() else ():
        if re.fullmatch(f"[{PASSED}]+", letter):
            continue
        if not letter.isalnum() or len(found) * len(letter) > _MOST_OPENINGS:
            break
        found = {begun + form for begun in found for form in letter}
    return frozenset(text[:OPENING] for text in found)


def as_listed(form: str, listed: str) -> bool:
    """Whether a form of a name differs from the name in capitals and the joining of words only."""
    found, asked = _bare(form), _bare(listed)
    return len(found) <= len(asked) and "".join(found) == "".join(asked)


def _bare(text: str) -> list[str]:
    return re.findall(rf"[^{_APART}\u2010-\u2015]+", normalize("NFC", text).casefold())


def _words(name: str) -> list[list[str]]:
    """Return the words of a name, a text of all that it looks like for each letter.

    A capital may look like another letter than the small one does; each sign is a word.
    """
    forms = [folded(form).text for form in (name, name.lower(), name.upper())]
    alike = [form for form in forms if len(form) == len(forms[0])]
    words: list[list[str]] = [[]]
    for letter in ("".join(dict.fromkeys(column)) for column in zip(*alike, strict=True)):
        if re.match(rf"[{_APART}]", letter):
            words.append([])
        elif words[-1] and not (letter[0].isalnum() and words[-1][-1][0].isalnum()):
            words.append([letter])
        else:
            words[-1].append(letter)
    return [word for word in words if word]


def _any(letter: str) -> str:
    """Match a letter in any of its forms; "&" may be written as HTML does."""
    if letter == "&":
        return "&(?:amp;)?"
    return re.escape(letter) if len(letter) == 1 else f"[{re.escape(letter)}]"


def _joint(before: Sequence[str], word: Sequence[str]) -> str:
    """Match what stands between two words: short ones of one kind must be parted."""
    ends = before[-1][0], word[0][0]
    parted = all(map(str.isalpha, ends)) or all(map(str.isdecimal, ends))
    long = min(len(before), len(word)) >= _JOINABLE
    return f"{BETWEEN}{'+' if parted and not long else '*'}"


def _begun(letter: str) -> str:
    """Look back from behind the first letter: a search for a letter is fast."""
    first = re.escape(letter)
    if letter.isdecimal():
        return rf"{first}(?<!\d{first})"
    if not re.match(LETTER, letter):
        return first
    # the n of a line's end that is written as in JSON is no letter of the word before
    return rf"{first}(?:(?<!{LETTER}{first})|(?<=\\[nrt]{first}))"


def _end(word: Sequence[str]) -> str:
    last = word[-1][0]
    if last.isdecimal():
        return r"(?!\d)"
    if not re.match(LETTER, last):
        return ""
    endings = "|".join(_forms().endings if len(word) >= _LONG else ("s",))
    return rf"(?=(?:{endings})?(?!{LETTER}))"


# -------------------------------------------------------------------------------- figures


def figures(text: str) -> tuple[Decimal, ...]:
    """Return the values that a *text* which is one figure may have; none if it is more or less.

    Of "1,250" there are two: what is a separator here is a decimal sign elsewhere.
    """
    bare = folded(text).text
    for word in _forms().beside:
        bare = bare.replace(word, " ")
    written = _WRITTEN.match(bare.strip())
    if not written:
        return ()
    word = bare.strip()[written.end() :].strip(" -.")
    factor = _forms().multipliers.get(word) if word else 1
    return tuple(v * factor for v in _values(written)) if factor else ()


def _values(written: re.Match[str]) -> Iterator[Decimal]:
    grouped, part = written["grouped"], written["part"]
    if written["grouped"].isdecimal() or part:
        whole = re.sub(r"\D", "", grouped)
        yield Decimal(f"{whole}.{part}" if part else whole)
        return
    yield Decimal(re.sub(r"\D", "", grouped))
    if re.fullmatch(r"\d{1,3}[.,]\d{3}", grouped):
        yield Decimal(grouped.replace(",", "."))


def figure_pattern(values: Sequence[Decimal]) -> str:
    """Return what finds those values in folded text, however they are grouped or multiplied."""
    return "|".join(form for value in values for form in _figure(value))


def figure_openings(values: Iterable[Decimal]) -> frozenset[str]:
    """Return with which digits any match of `figure_pattern` begins."""
    scaled = (value / factor for value in values for factor in (1, *_forms().words))
    return frozenset("".join(_digits(value))[:OPENING] for value in scaled)


def _figure(value: Decimal) -> Iterator[str]:
    for factor, words in _forms().words.items():
        whole, part = _digits(value / factor)
        if len(part) <= _FINE:
            spelled = "|".join(re.escape(word) for word in words)
            number = _number(_groupings(whole), part, r"(?<!\d{first})")
            yield rf"{number}[\s\-]?(?:{spelled})(?!{LETTER})"
    whole, part = _digits(value)
    plain, *grouped = _groupings(whole)
    if len(whole) > 3 or part:
        # a comma beside so many digits is one of a list, as in [1,250000]
        number = _number([plain], part, r"(?<!\d{first})(?<!\d\.{first})")
        yield rf"{number}(?!\d)(?!\.\d)"
    else:
        grouped = [plain]
    if grouped:
        number = _number(grouped, part, r"(?<!\d{first})(?<!\d[.,']{first})")
        yield rf"{number}(?!\d)(?![.,']\d)"


def _number(forms: Iterable[str], part: str, behind: str) -> str:
    """Match digits in any of the *forms*, all of which begin with the same."""
    first, rests = "", []
    for form in forms:
        first, rest = form[0], form[1:]
        rests.append(rest)
    return rf"{first}{behind.replace('{first}', first)}(?:{'|'.join(rests)}){_decimals(part)}"


def _digits(value: Decimal) -> tuple[str, str]:
    whole, _, part = format(value.normalize(), "f").partition(".")
    return whole, part


def _decimals(part: str) -> str:
    return rf"[.,]{part}0*" if part else r"(?:[.,]0{1,2}(?!\d))?"


def _groupings(digits: str) -> Iterator[str]:
    """Yield the digits as they are, spelled out, in threes, and in threes and twos as in India."""
    yield digits
    if len(digits) > 3:
        yield " ".join(digits)
        yield _SEPARATOR.join([*_cut(digits[:-3], 3), digits[-3:]])
    if len(digits) > 5:
        yield ",".join([*_cut(digits[:-3], 2), digits[-3:]])


def _cut(digits: str, size: int) -> list[str]:
    first = len(digits) % size
    parts = [digits[n : n + size] for n in range(first, len(digits), size)]
    return [digits[:first], *parts] if first else parts


# ----------------------------------------------------------------------------------- data


@dataclass(frozen=True, slots=True)
class _Forms:
    endings: Sequence[str]
    beside: Sequence[str]
    words: Mapping[int, Sequence[str]]
    multipliers: Mapping[str, int]


@cache
def _alike() -> Mapping[str, str]:
    held = read_yaml("models", "lookalikes.yaml")
    return {letter: latin for latin, letters in held.items() for letter in letters.split()}


@cache
def _forms() -> _Forms:
    held = read_yaml("models", "masking.yaml")
    words = {
        factor: sorted((folded(w).text for w in names), key=len, reverse=True)
        for factor, names in held["multipliers"].items()
    }
    return _Forms(
        endings=sorted(held["endings"], key=len, reverse=True),
        beside=[folded(w).text for w in held["beside"]],
        words=words,
        multipliers={word: factor for factor, names in words.items() for word in names},
    )
