"""Numbers in digits: 1,000, 2 million, 50k, 4 × 10⁶, 7½."""

import re
from collections.abc import Iterator, Mapping

from dr_rd.quantity.grammar import DASH, Grammar
from dr_rd.quantity.tokens import Token

_DIGITS = re.compile(
    r"""
    (?=[-+−–.\d])
    (?P<sign>(?<![\w)\]%.])[-+−]|(?<=[^\W\d]\s)–)?
    (?P<digits>
        \d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3})+(?![\d]) (?:\.\d+)?
      | \d{1,3}(?:[ ]\d{3})+(?![\d.,:/-]?\d) (?:\.\d+(?!\d))?
      | 0,\d+ | \d{1,3},\d{1,2}(?=\s?(?:years?|months?|weeks?|days?|hours?|h|kg|g|mg|cm|mm|km|kW|%|€|EUR|[Mm]illions?|[Mm]io|mn|bn|M\s(?:€|EUR))(?!\w))
      | (?<![\w.)\]])\.\d+
      | \d+(?:\.\d+)?(?:[eE][+-]?\d+(?![\w]))?
    )
    """,
    re.VERBOSE,
)

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"

_LOWERED = str.maketrans(_RAISED + "−", "0123456789--")

_EXPONENT = re.compile(
    rf"(?:\^|\*\*)?(?P<exponent>(?<=[\^*])[-−]?\d{{1,3}}|[{_RAISED}]{{1,3}})(?![\w.])"
)

_POWER = re.compile(rf"\s?[x×·*]\s?10{_EXPONENT.pattern}")
"""A power of ten, written as 10^6 or 10⁶."""

_COMMA = re.compile(r"\d{1,3},\d{1,2}")
"""A decimal comma, which is one only before a unit: "1,5 years"."""

_HALVES: Mapping[str, float] = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4}

_MIXED = re.compile(r"\s?(?P<sign>[½¼¾])|\s(?P<top>\d)/(?P<bottom>[2-9])(?![\w/])")
"""What stands after a whole number and is a part of one: "7 1/2", "5½"."""

_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?(?![\d:])")

_TAIL = re.compile(r"[^\W\d_]+[\w*.]*|\*\w+|(?:\.\d+)+\w*")

_SIGNS = frozenset("£$€¥₹₩₪₺₦")

_JOINED = re.compile(rf"[^\W\d_]*[A-Z][^\W_]*[*/{DASH}]$|[\w][.*]$|\w$|_$")


def digits_in(grammar: Grammar, text: str, taken: list[tuple[int, int]]) -> Iterator[Token]:
    """Read the digits outside of *taken*, which is in order."""
    position, skip = 0, iter([*taken, (len(text) + 1, len(text) + 1)])
    barred = next(skip)
    while match := _DIGITS.search(text, position):
        while barred[1] <= match.start():
            barred = next(skip)
        if match.end() > barred[0]:
            position = max(barred[1], position + 1)
            continue
        token, position = _digit(grammar, text, match)
        if token:
            yield token


