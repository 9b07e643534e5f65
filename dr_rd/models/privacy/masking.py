"""Names and figures that no model may see: hidden in what is sent, put back in what comes.

The mask lies beneath the recorder: on record are the request as it was meant and the reply as it
is understood; the stand-ins, and what they stand for, are written nowhere.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import pbkdf2_hmac
from pathlib import Path
from random import Random
from typing import cast

import yaml
from pydantic import JsonValue

from core.errors import CallerError
from core.requests import Fault, Reply, Request, Send
from dr_rd.files import parse_yaml
from dr_rd.models.privacy.finder import Finder, SearchPattern
from dr_rd.models.privacy.spelling import (
    Folded,
    as_listed,
    figure_openings,
    figure_pattern,
    figures,
    folded,
    name_openings,
    name_pattern,
)

_LETTERS = "bcdfghjklmpqrstvwxz"
"""What codes are made of: without vowels they are no words."""

_SHARED, _OWN = 4, 3
"""Letters of a code that all forms of a term share, and those that are the form's own."""

_CODE = rf"(?:name|figure)[{_LETTERS}]{{{_SHARED + _OWN}}}"
_AHEAD = rf"(?:name|figure)(?=([{_LETTERS}]{{{_SHARED + _OWN}}}))"
"""A code whose letters are looked at and left: if it is none, another may begin among them."""

_KINDS = ("name", "figure")
"""What a code begins with."""

_LEAST = 3
"""Digits below which a figure would be found everywhere."""

_SHORTEST = 2
"""Letters of the shortest name."""

_MOST = 1000
"""The most terms that a list may have."""

_ROUNDS = 1_000
"""Of the hash that makes a mark. The folder of a run has the names wherever its brief has them; the
marks only must not tell at a glance which of them are listed, and a thousand take a second.
"""

_FIXED = ("role", "type", "format")
"""Fields that hold words of the protocol."""

_DIGITS = re.compile(r"\d")
_STAND_IN = re.compile(r"[^\W\d_]{2,}(?: [^\W\d_]+)*")


@dataclass(frozen=True, slots=True, repr=False)
class Term:
    """What is hidden; *stand_in* is shown in its place, "" leaves that to the mask."""

    text: str
    stand_in: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class _Listed:
    pattern: SearchPattern
    """What finds it in folded text."""
    kind: str
    """Name or Figure, which its codes begin with."""
    shared: str
    """The letters that its codes share."""
    term: Term
    plain: str = ""
    """A figure in digits alone; "" for a name."""

    def spelling(self, text: str) -> "_Spelling":
        """Return what stands behind a code: the term as *text* has it."""
        listed = self.term.text
        kept = not listed or (text.isprintable() if self.plain else as_listed(text, listed))
        return _Spelling(text, _LINES.sub(" ", text) if kept else listed, self.plain)


@dataclass(frozen=True, slots=True, repr=False)
class _Spelling:
    """One of the ways in which a term is written."""

    text: str
    in_reply: str
    """How it comes back in a reply: in one line, and as it is listed if it was disguised."""
    plain: str = ""
    """A figure in digits alone; "" for a name."""


