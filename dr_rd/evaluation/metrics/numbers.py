"""Number support: every number has a source."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import Subject
from dr_rd.quantity import Number
from dr_rd.quantity import numbers as numbers_in

_NEAR = 0.005
"""Relative difference that rounding for display may make."""

_APART = re.compile(r"`[^`\n]*`|^\s*\d+[.)]\s|<!--.*?-->|https?://\S+", re.MULTILINE | re.DOTALL)
"""Not figures: code, list numbers, comments, addresses."""


def numbers(subject: Subject) -> Score:
    """Share of the numbers that are in the brief, a quoted passage, a call or an assumption."""
    if subject.brief is None:
        return not_applicable("numbers", "no brief was given to look the numbers up in")
    if not subject.computed:
        return not_applicable("numbers", "no recorded calculations came with the text")
    found = figures(subject)
    if not found:
        return not_applicable("numbers", "the text holds no number")
    orphans = unsourced(subject)
    faults = [f"{n.text} has no source" for n in orphans]
    return share(
        "numbers", len(found) - len(orphans), len(found), "numbers have a source", faults,
        "Say where each of these numbers comes from, or mark it as an assumption.",
    )  # fmt: skip


def unsourced(subject: Subject) -> tuple[Number, ...]:
    """Return the numbers of the text that nothing recorded accounts for."""
    known = sorted(set(_known(subject)))
    return tuple(n for n in figures(subject) if not _near(n, known))


def figures(subject: Subject) -> tuple[Number, ...]:
    """Return the numbers of the text that say something, in order."""
    text = _APART.sub(lambda m: " " * len(m[0]), subject.text)
    for name in subject.names:
        text = text.replace(name, " " * len(name))
    return numbers_in(text)


def _known(subject: Subject) -> Iterator[float]:
    texts: list[str] = [c.passage for c in subject.claims] + list(subject.assumed)
    texts += [subject.asked, *_cited(subject)]
    for text in texts:
        yield from (n.value for n in numbers_in(text))
    yield from _leaves(subject.computed)


def _cited(subject: Subject) -> Iterator[str]:
    """Passages that the text names by their id, and the places they stand in."""
    if subject.corpus is None:
        return
    for passage_id in set(re.findall(r"\[(E\d+)\b", subject.text)):
        if passage := subject.corpus.passage_by_id.get(passage_id):
            yield passage.text
            yield " ".join([subject.corpus.document_of(passage).path, *passage.heading])


def _leaves(value: Any) -> Iterator[float]:  # noqa: ANN401 - any JSON value
    """Every number in a JSON value, however deep; shares also as percentages."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield from (abs(float(value)), abs(float(value)) * 100)
    elif isinstance(value, str):
        yield from (n.value for n in numbers_in(value))
    else:
        parts: Iterable[Any] = value.values() if hasattr(value, "values") else value
        for part in parts:
            yield from _leaves(part)


def _near(number: Number, known: list[float]) -> bool:
    """Whether a known value, written with as many decimals as *number*, is that number."""
    decimals = len(number.text.partition(".")[2])
    rounding = 0.5 * 10.0**-decimals if decimals else 0.0
    value = abs(number.value)
    return any(abs(value - abs(k)) <= max(_NEAR * abs(k), rounding + 1e-9) for k in known)
