"""`dr-rd read`: what is understood of a brief, or of any document that holds one."""

from collections.abc import Iterator
from pathlib import Path

import click
import yaml
from rich.console import Console
from rich.table import Table

from core.errors import CallerError
from dr_rd.brief import Brief, check_objective
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.families import load_ranker
from dr_rd.reading import full_reader, given_text, understood
from dr_rd.study import Statistics, Study


def execute(context: CliContext, *, brief: str, write: Path | None, as_json: bool) -> int:  # noqa: ARG001
    """Print what is understood of a brief."""
    found = understood(given_text(brief), full_reader(load_ranker()))
    study = found.study
    if not study.not_research:
        check_objective(found.brief)
    if as_json:
        print_json(study.model_dump(mode="json", by_alias=True))
    if study.not_research:
        raise CallerError(study.not_research)
    if write:
        _write(found.brief, study, write)
    if not as_json:
        _show(study)
        if write:
            click.echo(f"written to {write}; edit it and give it to dr-rd plan or dr-rd run")
    return FAILED if study.asks_family else FINISHED


def _write(brief: Brief, study: Study, path: Path) -> None:
    """Write the brief under its own keys, the family where it is sure."""
    held = brief.model_dump(mode="json", exclude_defaults=True)
    if study.families and not study.asks_family and not brief.family:
        held["family"] = study.families[0].id
    if isinstance(held.get("statistics"), dict):
        held["statistics"] = {k: v for k, v in held["statistics"].items() if v is not None}
    try:
        path.write_text(
            yaml.safe_dump(held, allow_unicode=True, sort_keys=False, width=100), "utf-8"
        )
    except OSError as wrong:
        reason = (wrong.strerror or "unknown").lower()
        raise CallerError(f"cannot write {str(path)!r}: {reason}; name another file") from wrong


def _show(study: Study) -> None:
    """Print one line for each thing that was read."""
    table = Table("what", "read", show_edge=False, pad_edge=False, show_lines=False)
    for name, words in _lines(study):
        table.add_row(name, escape_controls(words))
    Console(soft_wrap=False, highlight=False, markup=False).print(table)


def _lines(study: Study) -> Iterator[tuple[str, str]]:
    yield "objective", study.objective
    yield from _families(study)
    yield from _terms(study)
    yield from _people(study)
    for count in study.counts:
        yield "count", f"{_bound(count.comparison, count.low, count.high)} {count.what}"
    for span in study.durations:
        yield "duration", f"{span.what}: {span.comparison} {span.value:g} {span.unit}"
    yield from _statistics(study)
    for limit in study.limits:
        bound = _bound(limit.comparison, limit.low, limit.high)
        yield limit.role, f"{limit.quote} [{f'{limit.type} {bound}'.strip()}]"
    for unread in study.unread:
        yield "not understood", f"{unread.quote}: {unread.why}"
    for guess in study.guesses:
        yield "guess", f"{guess.quote}: taken for “{guess.taken_for}”"
    for clash in study.contradictions:
        one, other = clash.quotes
        yield "contradiction", f"“{one}” and “{other}”: {clash.sentence}"


def _families(study: Study) -> Iterator[tuple[str, str]]:
    sure = " (not sure: name one, such as “family: …”)" if study.asks_family else ""
    for n, family in enumerate(study.families[:3]):
        words = f"{family.id}, {family.score:.2f}: {family.why}"
        yield ("", words) if n else ("family", words + sure)


def _terms(study: Study) -> Iterator[tuple[str, str]]:
    if budget := study.budget:
        covers = "" if budget.covers == "unsaid" else f", {budget.covers} costs"
        yield "budget", f"{budget.amount:,.15g} {budget.currency or '(no currency)'}{covers}"
    if study.start:
        yield "start", study.start
    if study.deadline:
        yield "deadline", study.deadline.date or f"{study.deadline.months:g} months"
    for closure in study.closed:
        yield "closed", f"{closure.start} to {closure.end}: {closure.what}"


def _statistics(study: Study) -> Iterator[tuple[str, str]]:
    for effect in study.effects:
        yield "effect", f"{effect.words}: {effect.quote}"
    if study.statistics != Statistics():
        figures = study.statistics.model_dump(exclude_none=True)
        yield "statistics", ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in figures.items())
    if size := study.needed:
        yield "needed", f"{size.n}, {size.per}" if size.n else size.why_not


def _people(study: Study) -> Iterator[tuple[str, str]]:
    for person in study.people:
        count = f"{person.count:g} " if person.count is not None else ""
        share = f", {100 * person.share:g} %" if person.share is not None else ""
        rate = f", {person.rate:,g} {person.currency or ''} a {person.per}" if person.rate else ""
        days = f", {person.days:g} days at most" if person.days is not None else ""
        yield "person", f"{count}{person.role}{share}{rate}{days}"


def _bound(comparison: str, low: object, high: object) -> str:
    if comparison == "none":
        return ""
    if comparison == "range":
        return f"{low} to {high}"
    value = high if high is not None else low
    return (
        f"{comparison} {value:,.15g}"
        if isinstance(value, float | int)
        else f"{comparison} {value}"
    )
