"""The start page's form as plain values: what it holds, what is wrong with it, and its brief."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from typing import Any, Literal, TypeVar, get_args

from pydantic import JsonValue, TypeAdapter, ValidationError

from core.errors import CallerError
from core.settings import valid_id
from core.values import Frozen
from dr_rd.brief import (
    NAMELESS,
    Brief,
    ClosedPeriod,
    Person,
    Price,
    Question,
    Resources,
    Span,
    Throughput,
    project_id,
)
from dr_rd.brief.fields import items, value_of
from dr_rd.brief.resources import A_UNIT, Per
from dr_rd.quantity import quantities
from dr_rd.reading import parse_brief
from dr_rd.reading.spans import CALENDAR_DAYS, WORKING_DAYS
from dr_rd.study import Statistics

_Value = TypeVar("_Value", bound=Frozen)

LimitKind = Literal["constraint", "criterion", "ban"]
Covers = Literal["unsaid", "direct", "all"]

LISTS: Mapping[LimitKind, str] = {
    "constraint": "hard_constraints",
    "criterion": "success_criteria",
    "ban": "banned_moves",
}
"""Which list of a brief holds the limits of a kind."""

TERMS = ("budget", "start", "deadline")

NO_SIZE = "none"
"""The design of a study whose figures are not there to find a sample size."""

_KEPT = ("domain", "context", "tasks")
"""What the form does not show of the brief that it was filled from."""

_RATE = re.compile(r"([\d,. ]*\d)\s*([A-Za-z]{3})\s*(?:a|an|per|/)\s*(\w+)")


@dataclass(frozen=True, slots=True)
class LimitRow:
    """A limit in the brief's words."""

    text: str = ""
    kind: LimitKind = "constraint"


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody who works on the plan, as typed."""

    role: str = ""
    count: int = 1
    share: int = 100
    """Percent of a five-day week."""
    rate: str = ""
    """Such as "450 EUR a day"; "" if not said."""


@dataclass(frozen=True, slots=True)
class ClosedRow:
    """Days without work, as ISO dates."""

    first: str = ""
    last: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure for the sample size under its name in `Statistics`."""

    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """What the form holds; nothing in it need be right."""

    objective: str = ""
    budget: str = ""
    start: str = ""
    deadline: str = ""
    covers: Covers = "unsaid"
    risk: str = "medium"
    directions: str = ""
    """One a line."""
    family: str = ""
    unit: str = ""
    treatment: str = ""
    comparator: str = ""
    outcome: str = ""
    measure: str = ""
    place: str = ""
    data: str = ""
    pace: str = ""
    """How many units are done in a time: "24 a day"."""
    waits: str = ""
    """Times of the main work, apart by semicolons: "28 days exposure; 21 days clean-up"."""
    prices: str = ""
    """What one unit costs, apart by semicolons: "6.80 EUR strip; 7.50 EUR board"."""
    project: str = NAMELESS
    limits: Sequence[LimitRow] = ()
    people: Sequence[PersonRow] = ()
    closed: Sequence[ClosedRow] = ()
    figures: Sequence[FigureRow] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """Return it as a JSON object."""
        held: dict[str, JsonValue] = json.loads(json.dumps(asdict(self)))
        return held


_FORM = TypeAdapter(Form)


def from_json(held: Mapping[str, Any]) -> Form:
    """Return the form that `Form.to_json` gave; an empty one if it is none."""
    known = {f.name for f in fields(Form)}
    with suppress(ValidationError):
        return _FORM.validate_python({k: v for k, v in held.items() if k in known})
    return Form()


def form_of(brief: Brief, read: Statistics | None = None) -> Form:
    """Return the form that shows *brief*, with the figures that were *read* where it keeps none."""
    resources = brief.resources or Resources()
    stated = (brief.statistics or read or Statistics()).model_dump(exclude_none=True)
    return Form(
        objective=brief.objective.strip(),
        budget=brief.budget,
        start=brief.start,
        deadline=brief.deadline,
        covers=resources.covers,
        risk=brief.risk_posture,
        directions="\n".join(brief.plausible_directions),
        family=brief.family,
        **_parts_of(brief.question),
        pace=_pace_text(resources),
        waits=_waits_text(resources),
        prices=_prices_text(resources),
        project=project_id(brief),
        limits=[
            LimitRow(text, kind) for kind, name in LISTS.items() for text in getattr(brief, name)
        ],
        people=[_person_row(p) for p in resources.people],
        closed=[
            ClosedRow(c.first.isoformat(), c.last.isoformat(), str(c.what))
            for c in resources.closed
        ],
        figures=[FigureRow(name, str(value)) for name, value in stated.items()],
    )


def _parts_of(question: Question | None) -> dict[str, str]:
    held = (question or Question()).model_dump()
    return {name: str(held.get(name, "")) for name in Question.model_fields}


