"""What is studied and with what: the brief's own words, by what they speak of, and what they leave open."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from pydantic import Field

from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.files import read_yaml
from dr_rd.planning.design import Design
from dr_rd.planning.methods import Method
from dr_rd.quantity import is_money, quantities
from dr_rd.report.endpoints import comparison
from dr_rd.report.unnamed import Line, unnamed
from dr_rd.text import sentences, stem

_TITLES = {
    "studied": "Studied, and how many",
    "varied": "Varied or observed",
    "compared": "Compared with",
    "measured": "Measured",
    "data": "Data",
    "where": "Where",
    "who": "By whom",
    "when": "When, and how long",
    "fixed": "Fixed besides",
}
"""The rows in the order in which they are read."""


class Row(Frozen):
    """Which lines of a brief speak of one row."""

    id: str
    patterns: tuple[str, ...] = Field(min_length=1)


class Vocabulary(Frozen):
    """`data/report/studied.yaml`."""

    rows: tuple[Row, ...]
    at_a_desk: frozenset[str]
    on_data: frozenset[str]
    roles: tuple[str, ...]

    @cached_property
    def patterns(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """Each row with what finds a line of it."""
        words = {"{roles}": "|".join(self.roles), "{numbers}": "|".join(_NUMBERS)}
        return tuple((r.id, _pattern("|".join(r.patterns), words)) for r in self.rows)

    @cached_property
    def doer(self) -> re.Pattern[str]:
        """Finds somebody who does a part of the work."""
        return _pattern(
            r"\b(?:by|from) (?:[\w-]+ ){0,4}?(?:{roles})s?\b", {"{roles}": "|".join(self.roles)}
        )


_NUMBERS = "one two three four five six seven eight nine ten twelve".split()


def _pattern(text: str, words: Mapping[str, str]) -> re.Pattern[str]:
    for name, choices in words.items():
        text = text.replace(name, choices)
    return re.compile(text, re.IGNORECASE)


@cache
def load_vocabulary() -> Vocabulary:
    """Read the table of what lines speak of."""
    return Vocabulary.model_validate(read_yaml("report", "studied.yaml"))


@dataclass(frozen=True, slots=True)
class Studied:
    """What a brief names of its study, and what it leaves open."""

    brief: Brief
    ledger: Ledger
    design: Design
    method: Method

    def rows(self) -> list[tuple[str, str]]:
        """Return label and text of each row: the brief's words with their marks, then what is open."""
        found = self._said()
        open_ = self._open(found)
        rows = []
        for key, title in _TITLES.items():
            said = [f"{line.text} [{line.mark}]" for line in found.get(key, ())]
            said += [f"**open:** {question}" for question in open_.get(key, ())]
            if said:
                rows.append((title, "; ".join(said)))
        return rows

    @property
    def compared(self) -> bool:
        """Whether the brief names something to compare with."""
        return bool(self._said()["compared"])

    @property
    def data(self) -> str:
        """The mark of the line that names the data which the work rests on; "" where none does."""
        if self.method.id not in load_vocabulary().on_data:
            return ""
        return next((line.mark for line in self._said()["data"]), "")

    @property
    def _constraints(self) -> Iterator[Line]:
        """The limits that are no sums of money, which the first page and the budget answer."""
        for item in self.ledger.items:
            if item.kind == "constraint" and not any(
                is_money(q.unit) for q in quantities(item.text)
            ):
                yield Line(item.text, item.id)

    @property
    def _lines(self) -> tuple[Line, ...]:
        """Everything that is asked for, the objective first, then what is said besides."""
        criteria = (Line(i.text, i.id) for i in self.ledger.items if i.kind == "criterion")
        asked = (Line(self.brief.objective, "objective"), *self._constraints, *criteria)
        return (*asked, *self._context)

    @property
    def _context(self) -> Iterator[Line]:
        """What the brief says of how things are, a sentence each."""
        for sentence in sentences(self.brief.context):
            yield Line(sentence.text.strip().rstrip("."), "brief")

    @property
    def _directions(self) -> tuple[Line, ...]:
        """What the brief would do, the chosen direction first."""
        given = sorted(
            (d for d in self.design.directions if d.given),
            key=lambda d: d.id != self.design.chosen,
        )
        return tuple(Line(d.text, d.id) for d in given)

    def _said(self) -> Mapping[str, Sequence[Line]]:
        found: dict[str, list[Line]] = {key: [] for key in _TITLES}
        for line in self._constraints:
            found[_row_of(line.text)].append(line)
        self._add_told(found)
        for key, names in _SLOTS.items():
            for slot in names:
                held = " ".join(line.text.lower() for lines in found.values() for line in lines)
                text = self.design.slots.get(slot, "")
                if text and text.lower() not in held:
                    whole = self._whole(text) if key == "varied" else text
                    found[key].insert(0, Line(whole, self._mark(text)))
        if not found["varied"]:
            for key, line in self._set_apart():
                found[key].append(line)
        said = _ASKED.search(self.brief.objective)
        if said and not found["varied"] and len(said[1].split()) <= _LONGEST:
            found["varied"].append(Line(said[1], "objective"))
        if not found["compared"]:
            found["compared"] += self._compared()
        held = " ".join(line.text for lines in found.values() for line in lines)
        found["where"] += [line for line in self._places() if line.text not in held]
        if not found["who"]:
            found["who"] += self._doers()
        found["when"] += self._dates(found["when"])
        return found

    def _add_told(self, found: Mapping[str, list[Line]]) -> None:
        """Add to rows with few lines what the brief says of how things are."""
        for line in self._context:
            key = _row_of(line.text)
            short = len(line.text.split()) <= _LONGEST
            if key in _TOLD and short and len(found[key]) < _MOST_TOLD:
                found[key].append(line)

    def _whole(self, text: str) -> str:
        """A part of the question that was cut short for its headings, as the objective goes on."""
        start = self.brief.objective.lower().find(text.lower())
        rest = self.brief.objective[start:].rstrip(".? ")
        cut = start >= 0 and _GOES_ON.match(rest[len(text) :]) and text[-1:] != ")"
        return rest if cut and len(rest.split()) <= _LONGEST else text

    def _mark(self, text: str) -> str:
        """Where the brief says *text*: the item, else the objective."""
        wanted = text.lower()
        typed = self.brief.question
        if typed and wanted in {part.lower() for part in typed.model_dump().values()}:
            return "question"
        named = (
            line.mark for line in (*self._lines, *self._directions) if wanted in line.text.lower()
        )
        return next(named, "objective")

    def _set_apart(self) -> Iterator[tuple[str, Line]]:
        """What an objective that only says "compare" sets beside each other, and in what."""
        if found := _COMPARE.search(self.brief.objective):
            yield "varied", Line(found[1], "objective")
            yield "compared", Line(found[2], "objective")
            if tail := self.brief.objective[found.end() :].strip(" ."):
                yield "studied", Line(_JOINT.sub("", tail), "objective")

    def _compared(self) -> Iterator[Line]:
        """What stands behind a word of comparison, in the objective or a direction; else a control."""
        if found := _DIFFERS.search(self.brief.objective):
            yield Line(found[1], "objective")
            return
        treatment = self.design.slots.get("treatment", "").lower()
        for line in (self._lines[0], *self._directions[:1]):
            if found := _AGAINST.search(line.text):
                named = found[1] or found[2]
                if treatment and treatment in named.lower():  # "immediate versus delayed replies"
                    named = _FIRST_NAMED.split(line.text[: found.start()])[-1].strip()
                yield Line(named, line.mark)
                return
        for line in self._lines[1:]:
            if found := _CONTROL.search(line.text):
                yield Line(found[1], line.mark)
                return

    def _places(self) -> Iterator[Line]:
        """Names of places, each once."""
        if self.brief.question and self.brief.question.place:
            yield Line(self.brief.question.place, "question")
            return
        known: set[str] = set()
        if self._at_a_desk:
            return
        for line in (*self._lines, *self._directions[:1]):
            for found in _PLACE.finditer(line.text):
                name = found[1]
                if name.split()[0] not in _MONTHS and name not in known and not name.isupper():
                    known.add(name)
                    yield Line(name, line.mark)

    def _doers(self) -> Iterator[Line]:
        people = self.brief.resources.people if self.brief.resources else ()
        yield from (Line(p.role, "resources") for p in people)
        for line in self._lines:
            if found := load_vocabulary().doer.search(line.text):
                yield Line(found[0].split(" ", 1)[1], line.mark)

    def _dates(self, said: Iterable[Line]) -> Iterator[Line]:
        held = " ".join(line.text for line in said)
        for what, value in (("begins", self.brief.start), ("by", self.brief.deadline)):
            if value and value not in held:
                yield Line(f"{what} {value}", "brief")

    # --- what is left open

    def _open(self, found: Mapping[str, Sequence[Line]]) -> Mapping[str, Sequence[str]]:
        slots = self.design.slots
        subject = (
            slots.get("treatment")
            or slots.get("artefact")
            or slots.get("topic")
            or "what is studied"
        )
        outcome = slots.get("outcome") or slots.get("measure") or "what the criteria ask for"
        units = (
            slots.get("units")
            or slots.get("population")
            or self.method.fallbacks.get("units", "units")
        )
        named = slots.get("units") or slots.get("population")
        asked: dict[str, list[str]] = {key: [] for key in _TITLES}
        if not found["studied"]:
            counted = self._counting(units)
            asked["studied"].append(
                f"which {units}? their number stands in {counted}"
                if counted
                else f"how many {units}, and which? this reading found neither"
            )
        lines = (*self._lines, *self._directions)
        for row, question in unnamed(lines, slots.get("units", "")):
            asked[row].append(question)
        apart = comparison(self.brief, self.design) not in ("levels", "gradient")
        if not found["compared"] and "treatment" in slots and apart:
            asked["compared"].append(
                f"what is {subject} compared with? this reading found nothing"
            )
        desk = bool(found["data"]) or self._at_a_desk
        named_data = any(_DATA.search(line.text) for line in lines)
        if not named_data and self.method.id in load_vocabulary().on_data:
            asked["data"].append(
                f"which data hold {outcome}, and who gives access? this reading found none"
            )
        if not (desk or found["where"] or asked["where"] or any(self._places())):
            asked["where"].append(
                f"at which place {f'are the {named} studied' if named else 'is it done'}? this reading found none"
            )
        if not (desk or found["who"]):
            asked["who"].append(
                f"who measures {outcome}? this reading found nobody; planned is {self._planned()}"
            )
        if not found["when"]:
            lasts = self._lasting
            named_length = f"{lasts} names a length, and no line a date of the work"
            asked["when"].append(
                f"{named_length if lasts else 'this reading found no last day and no length of the work'}: "
                "when may it begin, and when must it end?"
            )
        return asked

    def _counting(self, units: str) -> str:
        """The mark of the first line that counts the *units*; "" where none does."""
        last = [stem(w) for w in units.lower().split()[-1:]]
        for line in self._lines:
            nouns = (q.noun.lower().split()[-1:] for q in quantities(line.text) if not q.unit)
            if any([stem(w) for w in noun] == last for noun in nouns if noun):
                return line.mark
        return ""

    @property
    def _lasting(self) -> str:
        """The mark of the first line that names a length of time, as of an exposure; "" without one."""
        for line in self._lines:
            if any(q.unit in _LENGTHS and q.noun != "age" for q in quantities(line.text)):
                return line.mark
        return ""

    @property
    def _at_a_desk(self) -> bool:
        return self.method.id in load_vocabulary().at_a_desk

    def _planned(self) -> str:
        """Who the plan has gather the data, as long as nobody is named."""
        roles = {a.task_id: a.role for a in self.design.staffing}
        doing = next(
            (t for t in self.design.tasks if t.phase == "execution"), self.design.tasks[-1]
        )
        return f"a {roles.get(doing.id, doing.role).lower()} ({doing.id})"