class Mask:
    """Hides terms and restores them; what it hid, nobody else knows.

    Every form in which a term is written has a code of its own, so that what is restored is the
    text as it was, letter by letter; only in a reply does a disguised name come back as it is
    listed. What looks like a stand-in in a text already is hidden too: nothing is restored that
    was not hidden.

    Args:
        terms: What is hidden.
        random: Draws the codes, which tell nothing of what they stand for.
        place: The file that they were read from, if there is one.

    """

    def __init__(self, terms: Iterable[Term], random: Random, place: Path | None = None) -> None:
        self._random, self.place = random, place
        self._codes: dict[str, str] = {}
        self._spellings: dict[str, _Spelling] = {}
        listed = sorted(terms, key=lambda term: len(term.text), reverse=True)
        self.count = len(listed)
        self._terms = [term.text for term in listed]
        self._friendly = [term for term in listed if term.stand_in]
        sought = [self._listed_term(term) for term in listed]
        sought += [self._listed_term(Term(term.stand_in)) for term in self._friendly]
        code = SearchPattern(_CODE, _KINDS, within=True)
        self._unlisted = _Listed(code, "Name", self._drawn(_SHARED), Term(""))
        self._known = [self._unlisted, *sought]
        self._finder = Finder([hidden.pattern for hidden in self._known])
        names = [_name_pattern(term.stand_in) for term in self._friendly]
        self._shown = Finder([SearchPattern(_AHEAD, _KINDS, within=True), *names])

    def __repr__(self) -> str:
        return "Mask()"

    def sealed(self) -> tuple[str, tuple[str, ...]]:
        """Return a new salt and the `marks` that it makes, which are kept with a run."""
        salt = f"{self._random.getrandbits(64):016x}"
        return salt, self.marks(salt)

    def marks(self, salt: str) -> tuple[str, ...]:
        """Return a digest of each term, in no order of theirs: who has the salt can compare lists."""
        return tuple(sorted({_mark(text, salt) for text in self._terms}))

    def hide(self, text: str) -> str:
        """Return *text* with stand-ins for what is listed."""
        found = self._occurrences(text)
        if not found:
            return text
        for friendly in (True, False):
            hidden = _spliced(
                text,
                [(a, b, self._stand_in(s, text[a:b], friendly=friendly)) for a, b, s in found],
            )
            if self.restore(hidden) == text:
                return hidden
        raise AssertionError("what was hidden in a text cannot be restored")

    def restore(self, text: str) -> str:
        """Return *text* with what its stand-ins stand for; what `hide` did is undone."""
        return _spliced(text, [(a, b, form.text) for a, b, form in self._hidden(text)])

    def hide_json(self, value: JsonValue, field: str = "") -> JsonValue:
        """Return a JSON value with stand-ins in all its texts; *field* is where it stands."""
        if isinstance(value, str):
            return self._hidden_text(value, field)
        if isinstance(value, Mapping):
            named = field in ("properties", "$defs")
            return {
                self.hide(name) if named else name: self.hide_json(item, "" if named else name)
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return cast(JsonValue, [self.hide_json(item, field) for item in value])
        return value

    def restore_reply(self, text: str) -> str:
        """Restore a reply: JSON stays JSON, and a figure alone in quotes is one that can be read.

        Lines are not broken where they were in the text that was hidden, and what was disguised
        there is no more.
        """
        back = []
        for start, end, form in self._hidden(text):
            alone = form.plain and text[start - 1 : start] == '"' and _ENDS.match(text, end)
            back.append((start, end, form.plain if alone else form.in_reply))
        return _spliced(text, back)

    def restore_reply_json(self, value: JsonValue) -> JsonValue:
        """Restore all texts and names of a JSON value."""
        if isinstance(value, str):
            found = self._hidden(value)
            alone = len(found) == 1 and found[0][:2] == (0, len(value)) and found[0][2].plain
            return alone or self.restore_reply(value)
        if isinstance(value, Mapping):
            return {
                self.restore_reply(name): self.restore_reply_json(item)
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return cast(JsonValue, [self.restore_reply_json(item) for item in value])
        return value

    # -- what there is to hide

    def _listed_term(self, term: Term) -> _Listed:
        values = figures(term.text)
        if not values:
            return _Listed(_name_pattern(term.text), "Name", self._drawn(_SHARED), term)
        plain = format(values[0].normalize(), "f") if len(values) == 1 else ""
        sought = SearchPattern(figure_pattern(values), figure_openings(values))
        return _Listed(sought, "Figure", self._drawn(_SHARED), term, plain)

    def _occurrences(self, text: str) -> list[tuple[int, int, _Listed]]:
        """Return what is to be hidden and where; what is invisible may join words or part them."""
        joined, parted = folded(text), folded(text, parting=True)
        places = self._places(joined)
        if parted.text != joined.text:
            places += self._places(parted)
        found: list[tuple[int, int, _Listed]] = []
        for start, end, sought in sorted(places, key=lambda at: (at[0], -at[1])):
            if not found or start >= found[-1][1]:
                found.append((start, end, sought))
            elif end > found[-1][1]:  # of names that overlap nothing is shown
                found[-1] = (found[-1][0], end, self._unlisted)
        return found

    def _places(self, plain: Folded) -> list[tuple[int, int, _Listed]]:
        """Return every place where a term begins, also within another."""
        return [
            (*plain.whole(*match.span()), self._known[number])
            for number, match in self._finder.places(plain.text)
        ]

    def _hidden_text(self, text: str, field: str) -> str:
        if field in _FIXED or (text.startswith("data:") and ";base64," in text[:99]):
            return text
        if field != "arguments":
            return self.hide(text)
        try:
            args = json.loads(text)
        except (ValueError, RecursionError):
            return self.hide(text)
        return json.dumps(self._hidden_args(args), ensure_ascii=False)

    def _hidden_args(self, value: JsonValue) -> JsonValue:
        """Hide in a tool's arguments; a number that is listed becomes a text."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            hidden = self.hide(str(value))
            return value if hidden == str(value) else hidden
        if isinstance(value, Mapping):
            return {self.hide(name): self._hidden_args(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._hidden_args(item) for item in value]
        return self.hide(value) if isinstance(value, str) else value

    # -- what stands for it

    def _stand_in(self, sought: _Listed, form: str, *, friendly: bool) -> str:
        if friendly and sought.term.stand_in and form == sought.term.text:
            return sought.term.stand_in
        if form not in self._codes:
            self._codes[form] = self._new_code(sought)
            self._spellings[self._codes[form].lower()] = sought.spelling(form)
        return self._codes[form]

    def _new_code(self, sought: _Listed) -> str:
        shared = sought.shared
        while (code := f"{sought.kind}{shared}{self._drawn(_OWN)}").lower() in self._spellings:
            shared = self._drawn(_SHARED)
        return code

    def _drawn(self, count: int) -> str:
        return "".join(self._random.choice(_LETTERS) for _ in range(count)).upper()

    def _hidden(self, text: str) -> list[tuple[int, int, _Spelling]]:
        """Return where stand-ins are and what each stands for."""
        plain, found, done = folded(text), list[tuple[int, int, _Spelling]](), 0
        for number, match in self._shown.places(plain.text):
            if match.start() < done:
                continue
            done = match.end()
            code = match[0] + match[1] if number == 0 else ""
            if code in self._spellings:
                span = plain.span(match.start(), match.end() + len(match[1]))
                found.append((*span, self._spellings[code]))
            elif number > 0:
                span = plain.span(*match.span())
                name = self._friendly[number - 1].text
                found.append((*span, _Spelling(name, name)))
        return found


def _name_pattern(name: str) -> SearchPattern:
    return SearchPattern(name_pattern(name), name_openings(name))


_LINES = re.compile(r"\s+")
_ENDS = re.compile(r'"\s*[,}\]]')


def _spliced(text: str, parts: Sequence[tuple[int, int, str]]) -> str:
    pieces, done = [], 0
    for start, end, new in parts:
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])


def _mark(text: str, salt: str) -> str:
    """Return what a term is known by; it is the same however its name or its figure is written."""
    values = figures(text)
    plain = " ".join(str(value.normalize()) for value in values) or folded(text).text
    return pbkdf2_hmac("sha256", plain.encode(), salt.encode(), _ROUNDS, 16).hex()


def masked(send: Send, mask: Mask) -> Send:
    """Return a *send* from whose server all is hidden that the mask hides."""

    async def sent(request: Request) -> Reply:
        body = cast(Mapping[str, JsonValue], mask.hide_json(dict(request.body)))
        fault: Fault | None = None
        if request.partial:
            request.partial.restored_by(mask.restore_reply)
        try:
            return _restored_reply(await send(replace(request, body=body)), mask)
        except Fault as met:
            fault = met
        raise fault.told(mask.restore_reply)

    return sent


def _restored_reply(reply: Reply, mask: Mask) -> Reply:
    calls = [
        call.model_copy(
            update={
                "name": mask.restore_reply(call.name),
                "args": None if call.args is None else mask.restore_reply_json(dict(call.args)),
                "problem": mask.restore_reply(call.problem),
            }
        )
        for call in reply.tool_calls
    ]
    return reply.model_copy(
        update={"text": mask.restore_reply(reply.text), "tool_calls": tuple(calls)}
    )


# ------------------------------------------------------------------------------- the list


def read_mask(path: Path, random: Random) -> Mask:
    """Read a list of what is to be hidden.

    A text file has a term a line, such as ``Acme`` or ``Acme => Company One``; "#" begins a
    remark. A YAML file is a list of such texts, or of {hide: Acme, as: Company One}.

    Args:
        path: The file.
        random: Draws what stands for them; of a kind that nobody can foresee.

    Raises:
        CallerError: A line cannot be used; it is named by its number and never quoted.

    """
    try:
        text = path.read_text(encoding="utf-8")
        listed = _from_yaml(text) if path.suffix in (".yaml", ".yml", ".json") else _lines(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        raise CallerError(
            f"the list of what to mask in {str(path)!r} cannot be read; write a text file with "
            "one name or figure a line"
        ) from None
    return Mask(_checked(listed, repr(str(path)), random), random, path.resolve())


def typed_mask(text: str, random: Random) -> Mask:
    """Read what is to be hidden from lines that a person typed, as from those of a text file.

    Raises CallerError as `read_mask` does.
    """
    return Mask(_checked(_lines(text), "the words to mask", random), random)


def _checked(listed: Iterable[tuple[str, Term]], source: str, random: Random) -> list[Term]:
    entries = list(listed)
    if not 0 < len(entries) <= _MOST:
        raise CallerError(f"{source}: it lists {len(entries)} terms; give 1 to {_MOST}")
    names, stand_ins = set[str](), set[str]()
    for place, term in entries:
        if wrong := _wrong(term, names, stand_ins):
            raise CallerError(f"{source}, {place}: {wrong}")
        names.add(folded(term.text).text)
        stand_ins.add(term.stand_in)
    terms = [term for _, term in entries]
    shown = [term.stand_in for term in terms if term.stand_in]
    unnamed = Mask([Term(term.text) for term in terms if shown], random)
    if any(unnamed.hide(stand_in) != stand_in for stand_in in shown):
        raise CallerError(f"{source}: a stand-in holds what is to be hidden; choose another")
    return terms


def _lines(text: str) -> list[tuple[str, Term]]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        hide, _, shown = (part.strip() for part in line.partition("#")[0].partition("=>"))
        if hide or shown:
            found.append((f"line {number}", Term(hide, shown)))
    return found


def _from_yaml(text: str) -> list[tuple[str, Term]]:
    held = parse_yaml(text)
    items = held if isinstance(held, list) else []
    return [(f"entry {number}", _entry(item)) for number, item in enumerate(items, 1)]


def _entry(item: object) -> Term:
    if isinstance(item, dict) and set(item) <= {"hide", "as"}:
        return Term(_text(item.get("hide")), _text(item.get("as", "")))
    return Term(_text(item))


def _text(item: object) -> str:
    written = isinstance(item, str | int | float) and not isinstance(item, bool)
    return str(item).strip() if written else ""


def _wrong(term: Term, names: Collection[str], stand_ins: Collection[str]) -> str:
    """Say what is wrong with a term without repeating it; "" if nothing.

    *names*, as they are folded, and *stand_ins* are those of the terms before it.
    """
    text, values = term.text, figures(term.text)
    if not name_pattern(text) or set(text) & set('"\\\n'):
        return "write a name or a figure, in quotes if YAML needs them, without quotes in it"
    if values and min(len(_DIGITS.findall(str(value))) for value in values) < _LEAST:
        return (
            f"a figure of fewer than {_LEAST} digits stands everywhere; add a word, as in 12 mice"
        )
    if len(text) < _SHORTEST:
        return f"a name needs {_SHORTEST} letters at least"
    if folded(text).text in names:
        return "it is listed twice"
    if term.stand_in and not _STAND_IN.fullmatch(term.stand_in):
        return "a stand-in is written with letters and single spaces only"
    if term.stand_in and term.stand_in in stand_ins:
        return "its stand-in stands for another term as well"
    return ""