def _pace_text(resources: Resources) -> str:
    """The pace of what is sampled as the form shows it; "" where a brief gives none."""
    return next((f"{t.a_day:g} a day" for t in resources.throughput if t.what == A_UNIT), "")


def _waits_text(resources: Resources) -> str:
    return "; ".join(f"{s.days:g} days {s.what}" for s in resources.spans for _ in range(s.times))


def _prices_text(resources: Resources) -> str:
    """The prices that are paid for each unit."""
    return "; ".join(
        f"{p.amount:g} {p.currency} {p.what}" for p in resources.prices if p.per and p.times == 1
    )


def _person_row(person: Person) -> PersonRow:
    rate = "" if person.rate is None else f"{person.rate:,g} {person.currency} a {person.per}"
    return PersonRow(str(person.role), person.count, round(100 * person.share), rate)


@dataclass(frozen=True, slots=True)
class Faults:
    """What is wrong with a form, each fault at its field: "budget", "people.0"."""

    by_field: Mapping[str, str] = field(default_factory=dict)

    def at(self, name: str) -> str:
        """Return what is wrong there; "" if nothing is."""
        return self.by_field.get(name, "")

    def __bool__(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.by_field)


def faults_of(form: Form) -> Faults:
    """Return all that is wrong with what was typed; an empty field is no fault."""
    found: dict[str, str] = {}
    for name, check in _checks(form):
        try:
            check()
        except CallerError as mistake:
            found[name] = _sentence(str(mistake))
    return Faults(found)


def _checks(form: Form) -> Iterator[tuple[str, Callable[[], object]]]:
    for name in TERMS:
        text = str(getattr(form, name)).strip()
        if text:
            yield name, partial(_term, name, text)
    for name, made in (("pace", paces_of), ("waits", spans_of), ("prices", prices_of)):
        if str(getattr(form, name)).strip():
            yield name, partial(made, form)
    if form.project.strip():
        yield "project", partial(valid_id, "project", form.project.strip())
    for n, row in enumerate(form.people):
        yield f"people.{n}", partial(person_of, row)
    for n, closed in enumerate(form.closed):
        yield f"closed.{n}", partial(closed_of, closed)
    for n, figure in enumerate(form.figures):
        yield f"figures.{n}", partial(statistics_of, [figure])


_EXAMPLES = {"budget": "60,000 EUR", "start": "1 March 2027", "deadline": "18 months"}


def _term(name: str, text: str) -> None:
    value_of(name, text, f"the {name}")
    if not quantities(text):
        raise CallerError(f"the {name} {text!r} has no figure; write, say, {_EXAMPLES[name]!r}")


def person_of(row: PersonRow) -> Person | None:
    """Return who works, or None where the row is empty; raises CallerError."""
    if not row.role.strip() and not row.rate.strip():
        return None
    if not row.role.strip():
        raise CallerError("this person has no role; write one, such as technician")
    terms: dict[str, Any] = {}
    if row.rate.strip():
        found = _RATE.fullmatch(row.rate.strip())
        if not found or found[3] not in get_args(Per):
            raise CallerError(
                f"the rate {row.rate!r} cannot be read; write it as 450 EUR a day "
                "(or hour, week, month, year)"
            )
        amount = float(found[1].replace(",", "").replace(" ", ""))
        terms = {"rate": amount, "currency": found[2].upper(), "per": found[3]}
    given = {"role": row.role.strip(), "count": row.count, "share": row.share / 100, **terms}
    return _validated(Person, given, "this person")


def paces_of(form: Form) -> list[Throughput]:
    """Return how fast units are done, as it is typed; raises CallerError."""
    found = _PACE.fullmatch(form.pace.strip())
    per = found[2].lower() if found else ""
    if not found or per not in WORKING_DAYS or float(found[1].replace(",", "")) <= 0:
        raise CallerError(
            f"the pace {form.pace!r} cannot be read; write, say, '24 a day' or '300 a month'"
        )
    a_day = float(found[1].replace(",", "")) / WORKING_DAYS[per]
    return [_validated(Throughput, {"what": A_UNIT, "a_day": a_day}, "the pace:")]


_PACE = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*(?:an?|per|/|each|every)\s*(\w+)", re.IGNORECASE)


def spans_of(form: Form) -> list[Span]:
    """Return the times that nobody can hurry, as they are typed; raises CallerError."""
    spans = []
    for text, found in _apart("time", form.waits, _LENGTH, "28 days exposure"):
        what = " ".join(_LENGTH.sub(" ", text).split()) or "main work"
        days = round(float(found[1]) * CALENDAR_DAYS[found[2].lower()], 1)
        given = {"what": what, "days": days, "main": True}
        spans.append(_validated(Span, given, f"the time {text!r}:"))
    return spans


_LENGTH = re.compile(
    rf"(\d+(?:\.\d+)?)\s*({'|'.join(CALENDAR_DAYS)})s?\b(?:\s+of\b)?", re.IGNORECASE
)


