"""Completeness: the parts that a text of this kind must have, each with a body of its own."""

import re
from collections.abc import Sequence

from core.scores import Score
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.subject import Section, Subject

_HEADING = re.compile(r"^(?:(#{1,6})\s+(.+?)\s*#*|\*\*(.+?)\*\*[.:]?.*)$", re.MULTILINE)
_BOLD = 7
"""The level of a heading in bold: below all others."""

_WORD = re.compile(r"[^\W\d_]+")

_LEAST = 5
"""Words without which a section says nothing."""


def completeness(subject: Subject) -> Score:
    """Share of the template's sections that are there and say something of their own.

    A heading without a body, or with the body of another section, counts as missing.
    """
    wanted = _wanted(subject)
    if not wanted:
        return not_applicable("completeness", "there is no template for this text")
    bodies = _sections(subject.text)
    missing = [s.title for s in wanted if not _said(s, bodies)]
    return share(
        "completeness", len(wanted) - len(missing), len(wanted), "required sections are filled",
        [f"“{title}” is missing or empty" for title in missing],
        "Write these sections.",
    )  # fmt: skip


def _wanted(subject: Subject) -> Sequence[Section]:
    """The template's sections; of a task's answer, those that the task has anything for."""
    task = subject.task
    if task is None:
        return subject.template
    has = {
        "How it is done": task.steps,
        "Deliverable": task.deliverable,
        "Accepted when": [a for a in task.acceptance if not a.ledger_ids],
        "What this task commits to": _promised(subject),
    }
    return [s for s in subject.template if has.get(s.title, True)]


def _promised(subject: Subject) -> list[str]:
    """Ids of the constraints and criteria that the task owns."""
    mine = {i for a in subject.task.acceptance for i in a.ledger_ids} if subject.task else set()
    items = subject.ledger.items if subject.ledger else ()
    return [i.id for i in items if i.id in mine and i.kind != "ban"]


def _sections(text: str) -> list[tuple[str, str]]:
    """Heading and body of each part, in order; a body holds the parts below it."""
    heads = list(_HEADING.finditer(text))
    levels = [len(h[1]) if h[1] else _BOLD for h in heads]
    found = []
    for n, head in enumerate(heads):
        later = range(n + 1, len(heads))
        end = next((heads[m].start() for m in later if levels[m] <= levels[n]), len(text))
        found.append(((head[2] or head[3]).lower(), _body(head, text[head.end() : end])))
    return found


def _body(head: re.Match[str], after: str) -> str:
    """What follows a heading; of a bold one, also the rest of its line."""
    rest = head[0].split("**", 2)[-1] if head[3] else ""
    return f"{rest} {after}".strip()


def _said(section: Section, bodies: Sequence[tuple[str, str]]) -> bool:
    names = [n.lower() for n in (section.title, *section.also)]
    mine = [b for head, b in bodies if any(n in head for n in names)]
    others = [b for head, b in bodies if not any(n in head for n in names)]
    return any(len(_WORD.findall(b)) >= _LEAST and b not in others for b in mine)
