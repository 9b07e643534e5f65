"""Markdown and plain text: labelled lines and lists, and sentences without a label."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dr_rd.brief.values import LISTS

# What stands before a list in Markdown or plain text, in lower case and without punctuation.
_LABELS = {
    "id": "id",
    "domain|field|discipline": "domain",
    "objective|objectives|idea|research question|question|goal|goals|aim|aims|purpose|brief|目标|الهدف": "objective",
    "constraint|constraints|hard constraints|requirements|limits|must|rules|约束|约束条件|القيود": "hard_constraints",
    "success criteria|success criterion|criteria|success|acceptance criteria|成功标准|معايير النجاح": "success_criteria",
    "plausible directions|directions|alternatives|options|approaches|candidate approaches": (
        "plausible_directions"
    ),
    "banned moves|bans|banned|out of scope|must not|not allowed|forbidden|do not|exclusions": (
        "banned_moves"
    ),
    "risk posture|risk|risk appetite": "risk_posture",
    "budget|cost|funding|预算|الميزانية": "budget",
    "deadline|timeline|due|due date": "deadline",
    "family|design family": "family",
    "start|start date|starts|begins": "start",
}
_FIELD_OF = {label: name for labels, name in _LABELS.items() for label in labels.split("|")}
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(.+?):?(?:\*\*|__):?\s*(.*)$")
_LABEL = re.compile(r"^\s*([^\W\d_][\w /-]{0,40}?)\s*[:：]\s*(.*)$")
_LIMIT = re.compile(
    r"\b(?:must|only|at least|at most|no more than|no fewer than|exactly|budget|cannot|may not)\b"
    r"|^(?:no|without|under|minimum|maximum)\b",
    re.IGNORECASE,
)
_BAN = re.compile(r"^(?:do not|don't|never|avoid)\b\s*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s+(?=\S)")


@dataclass(slots=True)
class _Part:
    """The lines found under one label."""

    field: str
    lines: list[str]


def prose(text: str, name: str) -> dict[str, Any]:
    """Read labelled lines and lists; what has no label is the objective and its limits."""
    del name
    parts = [_Part("", [])]
    for line in text.splitlines():
        if label := _line_label(line):
            parts.append(_Part(label[0], [label[1]] if label[1] else []))
        elif not _HEADING.match(line):
            parts[-1].lines.append(line)
        elif parts[-1].field or len(parts) > 1:
            parts.append(_Part("", []))
    return _fields(parts) or {"objective": text.strip().lstrip("# ")}


def items(text: str) -> Iterator[str]:
    """Split one string into items: by bullets where there are any, otherwise by lines."""
    for line in text.splitlines():
        if item := _BULLET.sub("", line).strip():
            yield item


def _line_label(line: str) -> tuple[str, str] | None:
    """The field that a line names, and the rest of the line."""
    for pattern in (_HEADING, _BOLD, _LABEL):
        if match := pattern.match(line):
            title, _, rest = match[1].partition(":")
            field = _FIELD_OF.get(re.sub(r"[\s_*:]+", " ", title).strip().lower())
            if field:
                return field, (match[2] if match.re.groups > 1 else rest).strip()
    return None


def _fields(parts: list[_Part]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        text = "\n".join(part.lines).strip()
        if not text:
            continue
        if part.field in LISTS:
            found[part.field] = [*found.get(part.field, []), *_entries(part.lines)]
        elif part.field:
            found[part.field] = " ".join(filter(None, [found.get(part.field), _joined(text)]))
        else:
            _add_loose(found, text)
    if "objective" not in found and (first := found.get("hard_constraints")):
        return found | {"objective": " ".join(first)} if not any(p.field for p in parts) else found
    if "risk_posture" in found:
        found["risk_posture"] = _risk_word(found["risk_posture"])
    return found


def _risk_word(text: str) -> str:
    words = re.findall(r"\b(low|medium|high)\b", text.lower())
    return words[0] if words else text


def _add_loose(found: dict[str, Any], text: str) -> None:
    """Sort the sentences of unlabelled text into objective, constraints and bans."""
    objective: list[str] = []
    for n, sentence in enumerate(_sentences(text)):
        if n and _BAN.match(sentence):
            found.setdefault("banned_moves", []).append(sentence)
        elif n and _LIMIT.search(sentence):
            found.setdefault("hard_constraints", []).append(sentence)
        else:
            objective.append(sentence)
    found["objective"] = " ".join(filter(None, [found.get("objective"), *objective]))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)", text):
        bare = _joined(_BULLET.sub("", paragraph))
        yield from (s for s in _SENTENCE_END.split(bare) if s)


def _entries(lines: list[str]) -> list[str]:
    """List items; an indented line goes on with its item."""
    entries: list[str] = []
    bulleted = any(_BULLET.match(line) for line in lines)
    for line in lines:
        if not line.strip():
            continue
        if bulleted and entries and not _BULLET.match(line) and line[:1].isspace():
            entries[-1] += " " + line.strip()
        else:
            entries.append(_BULLET.sub("", line).strip())
    return entries


def _joined(text: str) -> str:
    return " ".join(text.split())
