"""What a sentence affirms, word by word."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from dr_rd.text.attribution import (
    CONTRAST,
    DONE,
    DROPPED,
    NAMED,
    WILL,
    adds,
    elsewhere,
    figured,
    intended,
    of_the_world,
    tells,
)
from dr_rd.text.clauses import ADVERB, FEW, GAP
from dr_rd.text.cues import Cue
from dr_rd.text.lexicon import Word, cued, lexicon
from dr_rd.text.negation import KEPT_IN, RESERVED, denials_of
from dr_rd.text.stems import WORD

Stance = Literal["affirmed", "perhaps", "denied", "told"]
_FOR = re.compile(
    r"(?:(?!\b(?:by|using)\b)[^;:])*?\b(?:for|because|as|since|owing|due|who)\b", re.IGNORECASE
)
"""After "is excluded" it says whom or why."""
_WHICH_ONES = re.compile(
    r",\s(?P<which>which|whom)\s(?P<who>we|they|others|some|many|most|authors)\s(?:\w+\s)?$",
    re.IGNORECASE,
)
"""Before a verb it says that those just named are what something is done to."""
_WHO = frozenset({"who", "which", "that"})
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_EITHER_ONE = re.compile(
    r"either\s(?:sides?|groups?|arms?|sections?|methods?|schedules?|case|way)\b", re.I
)
_EVER_NOT = re.compile(r"\b(?:not|never|nor|no|nothing|none)\b", re.IGNORECASE)
_NEVER = re.compile(r"\s(?:not|never)\b", re.IGNORECASE)
_INQUIRY = re.compile(
    r"\b(?:tests?|ask|asks|examines?|investigates?|stud(?:y|ies)|explores?|assess(?:es)?|analy[sz]es?|estimates?|look at|see|find out|tell|tells|know|learn|check|checks)\s$",
    re.IGNORECASE,
)
"""Before "whether" it says that the matter is looked into, not that it is open."""
_WOULD = Cue(["d"], r"\b(?:it|that|this)[’']d\b(?!\s(?:better|been)\b)")
_TURN = re.compile(r"\b(?:but|however|yet|instead|whereas|while)\b|;", re.IGNORECASE)
_LEFT = Cue(
    "leave leaves leaving left put set setting turn turned turns".split(),
    r"\b(?:leav(?:e|es|ing)|left|put|set|setting)\s(?:[^\s,;.]+\s){1,5}(?:aside|out|alone|to others|shut|closed|unread|unopened|untouched|unused|as (?:it is|they are))\b"
    r"|\bturn(?:ed|s)?\s(?:it|them|this|that|these|the\s\w+)\sdown\b",
)
_CONCESSION = re.compile(r"^(?:although|though|while|even though|whilst)\s", re.IGNORECASE)
_CONCEDED = Cue(
    "although though while even whilst".split(),
    r"^(?:although|though|while|even though|whilst)\s([^,;]+),[^,;]*\b(?:not|no|none|never|n[’']t)\b[^,;]*?\b(?:it|them|any|these|this|so|one)\b",
)
_FREE = Cue(["free"], r"\b\w+(?=-(?-i:free)\b)")
_ONE_ONLY = Cue(
    "only sole single one".split(),
    r"\bthe\s(?:only|sole|single|one)\s(?!other)(?:(?!(?:is|are|will|that|which|we)\b)[\w-]+\s?){1,3}",
)
"""What is the only one of its kind names the kind, not another of it."""
_UNUSED = Cue(
    ["not", "never"],
    r"\b(?:that|which|who)\s(?:(?:is|are|was|were)\s(?:not|never)|(?:we|the\sstudy|the\strial|this\sstudy|nobody)\s(?:(?:do|does|did|will)\s(?:not|never)|never))"
    r"\s(?:be\s)?(?:opened|open|used?|touch(?:ed)?|read|consult(?:ed)?|analy[sz]ed?|need(?:ed)?|link(?:ed)?|enter(?:ed)?|request(?:ed)?|includ(?:e|ed)|see|seen|considered?)\b",
)
_LISTED_NONE = re.compile(r"[^:.;]{2,80}:\s(?:none|nil|no|not)\b", re.IGNORECASE)
_CONDITION = Cue(
    "if unless case event provided should were".split(),
    r"\b(?:if|unless|in case(?!\sof)|in the event that|provided that)\b"
    r"(?:\s[^\s,;:]+){2,30}?(?=[,;:.]|\s(?:then|we|they)\b|$)"
    r"|^(?:should|were)\s(?:\w+\s){1,8}?\w+(?=,)",
)
_DEFINED = re.compile(
    r"\b(?:success\w*|counts?|counted|scored|recorded|noted|diagnosed|declared|defined|deemed|considered|classed|eligible)\b[^.;]{0,40}$"
    r"|\b(?:is|are)\s\w+(?<!ed)\s$",
    re.IGNORECASE,
)
_BUT_NO = re.compile(r"\w+\s(?:no|not|nobody|none)\b", re.IGNORECASE)
_WHY = re.compile(r"(?:because|since|as|for)\b", re.IGNORECASE)
_HENCE = re.compile(
    r"so\s(?!that|as)|which\s(?:is\swhy|would|could|means|makes|rules|leads|forces)\b",
    re.IGNORECASE,
)
_INNER = re.compile(
    r"\b(?:if|whether|how|why|because|since|lest|so that|to (?:see|tell|find out|know|learn|check|test))\b",
    re.IGNORECASE,
)
"""What leads a clause inside of another, which says nothing of the outer one."""
_LED = re.compile(r"\b(?:where|wherever|when|whenever|if|unless|what|as long as)\b", re.IGNORECASE)
"""What leads a clause that may be denied by itself: "fly where nobody can walk"."""
_CITED = re.compile(r"\((?:19|20)\d\d[a-z]?\)|\b[A-Z]\w+,? (?:19|20)\d\d\)")
_QUOTED = re.compile(r"[“\"«](?:[^“”\"«»\s]+\s+){2,40}[^“”\"«»]*[”\"»]")
_BUT_IT = re.compile(
    r"(?:but|yet|however)\s(?:it|they|its|their|these|this|that|none\sof|(?:stays?|remains?|is|are|does|do)\b)",
    re.IGNORECASE,
)
_WHICH = re.compile(r"which\b", re.IGNORECASE)
_WHICH_WE = re.compile(r"which\s(?:we|this study|the study|are|were)\s", re.IGNORECASE)
_OTHERS_DO = re.compile(r"which\s(?:they|others|some|many|most|authors)\s", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|those|their|its|such)\b", re.IGNORECASE)
_SUBJECT = 3
"""Words at the beginning of a clause that may be its subject: "so their share is not read"."""
_NO_VERB = re.compile(
    r"\b(?:a|an|the|of|in|on|and|or|by|with|for|to|per|its|their|our|no|any|each)\s$",
    re.IGNORECASE,
)
"""What stands before a noun, or an infinitive."""
_NAMING = re.compile(
    r"\s(?:also\s)?(?:part|among|in\sthe|the|our|used|a\ssecond|one\sof|included)\b", re.IGNORECASE
)
"""After "is" it says that a thing is part of the work."""


def stances_of(
    body: str, start: int, words: Sequence[Word], clauses: Sequence[int]
) -> tuple[Stance, ...]:
    """Say for each word whether its clause affirms it."""
    if not words:
        return ()
    others = elsewhere(body)
    if body.rstrip().endswith("?") or _CITED.search(body) or others == 0:
        return _all("told", words)
    marks = _Marks(body, start, words, clauses)
    marks.doubt()
    marks.imagine()
    marks.deny()
    marks.set_aside()
    if others:
        marks.mark(marks.at(others), len(words), "told")
    return tuple(marks.stances)


@dataclass(frozen=True, slots=True)
class _Marks:
    """The stances of one sentence, marked word by word."""

    body: str
    start: int
    words: Sequence[Word]
    clauses: Sequence[int]
    stances: list[Stance] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stances", ["affirmed"] * len(self.words))

    def at(self, position: int) -> int:
        """The number of the word that ends after *position* of the body."""
        found = bisect_right(self.words, position + self.start, key=lambda w: w.end)
        return min(found, len(self.words) - 1)

    def clause(self, n: int) -> tuple[int, int]:
        """The first and the last word but one of the clause that holds word *n*."""
        number = self.clauses[n]
        return bisect_left(self.clauses, number), bisect_right(self.clauses, number)

    def within(self, begin: int, at: int) -> int:
        """Where the clause inside the clause begins that holds word *at*: "to see if it may …"."""
        first = self.words[begin].start - self.start
        inner = [
            m.start() for m in _INNER.finditer(self.body, first, self.words[at].end - self.start)
        ]
        return self.at(inner[-1]) if inner else begin

    def said(self, span: tuple[int, int]) -> str:
        """The text of the words from one to another."""
        first, last = self.words[span[0]], self.words[span[1] - 1]
        return self.body[first.start - self.start : last.end - self.start]

    def mark(self, first: int, last: int, stance: Stance) -> None:
        """Give the words from *first* up to *last* a stance."""
        self.stances[first:last] = [stance] * (last - first)

    def doubt(self) -> None:
        """Mark what may be, and what was thought of."""
        for match in lexicon().cues["maybe"].finditer(self.body):
            begin, end = self.clause(at := self.at(match.start()))
            if (
                match[0] == "May"
                or _EITHER_ONE.match(self.body, match.start())
                or _NEVER.match(self.body, match.end())
                or WILL.search(self.said((begin, end)))
            ):
                continue
            if match[0].lower() == "whether" and _INQUIRY.search(self.body, 0, match.start()):
                continue  # what is tested is part of the work
            self.mark(self.within(begin, at), end, "perhaps")
        for match in lexicon().cues["weighed"].finditer(self.body):
            span = self.clause(self.at(match.start()))
            turned = span[1] < len(self.words) and _TURN.search(self.body, match.end())
            refused = turned or cued("whole", self.said(span))
            self.mark(*span, "denied" if refused else "perhaps")

    def imagine(self) -> None:
        """Mark the clauses that say what would be."""
        for match in (*lexicon().cues["unreal"].finditer(self.body), *_WOULD.finditer(self.body)):
            begin, end = self.clause(at := self.at(match.start()))
            self.mark(self.within(begin, at), end, "told")

        for match in lexicon().cues["outsiders"].finditer(self.body):
            begin, end = self.clause(at := self.at(match.start()))
            if all(w.stop for w in self.words[begin:at]) and not intended(
                self.said((begin, at + 1))
            ):
                self.mark(begin, end, "told")

    def deny(self) -> None:
        """Mark what is negated."""
        for first, last, whole in denials_of(self.body):
            at = self.at(first)
            begin, end = self.clause(at)
            begin = max(self.scope(begin, at), self.led(begin, at)) if whole else at
            end = self.ceded(at, end)
            for n in range(begin, end):
                if whole or self.words[n].start < last + self.start:
                    self.stances[n] = "denied"
        self.drop()
        for match in _CONCEDED.finditer(self.body):
            self.mark(*self.clause(self.at(match.start(1))), "told")
        for match in _ONE_ONLY.finditer(self.body):
            self.mark(self.at(match.start()), self.at(match.end() - 1) + 1, "told")
        for match in _FREE.finditer(self.body):
            self.stances[self.at(match.start())] = "denied"

    def drop(self) -> None:
        """Mark what is removed, left aside, or not used."""
        kept = [m.span() for cue in (KEPT_IN, RESERVED) for m in cue.finditer(self.body)]
        for match in lexicon().cues["gone"].finditer(self.body):
            if not any(a < match.end() and match.start() < b for a, b in kept):
                self.mark(*self.removed(match), "denied")
        for match in _LEFT.finditer(self.body):
            self.mark(*self.clause(self.at(match.start())), "denied")
        for match in _UNUSED.finditer(self.body):
            self.mark(
                self.clause(self.at(match.start()))[0], self.at(match.end() - 1) + 1, "denied"
            )
        if none := _LISTED_NONE.match(self.body):
            self.mark(0, self.at(none.end()), "denied")

    def removed(self, match: re.Match[str]) -> tuple[int, int]:
        """The words that tell what is removed: before a passive, else behind the verb."""
        begin, end = self.clause(at := self.at(match.start()))
        if which := _WHICH_ONES.search(self.body, 0, match.start()):
            return self.meant(begin, which)
        begin = self.led(begin, at)
        verbs = self.said((begin, at)).lower().split() if at > begin else []
        if not _BE.intersection(verbs) or verbs[-1] == "to":
            return at, end
        return begin, at if not _FOR.match(self.body, match.end()) else end

    def meant(self, begin: int, which: re.Match[str]) -> tuple[int, int]:
        """The words that a relative clause is about, if this study does what it says: ", which we drop"."""
        at = self.at(which.start("which"))
        if which["who"].lower() != "we":
            return at, at
        comma = self.body.rfind(",", 0, which.start()) + 1
        return max(begin, self.at(comma)), at

    def led(self, begin: int, at: int) -> int:
        """Where the clause begins that an inner word leads, and that holds the negation *at*."""
        if at > begin and self.said((at - 1, at)).lower() in _WHO:
            return at
        first, last = (self.words[n].start - self.start for n in (begin, at))
        inner = [m.start() for m in _LED.finditer(self.body, first, last)]
        return self.at(inner[-1]) if inner and "," not in self.body[inner[-1] : last] else begin

    def ceded(self, at: int, end: int) -> int:
        """Where what is denied *at* ends: what it gives way to is not denied."""
        first, last = self.words[at].end - self.start, self.words[end - 1].end - self.start
        way = next(
            (m for m in lexicon().cues["ceding"].finditer(self.body) if first <= m.start() < last),
            None,
        )
        return self.at(way.start()) if way else end

    def scope(self, begin: int, at: int) -> int:
        """Where a negation of a verb begins: at "and" if the verb has an object of its own."""
        lower = [w.lower() for w in WORD.findall(self.said((begin, at + 1)))]
        n = len(lower) - 1
        while n > 0 and (lower[n - 1] in lexicon().auxiliaries or ADVERB.fullmatch(lower[n - 1])):
            n -= 1
        if n <= 1 or lower[n - 1] != "and":
            return begin
        left = [w for w in self.words[at + 1 : self.clause(at)[1]] if not w.stop]
        passive = _BE.intersection(lower[n:]) and len(left) <= FEW
        return begin if passive or not left else begin + n

    def set_aside(self) -> None:
        """Mark conditions, quotations, and what is said of the world before "but we"."""
        for pattern in (_QUOTED, _CONDITION):
            for match in pattern.finditer(self.body):
                if pattern is _CONDITION and _DEFINED.search(self.body, 0, match.start()):
                    continue  # "is a success if" says what is meant, not what may come
                inside = [n for n, w in enumerate(self.words)
                          if match.start() <= w.start - self.start < match.end()]  # fmt: skip
                self.mark(inside[0], inside[-1] + 1, "told") if inside else None
        self.concede()
        starts = [n for n, c in enumerate(self.clauses) if not n or c != self.clauses[n - 1]]
        spans = list(pairwise([*starts, len(self.clauses)]))
        for before, after in pairwise(spans):
            self.compare(before, after)
        for n, span in enumerate(spans):
            self.resume(spans[max(0, n - 1) : n + 1])
            self.state(span)

    def concede(self) -> None:
        """Mark what stands before the comma of "although …, we …"."""
        if _CONCESSION.match(self.body) and (comma := self.body.find(",")) > 0:
            span = (0, self.at(comma) if comma < len(self.body) else len(self.words))
            if span[1] and not intended(self.said(span)):
                self.mark(*span, "told")

    def compare(self, before: tuple[int, int], after: tuple[int, int]) -> None:
        """Mark a clause by what the next one says of it, or sets against it."""
        said = self.said(before)
        if self.taken_back(before, after):
            self.mark(*self.antecedent(before, after), "denied")
        elif NAMED.search(self.said(after)) and not (intended(said) or DONE.search(said)):
            self.mark(*before, "told")
        elif self.excused(before, after):
            self.weaken(after, "told")
        elif of_the_world(said, self.said(after), parted=self.parted(after[0])):
            self.mark(*before, "told")
        elif self.set_against(before, after):
            held = cued("stative", said)
            doubted = "perhaps" in self.stances[slice(*before)]
            self.weaken(before, "told" if held or doubted else "perhaps")

    def antecedent(self, before: tuple[int, int], after: tuple[int, int]) -> tuple[int, int]:
        """The words that ", which we drop" is about: those since the comma before, if there is one."""
        first, last = (self.words[n].start - self.start for n in (before[0], after[0]))
        said = self.body[first:last].rstrip(", ")
        if not _WHICH_WE.match(self.said(after)) or "," not in said:
            return before
        return self.at(first + said.rindex(",")), before[1]

    def resume(self, spans: Sequence[tuple[int, int]]) -> None:
        """Affirm what was turned down and is done all the same, in a clause and the one before it."""
        said = self.said(spans[-1])
        if cued("resumed", said) and not _EVER_NOT.search(said):
            for span in spans:
                self.stances[slice(*span)] = [
                    "affirmed" if s == "denied" else s for s in self.stances[slice(*span)]
                ]

    def excused(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """Whether a clause only says why what stands before it is not done."""
        said = self.said(after)
        refused = all(s == "denied" for s in self.stances[slice(*before)])
        reason = _WHY.match(said) or (":" in self.between(after[0]) and _PRONOUN.match(said))
        told = intended(said) or DONE.search(said) or cued("sole", said)
        return refused and bool(reason) and not told

    def between(self, n: int) -> str:
        """What stands before word *n* and after the one before it."""
        return self.body[self.words[n - 1].end - self.start : self.words[n].start - self.start]

    def parted(self, n: int) -> bool:
        """Whether a semicolon or a dash stands before word *n*."""
        between = self.between(n)
        return bool(GAP.search(between)) and ":" not in between

    def set_against(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """Whether one clause says how things are, and the next one sets another against it."""
        said, then = self.said(before), self.said(after)
        but = CONTRAST.match(then) and not (_BUT_IT.match(then) or _BUT_NO.match(then))
        turned = self.parted(after[0]) or bool(_HENCE.match(then)) or bool(but)
        plain = not (intended(said) or adds(said) or DONE.search(said))
        plain = plain and not figured(said)
        return turned and plain and tells(said) and tells(then)

    def weaken(self, span: tuple[int, int], stance: Stance) -> None:
        """Give the words of a span that are not denied a lower stance."""
        self.stances[slice(*span)] = [
            stance if s in ("affirmed", "perhaps") else s for s in self.stances[slice(*span)]
        ]

    def taken_back(self, before: tuple[int, int], after: tuple[int, int]) -> bool:
        """Whether a clause says of what another one names that it is not so."""
        denied = self.stances[after[0] : after[1]].count("denied")
        plain = "denied" not in self.stances[before[0] : before[1]]
        said = self.said(after)
        if _OTHERS_DO.match(said):
            return False
        if plain and DROPPED.search(said):
            return True
        if not plain or not denied or intended(self.said(before)):
            return False
        if _BUT_IT.match(said) or (_WHICH.match(said) and cued("whole", said)):
            return True
        return self.refers(after) and not DONE.search(self.said(before))

    def refers(self, span: tuple[int, int]) -> bool:
        """Whether a clause is about what a pronoun means, or denies it: "is their union with no overlap" is not."""
        first = span[0] + _SUBJECT
        said = (w for n, w in enumerate(self.words[slice(*span)], span[0])
                if n < first or self.stances[n] == "denied")  # fmt: skip
        return any(
            _PRONOUN.fullmatch(self.body, w.start - self.start, w.end - self.start) for w in said
        )

    def state(self, span: tuple[int, int]) -> None:
        """Mark the subject of a clause that says how a thing is, not what is done with it."""
        said = self.said(span)
        states = lexicon().cues["stative"].finditer(said)
        found = next(
            (m for m in states if not (_NAMING.match(said, m.end()) or _noun(said, m))), None
        )
        if not found or intended(said) or DONE.search(said) or adds(said):
            return
        begins = self.words[span[0]].start
        if re.search(r"\d", said[: found.start()]):
            return  # a figure is told by such clauses
        last = next(
            (n for n in range(*span) if self.words[n].start - begins >= found.start()), span[1]
        )
        self.stances[span[0] : last] = [
            "perhaps" if s == "affirmed" else s for s in self.stances[span[0] : last]
        ]


def _noun(said: str, match: re.Match[str]) -> bool:
    """Whether what may be a verb is a noun, "the cost of", an infinitive, or a month."""
    return match[0] == "May" or bool(_NO_VERB.search(said, 0, match.start()))


def _all(stance: Stance, words: Sequence[Word]) -> tuple[Stance, ...]:
    return (stance,) * len(words)
