"""Words and clauses of a limit: as much English as it takes to see what one names outright."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Words = tuple[str, ...]

_UNREAD = re.compile(r"\([^)]*\)|[\"“”‘’`*]|'s\b")
_EXAMPLES = re.compile(r",?\s(?:such as|e\.g\.|for example|for instance|like)\s.*$")
"""What only gives examples of what was named."""

_TOKEN = re.compile(r"[a-z0-9%]+(?:[-/'][a-z0-9]+)*|,")
_CLAUSE = re.compile(
    r"(?<!incl)(?<!max)(?<!min)(?<!approx)[.;:!?\n]+(?:\s|$)|\s[–—-]\s|\s(?:but|yet)\s"
)
_BESIDE = re.compile(
    r",?\s(?:that|which|who|whose|where|rather than|instead of|except|unless|other than)\s.*$"
)
"""What tells more of what was named, or names what it stands against."""

_NO = frozenset(
    "no zero not never without neither nor avoid avoids avoiding excluding cannot don't mustn't".split()
)
_AUXILIARIES = frozenset(
    "is are was were be been being must may can shall should will would could has have had do does need needs to".split()
)
_STOPS = _AUXILIARIES | frozenset(
    "of in on at for from with without by between among across during before after under over above below beyond within "
    "into onto through via per as than that which who whose where when while because if unless until about against outside "
    "aged older younger including instead rather only comes come takes precedes follows starts , and or nor".split()
)
"""Words that a noun phrase ends before."""

_LISTING = frozenset((",", "or", "and", "nor"))
_PREPOSITIONS = frozenset(
    "of in on at for from with by between among across during under including through via per".split()
)

_LIGHT = frozenset(
    "conduct conducts conducting perform performs performing run runs running do doing use uses using carry carrying out undertake "
    "undertaking make making hold holding organise organising launch launching start starting incorporate incorporating have having "
    "administer administering employ employing involve involving apply applying add adds adding include includes including introduce "
    "introducing rely relying on perform send sending with set up a an the any some all further additional extra new another other more of form "
    "forms kind kinds type types sort sorts addition introduction conducting".split()
)
"""Words before a name that leave it what it is."""

_FREE = frozenset(
    "a an the any some all no every each further additional extra new another other more fresh our its their such own whatsoever".split()
)
"""Modifiers that do not narrow what they stand before."""

_WIDENS = re.compile(r"^(?:expand|extend|broaden|widen)(?:s|ing)? .*?\bto (?:include )?")
_TAIL = re.compile(
    r"^(?:of any (?:kind|sort|type)|at all|whatsoever|from scratch|(?:in|during|for|to|as part of|within) (?:this|the) "
    r"(?:study|work|project|trial|plan|design)|(?:(?:in|to|into|between|across|among) (?:the )?(?:\w+ )?(?:arms|groups|conditions)))?$"
)
"""What may follow an action without narrowing it."""

_BARRED = re.compile(
    r"^(?P<what>.+?) (?:is|are|be) (?:strictly |explicitly )?(?:not (?:to be )?(?:allowed|permitted|part of .*|possible|wanted|funded|"
    r"included|an option|foreseen)|forbidden|prohibited|banned|excluded|ruled out|out of scope|off limits)$"
)
_FORBIDDEN = re.compile(
    r"^it (?:is|must be) (?:forbidden|prohibited|banned|not (?:allowed|permitted)) to (?P<what>.+)$"
)
_PERMITTED = re.compile(r" (?:permitted|allowed|foreseen|planned|wanted)\b.*$")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a limit, and whether what it names is ruled out by it."""

    text: str
    banned: bool
    partly: bool = False
    """Whether it is said of a part of the work only: "a model with no updates"."""

    @property
    def words(self) -> Words:
        """Its words in small letters, with its commas."""
        return tuple(_TOKEN.findall(self.text))


