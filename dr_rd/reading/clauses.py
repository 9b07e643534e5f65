"""Segments in clauses, as limits are often strung together by commas, and what about each tells a limit."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from dr_rd.reading.amounts import Amount
from dr_rd.reading.labels import label_kind
from dr_rd.reading.segments import Segment, segments
from dr_rd.text import stem


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A clause of a segment, with the amounts in it."""

    text: str
    start: int
    end: int
    segment: Segment
    nth: int
    """Its number in the segment."""
    amounts: tuple[Amount, ...]


_CUT = re.compile(
    r"\s*[;；。]\s*|,\s+(?=[^\W\d_])|[,、]\s*(?=[\u3400-\u9fff])|(?<!\d)\s+[–—-]\s+|\s+[–—-]\s+(?!\d)"
    r"|(?<!\byes)\s+(?:and|but|or|und|aber|et|mais|y|pero)\s+(?=(?:no|not|never|nothing|nobody|none|neither|without|must|only|at\s(?:least|most)|kein\w*|nicht|nur|aucun\w*|pas|sans|ningún\w*|sin|solo)\b)",
    re.IGNORECASE,
)
_OPEN = re.compile(r"[^()]*\(")


def clauses(text: str, found: Iterable[Amount]) -> tuple[Clause, ...]:
    """Cut *text*, which states the amounts *found*, into clauses, in order; they hold those amounts."""
    held: dict[Segment, list[Amount]] = {}
    for amount in found:
        held.setdefault(amount.segment, []).append(amount)
    return tuple(c for s in segments(text) for c in _clauses(s, held.get(s, [])))


def _clauses(segment: Segment, found: list[Amount]) -> Iterator[Clause]:
    begin, nth = 0, 0
    cuts = [
        m.span() for m in _CUT.finditer(segment.text) if not _bracketed(segment.text, m.start())
    ]
    for stop, after in [*cuts, (len(segment.text), len(segment.text))]:
        body = segment.text[begin:stop]
        if bare := body.strip(" .,;:。；，"):
            start = segment.start + begin + body.find(bare)
            end = start + len(bare)
            held = tuple(a for a in found if start < a.end and a.start < end)
            yield Clause(bare, start, end, segment, nth, held)
            nth += 1
        begin = after


def _bracketed(text: str, at: int) -> bool:
    """Whether a position stands between brackets."""
    return text.count("(", 0, at) > text.count(")", 0, at)


_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:['’-][^\W\d_]+)*|[<>≤≥=:?!%]|[\u3400-\u9fff]")
_FIRST = 3
NEGATIVE = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|neither|nor|without|cannot|\w+n['’]t|exclud\w+|forbid\w+|forbidden|prohibit\w*|banned|avoid\w*|off limits|out"
    r"|kein\w*|nicht|nie|niemals|ohne|verboten|untersagt|aucun\w*|pas|jamais|sans|interdit\w*|hors|ningun\w*|ningún|no|sin|nunca|prohib\w+|tampoco)\b|不得|禁止|不能|不可|不允许|严禁|不",
    re.IGNORECASE,
)
DEMANDING = re.compile(
    r"\b(?:must|only|has to|have to|needs? to|should|shall|required?|every|each|all|always|before|until|stays?|remain\w*|keep|kept|muss|müssen|soll\w*|nur|jede\w*|alle|erst"
    r"|doit|doivent|seul\w*|chaque|tous|debe\w*|deben|solo|sólo|cada|todos?|tod[ao]s)\b|必须|应当|须|只能|均",
    re.IGNORECASE,
)


_EITHER = re.compile(r"\byes (?:or|and) no\b", re.IGNORECASE)
"""What denies nothing."""


def features(clause: Clause) -> frozenset[str]:
    """Return what about *clause* may tell whether and how it limits the work."""
    segment = clause.segment
    said = _EITHER.sub("", clause.text)
    words = [w.lower() for w in _WORD.findall(said)]
    stems = [stem(w) for w in words]
    own = label_kind(segment.labels[-1]) if segment.labels else ""
    negative, demanding = bool(NEGATIVE.search(said)), bool(DEMANDING.search(said))
    whole = _EITHER.sub("", segment.text)
    out = {
        f"label {segment.kind}",
        f"own {own if segment.own else ''}",
        f"label {segment.kind} form {segment.form}",
        f"label {segment.kind} negative {negative}",
        f"label {segment.kind} demanding {demanding}",
        f"form {segment.form}",
        f"negative {negative}",
        f"demanding {demanding}",
        f"segment negative {bool(NEGATIVE.search(whole))}",
        f"segment demanding {bool(DEMANDING.search(whole))}",
        f"nth {min(clause.nth, 3)}",
        f"sentence {min(segment.nth, 2)}",
        f"length {min(len(words) // 3, 6)}",
        f"asks {whole.rstrip().endswith('?')}",
        f"amounts {min(len(clause.amounts), 2)}",
        *(f"amount {a.kind} {a.fact.amount.comparison}" for a in clause.amounts),
        *(f"has {s}" for s in stems),
        *(f"pair {a} {b}" for a, b in pairwise(stems)),
        *(f"first{n} {w}" for n, w in enumerate(words[:_FIRST])),
        *(f"opens {w}" for w in [whole.split()[0].lower().strip(",.:")] if whole.split()),
        *(
            f"word of label {stem(w.lower())}"
            for w in _WORD.findall(" ".join(segment.labels[-1:]))
        ),
    }
    return frozenset(out)
