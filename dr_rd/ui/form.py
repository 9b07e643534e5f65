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
from dr_rd.brief import NAMELESS, Brief, ClosedPeriod, Person, Resources, project_id
from dr_rd.brief.fields import items, value_of
from dr_rd.brief.resources import Per
from dr_rd.quantity import quantities
from dr_rd.reading import parse_brief
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
    return read.model_copy(update={**kept, "id": form.project, "family": form.family})


def _resources(form: Form, before: Brief) -> Resources | None:
    people = [p for row in form.people if (p := person_of(row))]
    closed = [c for row in form.closed if (c := closed_of(row))]
    known = {p.role: p for p in (before.resources or Resources()).people}
    unseen = {role: {"does": p.does, "days": p.days} for role, p in known.items()}
    people = [p.model_copy(update=unseen.get(p.role, {})) for p in people]
    if not people and not closed and form.covers == "unsaid" and before.resources is None:
        return None
    held = (before.resources or Resources()).model_dump()
    changed = {"people": people, "closed": closed, "covers": form.covers}
    return _validated(Resources, held | changed, "the people:")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
