"""The one sentence that says what is to be found out, built or decided."""

import re
from collections.abc import Sequence

from dr_rd.reading.labels import label_kind
from dr_rd.reading.segments import Segment
from dr_rd.reading.tagger import Tagger
from dr_rd.text import stem

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[\u3400-\u9fff]")
_FEWEST = 3
"""Words of a sentence that may be the objective."""
_NEVER = ("admin", "id", "budget", "start", "deadline", "duration", "people", "exclusion", "ban")


def candidates(found: Sequence[Segment]) -> list[Segment]:
    """The segments that may hold the objective."""
    long = [s for s in found if len(_WORD.findall(s.text)) >= _FEWEST and s.kind not in _NEVER]
    return long or [*found]


def objective_of(found: Sequence[Segment], tagger: Tagger) -> Segment | None:
    """Return the segment that most likely holds it; None where there is no segment."""
    held = candidates(found)
    if not held:
        return None
    named = {n for n, s in enumerate(held) if s.kind == "objective" and s.own}
    scores = [tagger.probabilities(features(s, n, held))["objective"] for n, s in enumerate(held)]
    return held[max(named or range(len(held)), key=lambda n: scores[n])]


def features(segment: Segment, n: int, held: Sequence[Segment]) -> frozenset[str]:
    """Return what about the *n*-th of the segments *held* tells whether it is the objective."""
    words = [w.lower() for w in _WORD.findall(segment.text)]
    stems = [stem(w) for w in words]
    own = label_kind(segment.labels[-1]) if segment.labels else ""
    labelled = any(s.kind == "objective" for s in held)
    first = segment.kind == "objective" and not any(s.kind == "objective" for s in held[:n])
    out = {
        f"label {segment.kind}",
        f"label {segment.kind} {min(segment.nth, 2)}",
        f"own {own if segment.own else ''}",
        f"form {segment.form}",
        f"labelled {labelled} {segment.kind == 'objective'}",
        f"first of its label {first}",
        f"asks {segment.text.rstrip().endswith(('?', '？'))}",
        f"length {min(len(words) // 4, 8)}",
        f"place {min(n, 6)}",
        f"quarter {4 * n // max(1, len(held))}",
        f"sentence {min(segment.nth, 3)}",
        f"money {bool(re.search(r'[€£$]|EUR|USD|GBP|CHF', segment.text))}",
        f"figure {bool(re.search(r'[0-9]', segment.text))}",
        *(f"has {s}" for s in stems),
        *(f"pair {a} {b}" for a, b in zip(stems, stems[1:], strict=False)),
        *(f"opens{k} {w}" for k, w in enumerate(words[:3])),
        *(
            f"word of label {stem(w.lower())}"
            for w in _WORD.findall(" ".join(segment.labels[-1:]))
        ),
    }
    return frozenset(out)
