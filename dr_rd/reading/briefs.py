"""What is understood of any document, and the brief that is planned from it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import CallerError
from dr_rd.brief import NAMELESS, Brief, brief_of_plan, is_plan, typed_brief
from dr_rd.brief.fields import MAX_LENGTH, posture
from dr_rd.brief.markup import from_json, from_yaml
from dr_rd.brief.typed import check_characters, check_numbers, fitting, is_typed
from dr_rd.families import Ranker, load_families
from dr_rd.quantity import TIME_UNITS, quantities
from dr_rd.reading.document import Document, document_of, looks_structured
from dr_rd.reading.files import Given, Kind, given_text
from dr_rd.reading.labels import label_kind
from dr_rd.reading.reader import Reader
from dr_rd.reading.resources import resources_in
from dr_rd.reading.segments import Segment, segments
from dr_rd.reading.tagger import load_taggers
from dr_rd.study import Limit, Statistics, Study
from dr_rd.tools.sample_size import needed

_LISTED = {
    "constraint": "hard_constraints",
    "criterion": "success_criteria",
    "ban": "banned_moves",
}


@dataclass(frozen=True, slots=True)
class Understood:
    """A document, what is understood of it, and the brief that follows."""

    document: Document
    study: Study
    brief: Brief


def read_brief(source: str | Path, stdin: BinaryIO | None = None) -> Brief:
    """Read a brief from a file, from *stdin* for "-", or from quoted text.

    Raises CallerError with one sentence if it cannot be used.
    """
    return understood(given_text(source, stdin), reader()).brief


def parse_brief(text: str, kind: Kind | None = None, name: str = "brief") -> Brief:
    """Read a brief from *text*; *name* is what error messages call it. Without *kind* it is told."""
    return understood(Given(text, kind, name), reader()).brief


def reader() -> Reader:
    """Return what reads all of a Study but its design family."""
    return Reader(load_taggers())


def full_reader(ranker: Ranker) -> Reader:
    """Return what reads all of a Study, its design family and the sample size that follows."""
    return Reader(load_taggers(), ranker, needed)


def understood(given: Given, read: Reader) -> Understood:
    """Return what *read* understands of *given*; raises CallerError if it is empty or broken."""
    if not given.text.strip():
        raise CallerError(f"{given.name} is empty; write at least an objective")
    check_characters(given.text, given.name)
    check_numbers(given.text, given.name)
    raw = _mapping(given)
    if raw is not None and is_plan(raw):
        asked = Given(json.dumps(raw["brief"], ensure_ascii=False), "json", given.name)
        found = understood(asked, read)
        return replace(found, brief=brief_of_plan(raw, found.brief, given.name))
    if raw is not None and is_typed(raw):
        brief = typed_brief(raw, given.name)
        document = document_of(given.text, given.name, structured=True)
        study = read.read(document, brief.family)
        return Understood(document, study, _named(_with_figures(brief, document, study), given))
    document = document_of(given.text, given.name, structured=raw is not None)
    held = fitting(raw, given.name) if raw is not None else _family_of(document)
    study = read.read(document, str(held.get("family", "")))
    return Understood(document, study, _named(_brief(document, study, held, given), given))


def _family_of(document: Document) -> dict[str, str]:
    """The design family that a line "family: field trial" of the document names, under its key."""
    named = re.sub(r"[\s-]+", "_", _first(document, "family").strip(" .`*").lower())
    return {"family": named} if named in load_families() else {}


def _mapping(given: Given) -> Mapping[Any, Any] | None:
    """The keys and values of structured text; None where it is none."""
    kind = given.kind
    if kind is None and looks_structured(given.text):
        kind = "json" if given.text.lstrip().startswith("{") else "yaml"
    if kind not in ("yaml", "json"):
        return None
    raw = (from_json if kind == "json" else from_yaml)(given.text, given.name)
    check_characters(
        json.dumps(raw, ensure_ascii=False, default=str), given.name
    )  # what an escape stands for is no part of the text
    return raw if isinstance(raw, dict) else None


def _named(brief: Brief, given: Given) -> Brief:
    unnamed = brief.id == NAMELESS and given.stem
    return brief.model_copy(update={"id": given.stem}) if unnamed else brief


def _with_figures(brief: Brief, document: Document, study: Study) -> Brief:
    """A brief under its own keys, with the terms, the statistics and the resources that its words state."""
    known = {key: said for key, said in _terms(document, study).items() if not getattr(brief, key)}
    if brief.statistics is None and _says_figures(study):
        known["statistics"] = study.statistics
    if brief.resources is None:
        known["resources"] = resources_in(study)
    return brief.model_copy(update=known)


def _says_figures(study: Study) -> bool:
    return study.statistics != Statistics() and study.statistics.design != "none"


def _brief(document: Document, study: Study, held: Mapping[str, Any], given: Given) -> Brief:
    """The brief that follows from what was read; values under its own keys stay as written."""
    one_line = given.quoted and "\n" not in given.text.strip()
    objective = given.text.strip() if one_line else study.objective
    if not objective.strip() and "objective" not in held:
        raise CallerError(
            f"{given.name} has no sentence that says what is to be found out; write one"
        )
    fields: dict[str, Any] = {
        "objective": objective,
        "domain": _first(document, "domain"),
        "risk_posture": posture(_first(document, "risk")) or "medium",
        "plausible_directions": tuple(_items(document, "directions")),
        **_terms(document, study),
        **_limits(document, study, apart=_own_places(document, held)),
    }
    fields["context"] = _context(document, fields, study)
    if _says_figures(study):
        fields["statistics"] = study.statistics
    fields["resources"] = resources_in(study)
    if one_line:
        fields = {k: v for k, v in fields.items() if k in ("objective", "statistics")}
    for key in ("hard_constraints", "success_criteria", "banned_moves"):
        if key in held:
            fields[key] = (*held[key], *fields.get(key, ()))
    return Brief(**{**fields, **{k: v for k, v in held.items() if k not in _LISTED.values()}})


def _own_places(document: Document, held: Mapping[str, Any]) -> Sequence[Segment]:
    """The segments whose key is a brief's own and whose value is taken as written."""
    keys = {key.replace("_", " ") for key in held} | ({"idea"} if "objective" in held else set())
    keys |= {"constraints"} if "hard_constraints" in held else set()
    return [s for s in segments(document.text) if s.labels and s.labels[0] in keys]