def segments(text: str, *, ban: bool) -> Iterator[Segment]:
    """Part a limit into stretches that rule something out, or ask for it.

    All of a *ban* rules out, whether it is worded as a refusal ("do not …") or not.
    """
    plain = _UNREAD.sub(" ", _spelt(text.lower()))
    for clause in _CLAUSE.split(plain):
        clause = " ".join(_BESIDE.sub("", _EXAMPLES.sub("", f" {clause}")).split()).strip(" ,")
        if _TOKEN.search(clause):
            yield from _parted(clause, ban=ban)


def _parted(clause: str, *, ban: bool) -> Iterator[Segment]:
    if found := _BARRED.match(clause) or _FORBIDDEN.match(clause):
        yield Segment(found["what"], banned=True)
        return
    words = _TOKEN.findall(clause)
    at = next((n for n, w in enumerate(words) if w in _NO), None)
    if ban:
        refused = at is not None and (not at or auxiliary(words[at - 1]))
        yield from _parted(clause, ban=False) if refused else [Segment(clause, banned=True)]
        return
    if at is None:
        yield Segment(clause, banned=False)
    elif at and auxiliary(words[at - 1]) and words[at + 1 : at + 2] == ["be"]:
        yield Segment(" ".join([*words[:at], *words[at + 1 :]]), banned=True)
    else:
        if at:
            yield Segment(" ".join(words[:at]).strip(" ,"), banned=False)
        partly = (
            at > 0
            and words[at - 1] not in (",", "and", "or", "we", "they")
            and not auxiliary(words[at - 1])
        )
        yield Segment(_PERMITTED.sub("", " ".join(words[at + 1 :])), banned=True, partly=partly)


def items(words: Words) -> Iterator[Words]:
    """Part a list at its commas and conjunctions; the whole of it comes first.

    What stands behind a preposition begins no list: "a hybrid of tuning and training".
    """
    yield words
    item = list[str]()
    for word in (*words, ","):
        if word not in _LISTING:
            item.append(word)
            continue
        if item and tuple(item) != words:
            yield tuple(item)
        if word != "," and any(w in _PREPOSITIONS for w in bare(tuple(item))):
            return
        item = []


def bare(words: Words) -> Words:
    """Leave out what a name may have before it: "expand the study to include", "conduct any"."""
    text = _WIDENS.sub("", " ".join(words))
    rest = tuple(_TOKEN.findall(text))
    while rest and rest[0] in _LIGHT and len(rest) > 1:
        rest = rest[1:]
    return rest


def narrows(modifiers: Sequence[str], free: Sequence[str], tail: Words) -> bool:
    """Whether modifiers before a noun, or what follows it, leave only a part of what it names."""
    lemmas = set(map(lemma, free))
    before = any(m not in _FREE and lemma(m) not in lemmas for m in modifiers)
    return before or not _TAIL.match(" ".join(tail))


def noun_phrase(words: Words) -> tuple[Words, Words]:
    """Part words into the noun phrase that they begin with, and the rest."""
    end = next((n for n, w in enumerate(words) if w in _STOPS), len(words))
    while end > 1 and words[end - 1].endswith("ly"):  # "independently"
        end -= 1
    return words[:end], words[end:]


def ends(words: Words) -> bool:
    """Whether a noun phrase is over where *words* begin."""
    return not words or words[0] in _STOPS


def stops(word: str) -> bool:
    """Whether a word is no part of a noun phrase."""
    return word in _STOPS


def auxiliary(word: str) -> bool:
    """Whether a word is a form of to be or of a verb beside another."""
    return word in _AUXILIARIES


def lemma(word: str) -> str:
    """Return the singular of a noun, as far as its ending tells it."""
    if len(word) < 4 or word.endswith(("ss", "is")) or (word.endswith("us") and len(word) > 4):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def lemmas(phrase: str) -> Words:
    """Return the words of a noun phrase in the singular."""
    return tuple(map(lemma, phrase.split()))


def _spelt(text: str) -> str:
    """Return British spelling of the endings that other writers spell with a z."""
    text = re.sub(r"\b(\w{3,})iz(e|es|ed|ing|ation|ations)\b", r"\1is\2", text)
    return re.sub(r"\benroll(s|ment)?\b", r"enrol\1", text).replace("labeling", "labelling")