_SLOTS: Mapping[str, tuple[str, ...]] = {
    "studied": ("sample", "population"),
    "varied": ("artefact", "treatment"),
    "compared": ("comparator",),
    "measured": ("measure", "outcome"),
    "data": ("source",),
    "when": ("horizon",),
}
"""Slots of the question that a row shows, the last one first."""

_TOLD = ("studied", "compared", "measured", "data", "where", "who")
"""Rows that also show what the brief says of how things are."""
_MOST_TOLD = 2
"""Lines that a row has, for another sentence of that kind to be shown."""

_LENGTHS = ("day", "week", "month", "year")

_AGAINST = re.compile(
    r"\b(?:than|versus|vs\.?|against|compared (?:to|with)|relative to|instead of|rather than|as well as"
    r"|in place of)\s+([^,;.()]+)|\bwith ([^,;.]+?) as (?:the )?(?:controls?|comparators?|references?)\b",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"\b(?:data(?:set|base)?s?|records?|registr|archiv|census|survey|filings)", re.IGNORECASE
)
_GOES_ON = re.compile(r"^, \d|^ (?:by|with|from|of|to|in) (?!the (?:same|brief))", re.IGNORECASE)
_ASKED = re.compile(r"\b(?:whether|if|how|what|why) (.+?)[.?]?\s*$", re.IGNORECASE)
"""What is asked of, where the objective could not be taken apart."""
_LONGEST = 24
"""Words of the objective that a row may hold."""