def prices_of(form: Form) -> list[Price]:
    """Return what one unit costs, as it is typed; raises CallerError."""
    prices = []
    for text, found in _apart("price", form.prices, _SUM, "6.80 EUR strip"):
        given = {
            "what": found[3].strip() or A_UNIT,
            "amount": float(found[1].replace(",", "")),
            "currency": found[2].upper(),
            "per": A_UNIT,
        }
        prices.append(_validated(Price, given, f"the price {text!r}:"))
    return prices


_SUM = re.compile(r"^(\d[\d,]*(?:\.\d+)?)\s*([A-Za-z]{3})\b(.*)")


def _apart(
    what: str, typed: str, form: re.Pattern[str], example: str
) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the parts of a cell that semicolons set apart, each with what *form* finds in it."""
    for text in filter(None, map(str.strip, typed.split(";"))):
        found = form.search(text)
        if not found:
            raise CallerError(f"the {what} {text!r} cannot be read; write, say, {example!r}")
        yield text, found


def closed_of(row: ClosedRow) -> ClosedPeriod | None:
    """Return the days without work, or None where the row is empty; raises CallerError."""
    if not row.first.strip() and not row.last.strip():
        return None
    given = {"first": row.first.strip(), "last": row.last.strip(), "what": row.what.strip()}
    return _validated(ClosedPeriod, given, "this period needs dates such as 2027-07-01, and")


_PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?%")


def statistics_of(rows: Sequence[FigureRow]) -> Statistics:
    """Return the figures that *rows* state; raises CallerError."""
    given: dict[str, Any] = {}
    for row in rows:
        if not row.value.strip():
            continue
        percent = _PERCENT.fullmatch(row.value.strip())
        try:
            given[row.name] = float(percent[1]) / 100 if percent else json.loads(row.value)
        except ValueError:
            given[row.name] = row.value.strip()
    named = ", ".join(name.replace("_", " ") for name in given)
    return _validated(Statistics, given, f"{named}: shares are fractions such as 0.05, and")


def _validated(model: type[_Value], given: Mapping[str, Any], what: str) -> _Value:
    try:
        return model(**given)
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        said = fault["msg"].removeprefix("Value error, ").lower()
        raise CallerError(f"{what} {place + ': ' if place else ''}{said}") from wrong


def brief_of(form: Form, base: Brief | None = None) -> Brief:
    """Return the brief that *form* holds; *base* is the one that it was filled from.

    Raises CallerError if a value does not fit its field, or there is no objective.
    """
    if not form.objective.strip():
        raise CallerError("there is no objective; say in a sentence what is to be found out")
    values: dict[str, Any] = {
        "objective": form.objective,
        "risk_posture": form.risk,
        **{name: getattr(form, name) for name in TERMS},
        "plausible_directions": [*items(form.directions)],
    }
    for kind, name in LISTS.items():
        values[name] = [r.text.strip() for r in form.limits if r.kind == kind and r.text.strip()]
    before = base or Brief(objective="")
    stated = statistics_of(form.figures)
    if stated.design != NO_SIZE and (stated != Statistics() or before.statistics):
        values["statistics"] = stated.model_dump(exclude_none=True)
    if (used := _resources(form, before)) is not None:
        values["resources"] = used.model_dump(mode="json")
    read = parse_brief(json.dumps(values), "json", "the form")
    kept = {name: getattr(before, name) for name in _KEPT}
    asked = _validated(Question, {n: getattr(form, n).strip() for n in Question.model_fields}, "")
    question = None if asked == Question() else asked
    own = {"id": form.project, "family": form.family, "question": question}
    return read.model_copy(update={**kept, **own})


def _resources(form: Form, before: Brief) -> Resources | None:
    people = [p for row in form.people if (p := person_of(row))]
    closed = [c for row in form.closed if (c := closed_of(row))]
    known = {p.role: p for p in (before.resources or Resources()).people}
    unseen = {role: {"does": p.does, "days": p.days} for role, p in known.items()}
    people = [p.model_copy(update=unseen.get(p.role, {})) for p in people]
    base = before.resources or Resources()
    each = _each(form, base)
    empty = not people and not closed and not each and form.covers == "unsaid"
    if empty and before.resources is None:
        return None
    changed = {"people": people, "closed": closed, "covers": form.covers, **each}
    return _validated(Resources, base.model_dump() | changed, "the people:")


def _each(form: Form, base: Resources) -> dict[str, Any]:
    """What one unit takes, where the form says otherwise than the brief that it was filled from."""
    found: dict[str, Any] = {}
    if form.pace.strip() != _pace_text(base):
        other = [t for t in base.throughput if t.what != A_UNIT]
        found["throughput"] = [*(paces_of(form) if form.pace.strip() else ()), *other]
    if form.waits.strip() != _waits_text(base):
        found["spans"] = spans_of(form)
    if form.prices.strip() != _prices_text(base):
        more = [p for p in base.prices if not p.per or p.times != 1]
        found["prices"] = [*prices_of(form), *more]
    return found


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