def _terms(document: Document, study: Study) -> dict[str, Any]:
    """Budget and dates in words; a length in those of the document."""
    found: dict[str, Any] = {}
    if study.budget:
        found["budget"] = f"{study.budget.amount:,.15g} {study.budget.currency or ''}".strip()
    if study.deadline:
        found["deadline"] = study.deadline.date or _length(document, study)
    if study.start:
        found["start"] = study.start
    return found


def _length(document: Document, study: Study) -> str:
    """The length of the work as its document says it, "60 weeks", or else in months."""
    start, end = study.spans["deadline"]
    said = [q for q in quantities(document.source[start:end]) if q.unit in TIME_UNITS and q.high]
    months = study.deadline.months if study.deadline else None
    return f"{said[0].high:g} {said[0].unit}s" if len(said) == 1 else f"{months:g} months"


def _limits(
    document: Document, study: Study, apart: Sequence[Segment]
) -> dict[str, tuple[str, ...]]:
    """The limits that budget and deadline do not hold, by the list that they belong to.

    Items under a heading such as "Constraints" stay as they were written, each in its list.
    """
    whole = segments(document.text)
    listed = [s for s in whole if s.form == "item" and s.kind in _LISTED]
    taken = [document.place(s.start, s.end) for s in (*apart, *listed)]
    terms = [study.spans[p] for p in ("budget", "start", "deadline") if p in study.spans]
    found = [
        (document.place(s.start, s.end)[0], _LISTED[s.kind], s) for s in listed if s not in apart
    ]
    lines: list[tuple[int, str, str]] = []
    for start, name, segment in found:
        words = document.quote(segment.start, segment.end)
        if segment.nth and lines and lines[-1][1] == name:
            lines[-1] = (lines[-1][0], name, f"{lines[-1][2]} {words}")
        else:
            lines.append((start, name, words))
    labels = {
        document.place(s.start, s.end)[0]: _NUMBERED.sub("", s.labels[-1].strip(" *_:"))
        for s in whole
        if s.labels
    }
    for n, limit in enumerate(study.limits):
        start, end = study.spans[f"limits.{n}"]
        if any(s < end and start < e for s, e in taken):
            continue
        if _is_term(limit) and any(s < end and start < e for s, e in terms):
            continue
        lines.append((start, _LISTED[limit.role], _labelled(limit, labels.get(start, ""))))
    out: dict[str, list[str]] = {name: [] for name in _LISTED.values()}
    for _, name, words in sorted(lines):
        if words not in out[name]:
            out[name].append(words)
    return {name: tuple(held) for name, held in out.items()}


def _labelled(limit: Limit, label: str) -> str:
    """A limit's words after the label they stand behind, where that says what is limited.

    "30 days" of a furnace's time binds the furnace, and no line of a timetable the whole work.
    """
    has_its_own = ":" in limit.quote or label.lower() in limit.quote.lower()
    if not label or has_its_own or limit.comparison == "none":
        return limit.quote
    of_a_part = any(c.isdigit() for c in label)  # "Period 2"
    if label_kind(label) in _BINDS_ALL and not of_a_part:
        return limit.quote
    return f"{label}: {limit.quote}"


def _context(document: Document, fields: Mapping[str, Any], study: Study) -> str:
    """What the document says besides the objective, the limits and the directions, in its words."""
    said = {
        words
        for key in (*_LISTED.values(), "plausible_directions")
        for words in fields.get(key, ())
    }
    taken = [study.spans[p] for p in study.spans if p == "objective"]
    kept = []
    for segment in segments(document.text):
        start, end = document.place(segment.start, segment.end)
        words = document.quote(segment.start, segment.end)
        held = any(s < end and start < e for s, e in taken) or words in said
        if segment.kind not in _APART and not held and words:
            kept.append(words if words[-1] in ".!?" else f"{words}.")
    return " ".join(kept)[:MAX_LENGTH]


_APART = ("title", "domain", "risk", "directions", "people", "admin", "family", "id", "tasks")
"""What stands in a field of its own, or is nothing that a plan rests on."""


_NUMBERED = re.compile(r"^\d{1,2}[.)]\s*")
_BINDS_ALL = (*_LISTED, "exclusion", "budget", "deadline", "duration", "objective")
"""What labels announce that add nothing to the words behind them."""


def _is_term(limit: Limit) -> bool:
    return limit.type in ("money", "time")


def _first(document: Document, kind: str) -> str:
    return next(iter(_items(document, kind)), "")


def _items(document: Document, kind: str) -> Iterator[str]:
    """What stands under a label of that kind, each item with all its sentences."""
    held: list[Segment] = []
    for segment in segments(document.text):
        if segment.labels and label_kind(segment.labels[-1]) == kind:
            if segment.form == "item" and segment.nth and held:
                held[-1] = replace(held[-1], end=segment.end)
            else:
                held.append(segment)
    return (document.quote(s.start, s.end) for s in held)
