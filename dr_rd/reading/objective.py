"""The one sentence that says what is to be found out, built or decided."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import log

from dr_rd.files import read_yaml
from dr_rd.reading.labels import label_kind
from dr_rd.reading.segments import Segment
from dr_rd.reading.tagger import Tagger
from dr_rd.text import stem

_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:['’-][^\W\d_]+)*|[\u3400-\u9fff]")
_FEWEST = 3
"""Words of a sentence that may be the objective."""
_NEVER = ("admin", "id", "budget", "start", "deadline", "duration", "people", "exclusion", "ban")


def candidates(found: Sequence[Segment]) -> list[Segment]:
    """The segments that may hold the objective."""
    long = [s for s in found if len(_WORD.findall(s.text)) >= _FEWEST and s.kind not in _NEVER]
    return long or [*found]


def objective_of(
    found: Sequence[Segment], tagger: Tagger, asks: Callable[[str], float]
) -> Segment | None:
    """Return the segment that most likely holds it; None where there is no segment.

    *asks* says of a sentence by itself, as log odds, whether it says what is asked for; the
    tagger also knows where it stands.
    """
    held = candidates(found)
    if not held:
        return None
    chances = [tagger.probabilities(f)["objective"] for f in all_features(held)]
    placed = [
        log(max(p, _RAREST) / max(1 - p, _RAREST))
        + _LABELLED * (s.kind == "objective" and s.own)
        + _WONDERED * bool(_WONDERS.search(s.text))
        for p, s in zip(chances, held, strict=True)
    ]
    likeliest = sorted(range(len(held)), key=lambda n: -placed[n])[:_CONSIDERED]
    return _without_greeting(
        held[max(sorted(likeliest), key=lambda n: placed[n] + asks(held[n].text))]
    )


_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b(?: [\w.'’-]+){0,4}\s*[,!:–]\s+(?=\w)",
    re.IGNORECASE,
)


def _without_greeting(segment: Segment) -> Segment:
    """Return the sentence of a letter without the words that address its reader."""
    found = _GREETING.match(segment.text)
    if not found:
        return segment
    said = segment.text[found.end() :]
    return replace(segment, text=said, start=segment.end - len(said))


_RAREST = 1e-3
_CONSIDERED = 40
"""Segments whose words are weighed, the likeliest by where they stand; keeps long texts cheap."""
_LABELLED = 4.0
"""Log odds that a label such as "Aim" adds."""


_WONDERS = re.compile(
    r"\b(?:know|see|learn|find out|understand|hear|after|question|interested in|unclear|tell us)\b[^.;:]{0,40}?\b(?:whether|if|how (?:much|many|far|well|long|often))\b",
    re.IGNORECASE,
)
_WONDERED = 1.5
"""Log odds that it adds where somebody wants to see whether something is so."""


@cache
def _seeking() -> re.Pattern[str]:
    phrases = sorted(read_yaml("reading", "asking.yaml"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, phrases)), re.IGNORECASE)


def all_features(held: Sequence[Segment]) -> list[frozenset[str]]:
    """Return for each of the segments *held* what tells whether it is the objective."""
    seeks = [bool(_seeking().search(s.text)) for s in held]
    named = [s.kind == "objective" for s in held]
    firsts = (seeks.index(True) if any(seeks) else -1, named.index(True) if any(named) else -1)
    return [_features(s, n, len(held), seeks[n], firsts) for n, s in enumerate(held)]


def _features(
    segment: Segment,
    n: int,
    total: int,
    seeks: bool,  # noqa: FBT001
    firsts: tuple[int, int],
) -> frozenset[str]:
    words = [w.lower() for w in _WORD.findall(segment.text)]
    stems = [stem(w) for w in words]
    own = label_kind(segment.labels[-1]) if segment.labels else ""
    out = {
        f"label {segment.kind}",
        f"label {segment.kind} {min(segment.nth, 2)}",
        f"own {own if segment.own else ''}",
        f"form {segment.form}",
        f"labelled {firsts[1] >= 0} {segment.kind == 'objective'}",
        f"first of its label {n == firsts[1]}",
        f"seeks {seeks}",
        f"seeks first {n == firsts[0]}",
        f"asks {segment.text.rstrip().endswith(('?', '？'))}",
        f"length {min(len(words) // 4, 8)}",
        f"place {min(n, 6)}",
        f"quarter {4 * n // total}",
        f"sentence {min(segment.nth, 3)}",
        f"money {bool(re.search(r'[€£$]|EUR|USD|GBP|CHF', segment.text))}",
        f"figure {bool(re.search(r'[0-9]', segment.text))}",
        *(f"has {s}" for s in stems),
        *(f"pair {a} {b}" for a, b in pairwise(stems)),
        *(f"opens{k} {w}" for k, w in enumerate(words[:3])),
        *(
            f"word of label {stem(w.lower())}"
            for w in _WORD.findall(" ".join(segment.labels[-1:]))
        ),
    }
    return frozenset(out)
