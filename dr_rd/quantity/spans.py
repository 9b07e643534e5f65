"""One number, or the two ends of a range, with what stands about it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dr_rd.quantity.comparing import leading, trailing
from dr_rd.quantity.grammar import DASH, TIMES, Grammar
from dr_rd.quantity.naming import coin_before, noun_after, noun_before, unit_at
from dr_rd.quantity.tokens import Token
from dr_rd.quantity.values import DATE, YEAR, Comparison, Quantity

_REACH = 60  # how far left of a number its comparison and its noun are looked for

_SENTENCE = re.compile(
    r".*(?:[;:!?()\n]|(?<!\bmax)(?<![^\W\d]\smin)(?<!\Amin)(?<!\bca)(?<!\bapprox)\.\s)",
    re.DOTALL | re.IGNORECASE,
)

_AND_A_PART = re.compile(
    r"\s+and\s+(a\s+half|a\s+quarter|three\s+quarters)(?![\w-])", re.IGNORECASE
)
"""What is told after a unit and is a part of it: "a year and a half"."""
_PARTS: Mapping[str, float] = {"half": 0.5, "quarter": 0.25, "quarters": 0.75}

_DASHED = re.compile(rf"(?:(?!\n)\s)?[{DASH}](?:(?!\n)\s)?")

_TO = re.compile(r"\s+to\s+|\s+through\s+")

_AND = re.compile(r"\s+and\s+")

_TOLERANCE = re.compile(r"\s?(?:\+/[-−]|±|\+-)\s?$")

_BETWEEN = re.compile(r"(?:between|from)\s+$", re.IGNORECASE)

_AGED = re.compile(r"\bage[ds]?(?:\s+of)?\s*$", re.IGNORECASE)

_BETWEEN_AGES = re.compile(
    r"\b(?:people|adults|adolescents|children|workers|persons|pupils|volunteers|men|women|students|patients|those|everyone|everybody|anyone"
    r"|participants)\s+(?:who\s+are\s+|are\s+)?(?:between|from|over|under|above|below|older\s+than|younger\s+than|up\s+to)\s+$",
    re.IGNORECASE,
)

_MINUS = re.compile(r"(?<![\d%)]\s)\bminus\s$", re.IGNORECASE)
"""A sign in a word: "minus 20 degrees"; after a figure it takes away."""

_OLD = re.compile(r"\s+(?:of\s+age|old)\b")

_OVER = re.compile(r"\bover\s+(?:(?:the|an?)\s+)?$", re.IGNORECASE)

_YEAR_LEAD = re.compile(
    r"\b(?:in|since|the|from|by|until|during|years?|and|of|after|before|mid|early|late|to)\W*$",
    re.IGNORECASE,
)

_EARLIEST = 1400

_OLDEST = 120

_ERA = re.compile(
    r"\b(?:period|years?|from|between|covers?|window|in|spans?|is)\W*$", re.IGNORECASE
)

_POINT = re.compile(r"[1-9]\d{0,2}\.\d{3}")

_FOLLOWED = re.compile(r"\s+[^\W\d_]|\s?[%£$€¥₹₩₪₺₦]")


def left_of(text: str, position: int) -> str:
    """What stands before *position*, in reach and in the same line and sentence."""
    before = text[max(0, position - _REACH) : position]
    ended = _SENTENCE.match(before)
    return before[ended.end() :] if ended else before


@dataclass(frozen=True, slots=True)
class Span:
    """One number, or the two ends of a range, in its text."""

    grammar: Grammar
    text: str
    left: str
    """The text before, in reach and in the same line and sentence."""
    first: Token
    last: Token | None = None

    @property
    def end(self) -> int:
        """Where the digits end."""
        return (self.last or self.first).end

    def joins(self, other: Token) -> bool:
        """Whether *other* is the far end of a range, or a tolerance."""
        kinds = {self.first.kind, other.kind}
        if other.start - self.first.end > 24 or kinds & {"ordinal", "single"}:
            return False
        gap = self.text[self.first.end : other.start]
        if (unit := unit_at(self.grammar, self.text, self.first.end)) and unit[1] <= other.start:
            gap = self.text[unit[1] : other.start]
        gap = gap.removesuffix(coin_before(self.grammar, gap))
        if self._worded(gap):
            return other.value >= self.first.value
        if self.text[other.start] in "-−–+" and other.kind == "digits":
            gap += self.text[other.start]
        ordered = abs(other.value) >= abs(self.first.value)
        return bool(_TOLERANCE.fullmatch(gap) or (ordered and _DASHED.fullmatch(gap)))

    def takes_in(self, other: Token) -> bool:
        """Whether *other* is the part that is told after the unit: "a year and three quarters"."""
        if other.kind != "whole":
            return False
        unit, after = self._unit()
        return other.start < self._and_a_part(unit, after)[1]

    def _worded(self, gap: str) -> bool:
        """Whether words stand between the ends of a range, so that a sign is the second one's."""
        left = self.left.removesuffix(coin_before(self.grammar, self.left))
        between = _AND.fullmatch(gap) and _BETWEEN.search(left)
        return bool(between or _TO.fullmatch(gap))

    def quantity(self) -> Quantity:
        """Read the surroundings."""
        year = self._is_year()
        unit, after = ("", self.end) if year else self._unit()
        more, after = self._and_a_part(unit, after)
        comparison, cue, passed = self._comparison(unit, after)
        noun, end = (YEAR, after) if year else self._noun(unit, passed)
        if not noun:
            end = after
            noun = self._left_noun(cue)
        if comparison == "stated" and not year:
            comparison = self._trailing(unit, end) or comparison
        if comparison == "more_than" and self._lasts(unit, noun):
            comparison = "stated"
        if self._is_age(unit, noun, after, passed):
            unit, noun = "year", "age"
        low, high, comparison = self._bounds(comparison, more)
        if _MINUS.search(self.left):
            low, high = (None if v is None else -v for v in (high, low))
        if not unit and noun and end > after and self._pointed(noun):
            low, high = (v and round(1000 * v) for v in (low, high))
        start = self.first.start - cue
        shown = self.text[start:end].rstrip()
        return Quantity(
            comparison=comparison,
            low=low,
            high=high,
            unit=unit,
            noun=noun,
            text=shown,
            start=start,
            end=start + len(shown),
        )

    def _is_age(self, unit: str, noun: str, after: int, passed: int) -> bool:
        """Whether it is how old someone or something is; *after* and *passed* are where its unit and its comparison end."""
        if _AGED.search(self.left) or noun == "years of age":
            return True
        if unit == "year" and (
            _OLD.match(self.text, after) or noun.split()[:1] in (["old"], ["olds"])
        ):
            return True
        bare = not unit and noun != YEAR and not self._noun("", passed)[0]
        return bare and self.first.value < _OLDEST and bool(_BETWEEN_AGES.search(self.left))

    def _lasts(self, unit: str, noun: str) -> bool:
        """Whether "over" means "in the course of": "over 12 months"."""
        over = _OVER.search(self.left)
        return bool(over) and bool(TIMES.search(f"{unit} {noun}"))

    def _and_a_part(self, unit: str, after: int) -> tuple[float, int]:
        """What part of a unit is told after it, and where that ends."""
        found = _AND_A_PART.match(self.text, after) if unit and self.last is None else None
        return (_PARTS[found[1].split()[1].lower()], found.end()) if found else (0.0, after)

    def _bounds(
        self, comparison: Comparison, more: float
    ) -> tuple[float | None, float | None, Comparison]:
        value = self.first.value + more
        if self.last is None and self.first.latest and comparison == "stated":
            return value, self.first.latest, comparison
        if self.last is None:
            low = None if comparison in ("at_most", "less_than") else value
            high = None if comparison in ("at_least", "more_than") else value
            if comparison == "at_most" and self.first.latest:
                high = self.first.latest  # "no later than June 2027" is by its end
            return low, high, comparison
        gap = self.text[self.first.end : self.last.start + 1]
        signed = bool(re.search(r"\s(?:and|to|through)\s", gap))
        other = self.last.latest or (self.last.value if signed else abs(self.last.value))
        if "±" in gap or ("+" in gap and not signed):
            return value - other, value + other, "about"
        factor = self.last.factor if self.first.factor == 1 else 1
        low = value * factor if value * factor <= other else value
        if comparison in ("at_least", "more_than"):
            return low, None, comparison
        return (
            (None, other, comparison)
            if comparison in ("at_most", "less_than")
            else (low, other, "between")
        )

    def _unit(self) -> tuple[str, int]:
        """The unit, and where the text after it starts."""
        if self.first.kind in ("date", "time", "ordinal", "single"):
            return "", self.end
        if found := coin_before(self.grammar, self.left):
            return self.grammar.currencies[found.strip()], self.end
        if after := self.grammar.money_after.match(self.text, self.end):
            return self.grammar.currencies[after["unit"]], after.end()
        return unit_at(self.grammar, self.text, self.end) or ("", self.end)

    def _noun(self, unit: str, position: int) -> tuple[str, int]:
        """The noun phrase right after the number, and where it ends."""
        if self.first.kind == "date":
            return DATE, position
        return noun_after(self.grammar, self.text, position, unit=unit)

    def _left_noun(self, cue: int) -> str:
        """The noun phrase before the comparison, which is *cue* characters long."""
        shown = max(cue, len(coin_before(self.grammar, self.left)))
        return noun_before(self.grammar, self.left[: len(self.left) - shown])

    def _comparison(self, unit: str, after: int) -> tuple[Comparison, int, int]:
        """How the number is bounded, how far left that is said, and where the noun may start."""
        shown = len(coin_before(self.grammar, self.left)) if unit else 0
        dated = self.first.kind == "date" or self._is_year()
        if before := leading(self.grammar, self.left[: len(self.left) - shown], dated=dated):
            return before[0], before[1] + shown, after
        if behind := trailing(self.grammar, self.text, after, unit):
            return behind[0], shown, behind[1]
        kinds: dict[str, Comparison] = {"ordinal": "at_least", "single": "exactly"}
        return kinds.get(self.first.kind, "stated"), shown, after

    def _trailing(self, unit: str, position: int) -> Comparison | None:
        found = trailing(self.grammar, self.text, position, unit)
        return found[0] if found else None

    def _is_year(self) -> bool:
        """Whether the number is a calendar year."""
        if not _EARLIEST <= self.first.value <= 2100 or not self._plain(self.first):
            return False
        if self.first.value < 1900 and not (self.last and _ERA.search(self.left)):
            return False
        if self.last:
            return self._plain(self.last) and self.last.value <= 2100
        if _YEAR_LEAD.search(self.left[-10:]):
            return True
        return not _FOLLOWED.match(self.text, self.end) and not coin_before(
            self.grammar, self.left
        )

    def _pointed(self, noun: str) -> bool:
        """Whether a point parts the thousands: "1.900 firms" are no fraction of firms."""
        said = self.text[self.first.start : self.first.end]
        counted = noun.split()[-1].lower()
        return bool(_POINT.fullmatch(said)) and counted.endswith("s") and counted != "times"

    def _plain(self, token: Token) -> bool:
        return token.kind == "digits" and not token.grouped
