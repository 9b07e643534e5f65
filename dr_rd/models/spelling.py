"""The ways in which one name or one figure may be written, as patterns over folded text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise
from unicodedata import category, decomposition, normalize

from dr_rd.files import read_yaml

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\U00020000-\U0003ffff"
)
"""Letters of scripts that do not put a space between a name and all of its neighbours."""

_LETTER = rf"[^\W\d_{_UNSPACED}]"
_BETWEEN = r"(?:[\s_.\-]|\\[nrt]|%20)"
"""What may stand between the words of a name; a line's end may be written as JSON does."""

_LONG = 4
"""Letters from which a name may take an ending."""

_JOINABLE = 3
"""Letters from which the words of a name may be written together, as in an address."""

_FINE = 6
"""The most decimals of a figure before a word such as million."""

_SEPARATOR = r"[.,' _]"
_WRITTEN = re.compile(
    rf"(?P<grouped>\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}|\d+)"
    r"(?:[.,](?P<part>\d+))?"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in one spelling: small letters, no accents, one kind of space, dash and digit."""

    text: str
    source: str
    places: Sequence[int]
    """Where in the source each letter of the text comes from."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the source that a part of the text comes from, with its accents."""
        last = self.places[end - 1] + 1
        upto = self.places[end] if end < len(self.places) else len(self.source)
        return self.places[start], max(last, upto)


def folded(text: str) -> Folded:
    """Fold a text (Unicode compatibility forms and full case folding, accents dropped)."""
    if text.isascii():
        return Folded(text.lower(), text, range(len(text)))
    letters, places = [], []
    for place, letter in enumerate(text):
        plain = _plain(letter)
        letters.append(plain)
        places += [place] * len(plain)
    return Folded("".join(letters), text, places)


@cache
def _plain(letter: str) -> str:
    kind = category(letter)
    if letter in "\n\r\t":
        return letter
    if letter.isspace() or letter == "\u200b":
        return " "
    if letter.isdecimal():
        return str(int(letter))
    if kind == "Pd" or letter == "−":
        return "-"
    if letter in "’ʼ‘`´":
        return "'"
    if kind[0] == "N" or decomposition(letter).startswith(("<super>", "<sub>")):
        return "^"  # the mark of a footnote is no part of what it stands at
    if kind[0] not in "LM" and kind != "Cf":
        return letter
    spread = normalize("NFKD", normalize("NFKD", letter).casefold())
    return "".join(c for c in spread if category(c) not in ("Mn", "Me", "Cf"))


# ---------------------------------------------------------------------------------- names


def name_pattern(name: str) -> str:
    """Return what finds a name in folded text, as a word or words of its own; "" if it has none.

    Its words may be joined in other ways, and it may take an ending, which is not matched.
    """
    words = [w for w in re.split(rf"{_BETWEEN}+", folded(name).text.strip()) if w]
    if not any(letter.isalnum() for word in words for letter in word):
        return ""
    pattern = _begun(words[0])
    for before, word in pairwise(words):
        joined = min(len(before), len(word)) >= _JOINABLE
        pattern += f"{_BETWEEN}{'*' if joined else '+'}{re.escape(word)}"
    return f"{pattern}{_end(words[-1])}"


def _begun(word: str) -> str:
    """Look back from behind the first letter: a search for a letter is fast."""
    first, rest = re.escape(word[0]), re.escape(word[1:])
    if word[0].isdecimal():
        return rf"{first}(?<!\d{first}){rest}"
    if not re.match(_LETTER, word[0]):
        return first + rest
    # the n of a line's end that is written as in JSON is no letter of the word before
    return rf"{first}(?:(?<!{_LETTER}{first})|(?<=\\[nrt]{first})){rest}"


def _end(word: str) -> str:
    if word[-1].isdecimal():
        return r"(?!\d)"
    if not re.match(_LETTER, word[-1]):
        return ""
    endings = "|".join(_forms().endings if len(word) >= _LONG else ("s",))
    return rf"(?=(?:{endings})?(?!{_LETTER}))"


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


def _figure(value: Decimal) -> Iterator[str]:
    for factor, words in _forms().words.items():
        whole, part = _digits(value / factor)
        if len(part) <= _FINE:
            spelled = "|".join(re.escape(word) for word in words)
            number = _number(_groupings(whole), part, r"(?<!\d{first})")
            yield rf"{number}[\s\-]?(?:{spelled})(?!{_LETTER})"
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
    """Yield the digits as they are, in threes, and in threes and twos as in India."""
    yield digits
    if len(digits) > 3:
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
