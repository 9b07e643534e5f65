"""Completeness: the parts that a text of this kind must have, each with a body of its own."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import UNPARTED, Section, Subject

_HEADING = re.compile(r"^(?:(#{1,6})\s+(.+?)\s*#*|\*\*(.+?)\*\*[.:]?.*)$", re.MULTILINE)
_BOLD = 7
"""The level of a heading in bold: below all others."""

_WORD = re.compile(rf"[{UNPARTED}]|[^\W_{UNPARTED}]+")


def completeness(subject: Subject) -> Score:
    """Share of the template's sections that are there and say something of their own.

    A heading without a body, or with the body of another section, counts as missing. Where one
    that is required is missing, the score is halved.
    """
    wanted = _expected_sections(subject)
    if not wanted:
        return not_applicable("completeness", "there is no template for this text")
    parts = sorted(_sections(subject.visible), key=_long)
    missing = [s for s in wanted if not _has_part(s, parts)]
    found = share(
        "completeness", len(wanted) - len(missing), len(wanted), "sections are filled",
        [f"“{s.title}” is missing or says nothing of its own" for s in missing],
        "Write these sections.",
    )  # fmt: skip
    if found.score and any(s.required for s in missing):
        return found.model_copy(update={"score": round(found.score / 2, 4)})
    return found


def _expected_sections(subject: Subject) -> Sequence[Section]:
    """The template's sections; of a task's answer, those that the task has anything for."""
    task = subject.task
    if task is None:
        return subject.template
    has = {
        "How it is done": task.steps,
        "Deliverable": task.deliverable,
        "Accepted when": [a for a in task.acceptance if not a.ledger_ids],
        "What this task commits to": _owned_item_ids(subject),
    }
    return [s for s in subject.template if has.get(s.title, True)]


def _owned_item_ids(subject: Subject) -> list[str]:
    """Ids of the constraints and criteria that the task owns."""
    mine = {i for a in subject.task.acceptance for i in a.ledger_ids} if subject.task else set()
    items = subject.ledger.items if subject.ledger else ()
    return [i.id for i in items if i.id in mine and i.kind != "ban"]


def _sections(text: str) -> list["_Part"]:
    """The parts of *text*, in order; a body holds the parts below it."""
    heads = list(_HEADING.finditer(text))
    levels = [len(h[1]) if h[1] else _BOLD for h in heads]
    found = []
    for n, head in enumerate(heads):
        later = range(n + 1, len(heads))
        end = next((heads[m].start() for m in later if levels[m] <= levels[n]), len(text))
        title, body = (head[2] or head[3]).lower(), _body(head, text[head.end() : end])
        found.append(_part(title, body, range(head.start(), end)))
    return found


def _body(head: re.Match[str], after: str) -> str:
    """What follows a heading; of a bold one, also the rest of its line."""
    rest = head[0].split("**", 2)[-1] if head[3] else ""
    return f"{rest} {after}".strip()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the text."""

    head: str
    words: str
    """The words of its body."""
    different: int
    """How many different words these are."""
    span: range
    """Where heading and body stand."""

    def within(self, other: "_Part") -> bool:
        """Whether this is a part of *other*, whose body then holds its body."""
        return other.span.start < self.span.start < other.span.stop


def _part(head: str, body: str, span: range) -> _Part:
    words = _WORD.findall(body.lower())
    return _Part(head, " ".join(words), len(set(words)), span)


def _has_part(section: Section, parts: Sequence[_Part]) -> bool:
    """Whether a part is headed so and has a body that is no other part's."""
    names = [n.lower() for n in (section.title, *section.also)]
    mine = (p for p in parts if any(name in p.head for name in names))
    return any(p.different >= section.least and _own(p, parts) for p in mine)


def _own(part: _Part, parts: Sequence[_Part]) -> bool:
    """Whether a part does not say the same as another; *parts* come by their length."""
    least, most = len(part.words) / _AROUND, len(part.words) * _AROUND
    near = parts[bisect_left(parts, least, key=_long) : bisect_right(parts, most, key=_long)]
    others = (other for other in near if other is not part and not part.within(other))
    return not any(_same(part.words, other.words) for other in others)


def _long(part: _Part) -> int:
    return len(part.words)


def _same(mine: str, other: str) -> bool:
    """Whether a body is another's: word for word, or the whole of it with little around it."""
    return bool(other) and (mine in other or other in mine)


_AROUND = 1.3
"""How much longer a body may be that still is another's."""
