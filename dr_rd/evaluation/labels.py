"""Quantities that a text gives a name: "the sample mass is 5 g", "we recruit 48 patients".

Two statements are of one thing only if the names are the same and nothing around them tells
the things apart; where there is doubt there is no statement.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from dr_rd.evaluation.cues import cue, phrase_set
from dr_rd.evaluation.sentences import Segment, normal
from dr_rd.quantity import DATE, YEAR, Quantity
from dr_rd.text import lexicon, stem


@dataclass(frozen=True, slots=True)
class NamedQuantity:
    """A quantity with the name that the text gives it."""

    label: tuple[str, ...]
    """Stems of the name."""
    quantity: Quantity
    sentence: Segment
    whole: bool
    """Whether the name is of the study as a whole, such as its budget."""
    context: frozenset[str]
    """Stems of what else is said: it may tell two things of one name apart."""


def named_quantities(sentences: Sequence[Segment]) -> tuple[NamedQuantity, ...]:
    """Return the named quantities of *sentences*, in order."""
    return tuple(n for s in sentences if s.quantities for n in _of(s))


_LABEL = re.compile(
    r"(?:(?P<det>\bthe|\bour|\ban?|\bits|\bthis|\bthese|\ball)\s+)?"
    r"(?P<label>(?:[^\W\d_][\w’'-]*\s+){0,3}[^\W\d_][\w’'-]*)[*_]*\s*"
    r"(?P<verb>:[*_]*|=|\b(?:is|are|was|were|of|equals|totals|at|to|be|lasts|costs)\b)\s*"
    r"(?:(?:set|fixed|kept|held)\s+(?:at|to)\s*)?(?:exactly\s*)?$",
    re.IGNORECASE,
)
_LEADS = (":", "=", "*", "_", "is", "are", "was", "were", "of", "equals", "totals", "at", "to", "be",
          "lasts", "costs", "exactly")  # fmt: skip
"""What a label may end with; looked at first, since most figures have none."""
_BARE = re.compile(r"(?:^|[^\w])(?P<label>[^\W\d_][\w’'-]*)\s*$")
_HELPERS = re.compile(
    r"\s+(?:will be|should be|must be|is set|is fixed|is kept|is held|was set|amounts?|comes?"
    r"|adds? up|stands?|has|will)$",
    re.IGNORECASE,
)


_JOINED = re.compile(r"\d-[^\W\d]")
_DASHES = tuple("-–/")


def _of(sentence: Segment) -> Iterator[NamedQuantity]:
    if sentence.kind in ("heading", "row") or sentence.text.endswith("?"):
        return
    for quantity in sentence.quantities:
        if quantity.low is None or quantity.low != quantity.high:
            continue
        if quantity.comparison not in ("stated", "exactly") or quantity.noun == YEAR:
            continue
        if _JOINED.search(quantity.text) or sentence.before(quantity)[-1:] in _DASHES:
            continue  # a name, such as "2-back" or ISO 22514-7
        found = _labelled_quantity(sentence, quantity) or _counted_quantity(sentence, quantity)
        if found and not _set_apart(sentence, quantity):
            yield found


_NEAR = 400
"""Characters about a figure that are read for what sets it apart; keeps reading linear."""


def _set_apart(sentence: Segment, quantity: Quantity) -> bool:
    first, last = quantity.start - sentence.start, quantity.end - sentence.start
    until = last + len(_right(sentence, quantity))
    text = sentence.text
    return _apart_in(text, max(0, first - _NEAR), first) or _apart_in(text, last, until)


def _apart_in(text: str, first: int, last: int) -> bool:
    """Whether a stretch of a sentence has a word that sets things apart."""
    spans = _apart(text)
    at = bisect_left(spans, (first,))
    return at < len(spans) and spans[at][1] <= last


@lru_cache(maxsize=64)
def _apart(text: str) -> tuple[tuple[int, int], ...]:
    """Where the words of a sentence stand that set things apart; it may have many figures."""
    return tuple(m.span() for m in cue("apart").finditer(text))


def _labelled_quantity(sentence: Segment, quantity: Quantity) -> NamedQuantity | None:
    """Read "the sample mass is 5 g", "sample size: 48", "a budget of 5,000 GBP", "power 0.8"."""
    left = _upto(sentence, quantity)
    led = left.rstrip().lower().endswith(_LEADS)
    match = _LABEL.search(_last_words(left[-120:])) if led else None
    bare = None if match else _BARE.search(left[-40:])
    if not match and not bare:
        return None
    words = _HELPERS.sub("", (match or bare)["label"]).split()  # type: ignore[index]
    whole, label = _whole(words)
    if match and not label and match["verb"].lower() in _OWN:
        whole, label = True, (stem(_OWN[match["verb"].lower()]),)
    while not whole and label and label[0] in lexicon().stopwords:
        label = label[1:]
    if not label or (not match and not whole) or (match and _loose(match, whole=whole)):
        return None
    if _is_one_of_several(sentence, quantity, whole=whole):
        return None
    before = left[: len(left) - len((match or bare)[0])][-_NEAR:]  # type: ignore[index]
    before = "" if _JOINING.intersection(words) else _CLAUSE.split(before)[-1]
    rest = f"{before} {_CLAUSE.split(sentence.after(quantity)[:_NEAR], maxsplit=1)[0]}"
    return NamedQuantity(label, quantity, sentence, whole, _content(rest))


_MOST = 10
"""Words that a label may have, with what leads from it to its figure, and one more."""


def _last_words(left: str) -> str:
    """The end of *left* in which a label may stand: it is not looked for anywhere before."""
    before, *rest = left.rsplit(None, _MOST)
    return left[len(before) :] if len(rest) == _MOST else left


_CLAUSE = re.compile(r"[,;:.)]\s|[.)]$|\s(?:and|but|while|so)\s")


_OWN: Mapping[str, str] = {"lasts": "duration", "costs": "budget"}
"""What a verb says of a project, a study or the work."""
_BREAK = re.compile(r"[,;:.)]\s")


def _right(sentence: Segment, quantity: Quantity) -> str:
    """What the sentence says after a quantity until it takes breath."""
    return _BREAK.split(sentence.after(quantity)[:_NEAR], maxsplit=1)[0]


_JOINING = frozenset({"and", "but", "while", "so"})


def _loose(match: re.Match[str], *, whole: bool) -> bool:
    """Whether a name says too little: "a dose of 5 mg" may be any dose."""
    verb, det = match["verb"].lower(), (match["det"] or "").lower()
    if whole:
        return verb == "at"
    return verb in ("of", "at", "to") or det in ("a", "an")


def _upto(sentence: Segment, quantity: Quantity) -> str:
    left = sentence.before(quantity)
    shown = re.match(r"(?:=|exactly|just|only|precisely|equals)\s*", quantity.text)
    return left + (shown[0] if shown else "")


def _whole(words: list[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether the name is one that a study has once, and its stems."""
    said = " ".join(w.lower() for w in words)
    for phrase in _once():
        if said == phrase or said.endswith(f" {phrase}"):
            extra = said[: len(said) - len(phrase)].split()
            told = [w for w in extra if w not in phrase_set("plain")]
            return True, (*(stem(w) for w in told), *(stem(w) for w in _same(phrase).split()))
    return False, tuple(stem(w) for w in words if w.lower() not in phrase_set("plain"))


