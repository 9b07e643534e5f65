"""How often something is read: "hourly", "every 15 minutes", "24 readings a day"."""

import re
from collections.abc import Iterator
from functools import cache

from dr_rd.quantity import Quantity, spelled

INTERVAL = "time between readings"
"""The noun of a length of time from one reading to the next."""

_MINUTES = {"second": 1 / 60, "minute": 1, "hour": 60, "day": 1440, "week": 10080, "month": 43800, "quarter": 131400,
            "year": 525600}  # fmt: skip
_WORDS = {"half-hourly": 30, "quarter-hourly": 15, "hourly": 60, "daily": 1440, "weekly": 10080, "monthly": 43800,
          "quarterly": 131400, "annual": 525600, "yearly": 525600}  # fmt: skip
_READ = r"(?:data|readings?|reads|values?|totals?|sums?|resolution|records?|averages?|means?|intervals?|figures|consumption|loads?|profiles?|blocks?|steps?|granularity|use|usage|aggregates?)"
_UNIT = r"(?P<unit>second|minute|hour|day|week|month|quarter|year)"


@cache
def _often() -> re.Pattern[str]:
    many = "|".join([r"\d+", *sorted(spelled(), reverse=True)])
    return re.compile(
        rf"\b(?P<word>(?:half-|quarter-)?hourly|daily|weekly|monthly|quarterly|annual|yearly)\s(?:[\w-]+\s){{0,2}}?{_READ}\b"
        rf"|\b{_READ},?\s(?:[\w-]+\s){{0,2}}?(?P<after>(?:half-|quarter-)?hourly|daily|weekly|monthly|quarterly|yearly)\b"
        rf"|\b(?:once|one\s{_READ})\s(?:an?|per|each|every)\s(?P<once>second|minute|hour|day|week|month|quarter|year)\b"
        r"|\b(?P<short>quarter|half)(?:-hour\b|\s(?:of\s)?an\shour\b)"
        rf"|\b(?:every|at)\s(?!quarter\sof)(?:(?P<every>{many})[\s-])?{_UNIT}s?(?:\sintervals?)?\b"
        rf"|\b(?P<each>{many})-(?P<size>second|minute|hour|day|week|month)\s(?:[\w-]+\s){{0,2}}?{_READ}\b"
        rf"|\b(?P<many>{many})\s(?:[\w-]+\s)?{_READ}\s(?:an?|per|each|every)\s(?P<over>minute|hour|day|week|month|year)\b",
        re.IGNORECASE,
    )


def intervals(text: str) -> Iterator[Quantity]:
    """Return how far apart the readings are that *text* tells of, in minutes."""
    for match in _often().finditer(text):
        if minutes := _minutes(match):
            yield Quantity(
                comparison="stated",
                low=minutes,
                high=minutes,
                unit="minute",
                noun=INTERVAL,
                text=match[0],
                start=match.start(),
                end=match.end(),
            )


def _minutes(match: re.Match[str]) -> float:
    """The minutes from one reading to the next; 0 where the words tell none."""
    if word := match["word"] or match["after"]:
        return _WORDS[word.lower()]
    if match["short"]:
        return 15.0 if match["short"].lower() == "quarter" else 30.0
    if match["once"]:
        return _MINUTES[match["once"].lower()]
    if match["unit"]:
        return (_number(match["every"]) if match["every"] else 1.0) * _MINUTES[
            match["unit"].lower()
        ]
    if match["size"]:
        return _number(match["each"]) * _MINUTES[match["size"].lower()]
    many = _number(match["many"])
    return _MINUTES[match["over"].lower()] / many if many else 0.0


def _number(said: str) -> float:
    return float(said) if said.isdigit() else spelled().get(said.lower(), 0.0)