def _digit(grammar: Grammar, text: str, match: re.Match[str]) -> tuple[Token | None, int]:
    """Read one run of digits; give the token, if it is a number, and where to go on."""
    start = match.start()
    if text[match.end() : match.end() + 1] == ":" and (time := _TIME.match(text, start)):
        value = int(time[1]) + int(time[2]) / 60
        return Token(value, time.start(), time.end(), "time", grouped=True), time.end()
    tail = _TAIL.match(text, match.end())
    if (
        start
        and text[start - 1] not in " \n("
        and _JOINED.search(text[max(0, start - 24) : start])
    ):
        return None, tail.end() if tail else match.end()
    if "." in match["digits"] and (dotted := _dotted(grammar, text, start)):
        return dotted, dotted.end
    value = _value(match["digits"]) * (-1 if match["sign"] in ("-", "−", "–") else 1)
    grouped = not match["digits"].isdigit() or bool(match["sign"])
    if not grouped and (part := _MIXED.match(text, match.end())):
        whole = Token(value + _part_of_one(part), start, part.end(), grouped=True)
        return whole, part.end()
    if powered := _powered(text, Token(value, start, match.end(), grouped=True)):
        return powered, powered.end
    if money := _of_money(grammar, text, Token(value, start, match.end(), grouped=True)):
        return money, money.end
    if not tail:
        return _multiplied(grammar, text, Token(value, start, match.end(), grouped=grouped))
    plain = Token(value, start, match.end(), grouped=True)
    if factor := _suffix(grammar, tail[0].rstrip("."), text[max(0, start - 4) : start]):
        end = tail.start() + len(tail[0].rstrip("."))
        return _scaled(plain, factor, end), end
    if tail[0].rstrip(".") in grammar.units or tail[0] == "x":
        return plain, match.end()
    return None, tail.end()


def _part_of_one(match: re.Match[str]) -> float:
    if match["sign"]:
        return _HALVES[match["sign"]]
    return int(match["top"]) / int(match["bottom"])


_DOTTED = re.compile(r"(\d{1,3}(?:\.\d{3})+)(?:,\d{2})?(?![\d.,]*\d)")


def _dotted(grammar: Grammar, text: str, start: int) -> Token | None:
    """Read the points of "EUR 135.000" as separators; only money is written so."""
    match = _DOTTED.match(text, start)
    if not match:
        return None
    money = grammar.money_before.search(text[max(0, start - 6) : start])
    if not money and not grammar.money_after.match(text, match.end()):
        return None
    return Token(float(match[1].replace(".", "")), start, match.end(), grouped=True)


def _of_money(grammar: Grammar, text: str, token: Token) -> Token | None:
    """Take in the thousands or millions of a sum: "40 kEUR", "USD 1.5 m"."""
    found = grammar.thousands.match(text, token.end)
    if not found and grammar.money_before.search(text[max(0, token.start - 6) : token.start]):
        found = grammar.millions.match(text, token.end)
    return _scaled(token, grammar.spaced[found["name"]], found.end()) if found else None


def _suffix(grammar: Grammar, tail: str, before: str) -> float | None:
    """The factor that a suffix stands for; m is a million only after a currency."""
    coin = before[-1:] in _SIGNS or before.strip() in grammar.currencies
    return 1e6 if tail == "m" and coin else grammar.suffixes.get(tail)


_GREATEST = 1e30

_HIGHEST = 30  # the power of ten of it
"""Larger figures are slips of the keyboard; they stay finite so that they can be compared."""


def _value(digits: str) -> float:
    if digits.startswith("0,") or _COMMA.fullmatch(digits):
        return float(digits.replace(",", "."))
    return min(float(re.sub(r"[,'’\s]", "", digits)), _GREATEST)


def _powered(text: str, token: Token) -> Token | None:
    """Take in a power of ten: "2 × 10^6", "10⁶"."""
    if power := _POWER.match(text, token.end):
        base = token
    elif token.value == 10 and (power := _EXPONENT.match(text, token.end)):
        base = token._replace(value=1.0)
    else:
        return None
    exponent = int(power["exponent"].translate(_LOWERED).strip("-") or 0)
    sign = -1 if power["exponent"][0] in "⁻-−" else 1
    return _scaled(base, 10.0 ** (sign * min(exponent, _HIGHEST)), power.end())


def _multiplied(grammar: Grammar, text: str, token: Token) -> tuple[Token, int]:
    """Take in a multiplier that follows: "2 million"."""
    match = grammar.multiplier.match(text, token.end)
    if not match:
        return token, token.end
    return _scaled(token, grammar.multipliers[match[0][1:]], match.end()), match.end()


def _scaled(token: Token, factor: float, end: int) -> Token:
    return token._replace(value=token.value * factor, factor=factor, end=end, grouped=True)