_COMPARE = re.compile(
    r"^\W*compare\b.*?\b(?:of|by|between|under|with|from|for)\s+(.+?)\s+(?:and|with|against|to|versus)\s+"
    r"(?:(?:of|by|under|with|from|for)\s+)?(.+?)(?=\s(?:on|in|for|at|among|over)\b|[,.;]|$)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"^(?:on|in|for|at|among|over)\s+", re.IGNORECASE)
_DIFFERS = re.compile(
    r"\b(?:differ\w*|var(?:y|ies)|gap|contrast)\b.*?\bbetween (.+? and .+?)[.?]?\s*$",
    re.IGNORECASE,
)
_FIRST_NAMED = re.compile(r"\b(?:compar\w+|between|of|under|with)\s", re.IGNORECASE)
_CONTROL = re.compile(
    r"\b((?:the )?(?:(?:untreated|unexposed|placebo|sham|negative|positive|standard|usual|concurrent|historical)\s)?"
    r"(?:[\w-]+\s)?controls?(?:\s(?:group|plots?|arm|condition|formulation))?|(?:usual|standard|current) (?:care|practice)"
    r"|(?:[\w-]+ )?with (?:and|or) without [\w-]+|[\w-]+ (?:is |has )?on (?:for [\w ]{1,20}? )?and off)\b",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w'’.-]*[a-z][\w'’-]*"
_PLACE = re.compile(
    rf"(?<=\w )(?:in|at|from|near|across|of) (?:the )?({_NAME}(?: (?:(?:of|and|the|de|la|upon) )?{_NAME})*)"
    r"(?=$|[.,;:)]| (?:and|or|in|on|at|for|with|between|from|by|to|during|over|is|are|who|that|which|as|linked)\b)"
)
_MONTHS = frozenset(
    "January February March April May June July August September October November December".split()
)


def _row_of(text: str) -> str:
    found = (key for key, pattern in load_vocabulary().patterns if pattern.search(text))
    return next(found, "fixed")
