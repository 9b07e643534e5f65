"""What a study samples, runs, builds or reads: the noun that its number counts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dr_rd.reading.amounts import Amount
from dr_rd.reading.segments import Segment
from dr_rd.reading.spans import WORKING_DAYS
from dr_rd.reading.tagger import Tagger
from dr_rd.text import lexicon, plural, stem

ROLE = "unit"
_LIKELY = 0.3
"""Probability from which a noun is taken for the unit."""
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d+(?:[.,]\d+)*|[%£$€.,;:?!()]")
_SHORTEST = 3
_DETERMINERS = frozenset(
    "a an per each every one of between across in among the both all any".split()
)


_TIMES = frozenset(
    f"{w}{s}" for s in ("", "s")
    for w in "second minute hour day night week weekend fortnight month quarter season year decade degree percent "
    "point euro dollar pound franc percentage metre meter kilometre gram litre january february march april may june "
    "july august september october november december monday tuesday wednesday thursday friday saturday sunday".split()
)  # fmt: skip
"""Words for times, money and measures, of which nothing is a sample."""


def _is_measured(words: Sequence[tuple[str, int, int]], at: int) -> bool:
    """Whether a word stands behind a figure that does not count it, as a unit does."""
    return at > 0 and words[at - 1][0][:1].isdigit()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place at which a noun stands."""

    word: str
    """As it is written, in lower case."""
    before: tuple[str, ...]
    """The two words before it, the nearest last."""
    after: tuple[str, ...]
    segment: Segment
    count: Amount | None
    """The amount that counts it there."""


def candidates(
    found: Sequence[Segment], amounts: Iterable[Amount]
) -> Mapping[str, Sequence[Occurrence]]:
    """Return the places of the words that may be a unit, by their stem: what is counted, or told of one."""
    counted = {a.end: a for a in amounts if a.fact.amount.noun and not a.fact.amount.unit}
    out: dict[str, list[Occurrence]] = {}
    for segment in found:
        words = [(m[0].lower(), m.start(), m.end()) for m in _WORD.finditer(segment.text)]
        for n, (word, _, end) in enumerate(words):
            if len(word) < _SHORTEST or not word[0].isalpha() or word in lexicon().stopwords:
                continue
            before = tuple(w for w, *_ in words[max(0, n - 2) : n])
            count = counted.get(segment.start + end)
            if word in _TIMES or (count is None and _is_measured(words, n)):
                continue
            if not (count or plural(word) or (before and before[-1] in _DETERMINERS)):
                continue
            after = tuple(w for w, *_ in words[n + 1 : n + 3])
            out.setdefault(stem(word), []).append(Occurrence(word, before, after, segment, count))
    return out


def features(
    held: Mapping[str, Sequence[Occurrence]],
    objective: tuple[int, int] | None,
    largest: float,
) -> Mapping[str, frozenset[str]]:
    """Return what about each of the nouns *held*, by stem, may tell that it is the unit.

    *objective*: where the question stands; *largest*: the largest number that counts anything.
    """
    often = sorted(held, key=lambda key: -len(held[key]))[:_FIRST]
    asked = [key for key, places in held.items() if any(_within(p, objective) for p in places)]
    out = {}
    for key, places in held.items():
        among = {f"rank {often.index(key)}" if key in often else "rank low"}
        among |= {f"asked {asked.index(key)}" if key in asked[:_FIRST] else "asked later"}
        out[key] = frozenset({*_features(key, places, objective, largest), *among})
    return out


_FIRST = 4


def _within(place: Occurrence, objective: tuple[int, int] | None) -> bool:
    return objective is not None and objective[0] <= place.segment.start < objective[1]


def _features(
    key: str, places: Sequence[Occurrence], objective: tuple[int, int] | None, largest: float
) -> Iterator[str]:
    yield f"stem {key}"
    yield f"ending {key[-3:]}"
    yield f"often {min(len(places), 6)}"
    yield f"plural {any(plural(p.word) for p in places)}"
    asked = [p for p in places if _within(p, objective)]
    yield f"asked {bool(asked)}"
    yield f"asked and counted {bool(asked) and any(p.count for p in places)}"
    for p in asked:
        yield from (f"asked < {w}" for w in p.before)
        yield from (f"asked > {w}" for w in p.after[:1])
    for p in places:
        yield f"label {p.segment.kind}"
        yield from (f"< {w}" for w in p.before[-1:])
        yield from (f"<< {w}" for w in p.before[:1])
        yield from (f"> {w}" for w in p.after[:1])
    counts = [p.count for p in places if p.count]
    yield f"counted {min(len(counts), 3)}"
    for count in counts:
        q = count.fact.amount
        value = q.most or 0.0
        yield f"count {q.comparison}"
        yield f"digits {len(str(int(abs(value))))}"
        yield f"count label {count.segment.kind}"
        yield f"largest {value >= largest}"
        yield f"per {'time' if count.fact.per in WORKING_DAYS else bool(count.fact.per)}"
        yield from (f"count > {w}" for w in count.after.lower().split()[:1])


def likely_unit(
    found: Sequence[Segment],
    amounts: Sequence[Amount],
    objective: tuple[int, int] | None,
    tagger: Tagger,
) -> str | None:
    """Return the noun of the unit as the text writes it most often; None where none is likely."""
    held, largest = candidates(found, amounts), largest_count(amounts)
    told = features(held, objective, largest)
    rated = ((tagger.probabilities(of)[ROLE], key) for key, of in told.items())
    best = max(rated, default=(0.0, ""))
    if best[0] < _LIKELY:
        return None
    words = [p.word for p in held[best[1]]]
    many = [w for w in words if plural(w)] or words
    return max(many, key=many.count)


def largest_count(amounts: Iterable[Amount]) -> float:
    """Return the largest number that counts something."""
    values = (a.fact.amount.high or a.fact.amount.low or 0.0 for a in amounts if a.kind == "count")
    return max(values, default=0.0)