@cache
def _once() -> tuple[str, ...]:
    """The names that a study has once, the longest first."""
    return tuple(sorted(phrase_set("once"), key=lambda p: (-len(p), p)))


def _same(phrase: str) -> str:
    """The name that stands for all names of one thing."""
    return "budget" if phrase in phrase_set("money") else phrase


def _is_one_of_several(sentence: Segment, quantity: Quantity, *, whole: bool) -> bool:
    """Whether the text around says that this is one of several."""
    near = f"{sentence.before(quantity)[-80:]} # {_right(sentence, quantity)[:60]}"
    if cue("parted").search(near):
        return True
    return bool(cue("series").search(sentence.heading)) and not (
        whole and sentence.kind == "prose"
    )


def _content(text: str) -> frozenset[str]:
    stems = {stem(w) for w in {*normal(text).split()}}
    return frozenset(s for s in stems if s not in lexicon().stopwords and not s[0].isdigit())


def _counted_quantity(sentence: Segment, quantity: Quantity) -> NamedQuantity | None:
    """Read "we recruit 48 patients" and "a total of 48 patients"."""
    if quantity.unit or quantity.noun in ("", DATE, "age") or quantity.low == 1:
        return None
    words = [w for w in quantity.noun.split() if w.lower() not in phrase_set("plain")]
    left, right = sentence.before(quantity), sentence.after(quantity)
    in_all = cue("in_all").match(right.lstrip())
    if not words or not (
        in_all or _is_whole_sample(left[-60:]) or cue("taken_after").match(right)
    ):
        return None
    if cue("parted").search(f"{left[-80:]} # {right[:60]}") or cue("series").search(
        sentence.heading
    ):
        return None
    label = ("count", *(stem(w) for w in words))
    return NamedQuantity(label, quantity, sentence, whole=True, context=frozenset())


def _is_whole_sample(left: str) -> bool:
    """Whether what stands before a count says that it is all that is taken."""
    ends = [m.end() for m in cue("taken").finditer(left)]
    return bool(ends) and len(left[ends[-1] :].split()) <= 1
