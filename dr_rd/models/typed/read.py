"""JSON as models write it: read where the meaning is certain, refused where it is not.

Beyond RFC 8259 it understands what cannot mean anything else: a byte-order mark, text before and
after, a code fence, a thinking part, comments, trailing commas, names without quotes, single and
typographic quotes, line breaks within strings, and Python's True, False and None. It never guesses
at what is missing: a reply that ends too early, a name given twice, two values, a number that
JSON does not have.
"""

import re
from collections.abc import Iterator
from typing import NoReturn

from pydantic import JsonValue

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*\r?\n?")
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/|#[^\n]*)+", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d][\w$-]*")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_HEX_CUT = re.compile(r"[0-9a-fA-F]{0,3}\Z")
_PLAIN_CUT = re.compile(r"[-+.\w]+\Z")
_OPENING = re.compile(r"[{\[]")
_CLOSED_BY = {'"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’"}
_ESCAPED = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r"}
_ESCAPED |= {"t": "\t", "\n": ""}
_LITERALS: dict[str, JsonValue] = {
    **{"true": True, "false": False, "null": None},
    **{"True": True, "False": False, "None": None},
}
_LANGUAGES = ("", "json", "json5", "jsonc")
_DEEPEST = 100
_LONGEST = 500_000
"""Characters of the longest reply that is read, without its thinking part."""

_MOST, _MOST_IN_ALL = 200, 10_000
"""Elements of the longest list or object, and values in all: more than anybody asks for."""

_PATIENCE = 50
"""How many openings that lead nowhere are looked at: each may be read for long."""


class Unreadable(ValueError):
    """A reply holds no value that can be read for certain; the message says why, for its author."""

    def __init__(self, message: str, *, cut: bool = False) -> None:
        super().__init__(message)
        self.cut = cut
        """Whether it ends before its value does."""


def read_value(text: str, wanted: type, *, partial: bool = False) -> JsonValue:
    """Read the one JSON value in *text*; raises Unreadable.

    Values of the *wanted* kind go before others: "[1]" in the prose about an object is a mark of
    a source and no answer. Of a value that is cut, *partial* reads what is whole: the elements of
    a list and the fields of an object that were closed. It does not tell a part from a whole, so
    it is for texts that are known to be cut.
    """
    said = _THINKING.sub("", text.removeprefix("\ufeff"))
    if len(said) > _LONGEST:
        raise Unreadable(f"the reply has {len(said):,} characters; {_LONGEST:,} at most are read")
    found = list(_values(said, partial=partial))
    found = [value for value in found if isinstance(value, wanted)] or found
    if not found:
        raise Unreadable("the reply holds no JSON object or array")
    if any(value != found[0] for value in found[1:]):
        raise Unreadable(f"the reply holds {len(found)} different JSON values; give one")
    return bounded(found[0])


def bounded(value: JsonValue) -> JsonValue:
    """Return *value*; raises Unreadable if it has more elements than are read."""
    waiting, count = [("the reply", value)], 0
    while waiting:
        where, held = waiting.pop()
        count += 1
        if not isinstance(held, list | dict):
            continue
        if len(held) > _MOST:
            raise Unreadable(f"{where} has {len(held):,} elements; {_MOST} at most are read")
        if isinstance(held, dict):
            waiting += [(repr(name[:40]), item) for name, item in held.items()]
        else:
            waiting += [(where, item) for item in held]
    if count > _MOST_IN_ALL:
        raise Unreadable(f"the reply holds {count:,} values; {_MOST_IN_ALL:,} at most are read")
    return value


def _values(text: str, *, partial: bool) -> Iterator[JsonValue]:
    """Read what is fenced as JSON; without such a fence, what stands in the text."""
    for part in list(_fenced(text)) or [text]:
        yield from _within(part, partial=partial)


def _fenced(text: str) -> Iterator[str]:
    """Return what stands between the fences of JSON; one that is not closed fences nothing."""
    fence, language, held = "", "", list[str]()
    for line in text.splitlines(keepends=True):
        mark = _FENCE.fullmatch(line)
        if not fence and mark:
            fence, language, held = mark[1], mark[2].lower(), []
        elif mark and mark[1] == fence and not mark[2]:
            if language in _LANGUAGES:
                yield "".join(held)
            fence = ""
        else:
            held.append(line)


def _within(text: str, *, partial: bool) -> Iterator[JsonValue]:
    """Read each object and array of *text* from left to right, the prose between them aside."""
    place, found = 0, False
    prose: list[Unreadable] = []
    while (opening := _OPENING.search(text, place)) and len(prose) < _PATIENCE:
        reader = _Reader(text, opening.start(), partial=partial)
        try:
            value = reader.value(0)
        except Unreadable as error:
            if reader.begun or error.cut:
                raise
            prose.append(error)
            place = opening.end()
        else:
            found, place = True, reader.place
            yield value
    if prose and not found:
        raise prose[0]


class _Reader:
    """Reads one value of *text* from *place* on."""

    def __init__(self, text: str, place: int, *, partial: bool = False) -> None:
        self._text, self.place, self._partial = text, place, partial
        self._ended = False
        """Whether the text ended within the value, and what is whole of it is read."""
        self.begun = False
        """Whether it has found more than prose has: "{see below}" and "[x]" are no broken JSON."""

    def value(self, depth: int) -> JsonValue:
        self._skip_blank()
        sign = self._text[self.place : self.place + 1]
        if not sign:
            self._fail("it ends where a value should stand; it was cut off")
        if depth > _DEEPEST:
            self._fail(f"it is nested more than {_DEEPEST} deep")
        self.begun |= depth > 0 and sign in "{["
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        return self._string() if sign in _CLOSED_BY else self._plain()

    def _object(self, depth: int) -> JsonValue:
        held: dict[str, JsonValue] = {}
        self.place += 1
        try:
            while not self._ended and not self._ends("}"):
                self._field(held, depth)
        except Unreadable as error:
            self._end_at(error)
        return held

    def _field(self, held: dict[str, JsonValue], depth: int) -> None:
        name = self._name()
        self._take(":", f"after the name {name!r}")
        self.begun = True
        value = self.value(depth + 1)
        if name in held and held[name] != value:
            self._fail(f"the name {name!r} stands twice in one object")
        if not self._open_ended():
            held[name] = value
        if not self._ended:
            self._between("}")

    def _array(self, depth: int) -> JsonValue:
        held: list[JsonValue] = []
        self.place += 1
        try:
            while not self._ended and not self._ends("]"):
                value = self.value(depth + 1)
                self._ended |= self._open_ended()
                if self._ended:
                    break  # an element that may go on is none
                held.append(value)
                self._between("]")
        except Unreadable as error:
            self._end_at(error)
        return held

    def _end_at(self, error: Unreadable) -> None:
        """Go on with what is whole, if that is asked and the text ended; else raise *error*."""
        if not (self._partial and error.cut):
            raise error
        self._ended = True

    def _open_ended(self) -> bool:
        """Whether the value just read may go on beyond the end of the text: a number, a word."""
        at_end = self._partial and self.place >= len(self._text)
        return at_end and not self._ended and self._text[-1].isalnum()

    def _ends(self, closing: str) -> bool:
        self._skip_blank()
        if self._text.startswith(closing, self.place):
            self.place += 1
            return True
        return False

    def _between(self, closing: str) -> None:
        """Pass a comma; at the end none is needed."""
        self._skip_blank()
        if not self._text.startswith(closing, self.place):
            self._take(",", "between two values")

    def _take(self, sign: str, where: str) -> None:
        self._skip_blank()
        if self.place >= len(self._text):
            self._fail("it ends before it is closed; it was cut off")
        if not self._text.startswith(sign, self.place):
            self._fail(f"{sign!r} is missing {where}")
        self.place += 1

    def _name(self) -> str:
        if self.place >= len(self._text):
            self._fail("it ends before it is closed; it was cut off")
        if self._text[self.place] in _CLOSED_BY:
            return self._string()
        if word := _WORD.match(self._text, self.place):
            self.place = word.end()
            return word[0]
        self._fail("a name is expected")

    def _string(self) -> str:
        closings, start = _CLOSED_BY[self._text[self.place]], self.place
        self.place += 1
        parts: list[str] = []
        while self.place < len(self._text):
            sign = self._text[self.place]
            self.place += 1
            if sign in closings:
                return "".join(parts)
            parts.append(self._escape() if sign == "\\" else sign)
        self._fail(f"the text that begins at {self._text[start : start + 20]!r} has no end")

    def _escape(self) -> str:
        sign = self._text[self.place : self.place + 1]
        self.place += 1
        if sign == "u":
            return self._code_point()
        if sign not in _ESCAPED:
            self._fail(f"\\{sign} is no escape of JSON")
        return _ESCAPED[sign]

    def _code_point(self) -> str:
        units = [self._unit()]
        if 0xD800 <= units[0] < 0xDC00 and self._text.startswith("\\u", self.place):
            self.place += 2
            units.append(self._unit())
        written = b"".join(unit.to_bytes(2, "big") for unit in units)
        try:
            return written.decode("utf-16-be")
        except UnicodeDecodeError:
            self._fail("half a surrogate pair stands alone")

    def _unit(self) -> int:
        digits = _HEX.match(self._text, self.place)
        if digits is None:
            self._to_the_end(_HEX_CUT)
            self._fail("\\u needs four hexadecimal digits")
        self.place = digits.end()
        return int(digits[0], 16)

    def _plain(self) -> JsonValue:
        if number := _NUMBER.match(self._text, self.place):
            self.place = number.end()
            return self._number(number[0])
        word = _WORD.match(self._text, self.place)
        if word and word[0] in _LITERALS:
            self.place = word.end()
            return _LITERALS[word[0]]
        shown = self._text[self.place : self.place + 20]
        self._to_the_end(_PLAIN_CUT)
        self._fail(f"{shown!r} is no JSON value; put texts in double quotes")

    def _number(self, digits: str) -> JsonValue:
        if len(digits) > 40:
            self._fail(f"the number {digits[:20]}... has {len(digits)} digits")
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            self._fail(f"the number {digits} is too large")
        return value if set(digits) & set(".eE") else int(digits)

    def _to_the_end(self, begun: re.Pattern[str]) -> None:
        """Pass over what is only *begun* where the text ends, of a text that is known to be cut."""
        if self._partial and (rest := begun.match(self._text, self.place)):
            self.place = rest.end()

    def _skip_blank(self) -> None:
        if blank := _BLANK.match(self._text, self.place):
            self.place = blank.end()

    def _fail(self, what: str) -> NoReturn:
        line = self._text.count("\n", 0, self.place) + 1
        cut = self.place >= len(self._text)
        raise Unreadable(f"the reply's JSON cannot be read in line {line}: {what}", cut=cut)
