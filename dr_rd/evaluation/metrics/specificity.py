"""Specificity: sentences say how much, by whom, when, with what; not that all will be robust."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.scores import Score
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.redundancy import repeated
from dr_rd.evaluation.metrics.verdicts import not_applicable
from dr_rd.evaluation.sentences import Segment, normal
from dr_rd.evaluation.subject import Subject

_ENOUGH = 0.6
"""Share of specific sentences beyond which more is no better."""
_LEAST = 8
"""Sentences below which a share says nothing."""
_DENSE = 0.3
"""Share of figures among the words beyond which a sentence is a list of figures."""
_NAME = re.compile(
    r"(?<!^)(?<![.!?:]\s)\b(?:[A-Z]{2,}[\w/-]*|[A-Z][a-z]+(?:\s[A-Z][\w-]+)+)|\[[A-Z]\d+|\b[A-Z]\d{2}\b"
)


def specificity(subject: Subject) -> Score:
    """Share of the sentences with a figure and what it counts, a name, a date, an owner or a limit.

    It is full at 0.6. Sentences that repeat, that are little but figures, or that are filled with
    praise count as unspecific. Whether the details are right it cannot see.
    """
    told = [s for s in subject.sentences if s.kind in ("prose", "item") and len(s.text) > 20]
    told = [s for s in told if len(normal(s.text).split()) >= 5]
    if len(told) < _LEAST:
        return not_applicable(
            "specificity", f"it has {len(told)} sentences, too few to be judged by this"
        )
    again = {s.start for s in repeated(told)}
    vague = _vague(subject, told)
    bare = again | {s.start for s in vague}
    good = sum(_specific(s) for s in told if s.start not in bare)
    found = good / len(told)
    score = max(0.0, min(1.0, found / _ENOUGH) - len(vague) / len(told))
    said = f": “{vague[0].text[:120]}” only praises" if vague else ""
    return Score(
        key="specificity",
        score=round(score, 4),
        rationale=f"{good} of {len(told)} sentences say how much, who, when or with what{said}",
        fix_hint="Say how much, by whom, when and with what." if score < 1 else "",
        quotes=tuple(s.text for s in vague[:3]),
    )


def _vague(subject: Subject, told: Sequence[Segment]) -> list[Segment]:
    """Sentences with words that only praise."""
    places = [m.start() for m in cue("filler").finditer(subject.visible)]
    starts = [s.start for s in told]
    held = (bisect_right(starts, place) - 1 for place in places)
    found = dict.fromkeys(
        n for n, p in zip(held, places, strict=True) if n >= 0 and p < told[n].end
    )
    return [told[n] for n in found]


def _specific(sentence: Segment) -> bool:
    words = normal(sentence.text).split()
    figures = sum(w[0].isdigit() for w in words)
    if figures > _DENSE * len(words):
        return False
    measured = any(q.unit or q.noun for q in sentence.quantities)
    return (
        measured
        or bool(_NAME.search(sentence.text))
        or bool(cue("concrete").search(sentence.text))
    )
