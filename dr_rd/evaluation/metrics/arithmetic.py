"""Arithmetic: equations, percentages and parts of a whole come out as the text says."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isclose

from core.scores import Score
from dr_rd.conversion import in_base_units
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.verdicts import Defect, faultless, too_short
from dr_rd.evaluation.sentences import Segment
from dr_rd.evaluation.subject import Subject
from dr_rd.evaluation.tables import Table, amounts
from dr_rd.quantity import Quantity, quantities
from dr_rd.quantity import numbers as numbers_in

_ONE = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty)"
_NUM = r"(?:[£€$]\s?)?(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.,]*\d)(?:\s?%)?"
_COUNT = rf"(?:{_NUM}|\b{_ONE}\b)"
_NOUN = r"(?:[ -][^\W\d_][\w%/°’'-]*)"
_TERM = rf"{_NUM}(?:\s?[^\W\d_µ°%][\w/°%-]*|\s?[µ°%][\w/]*){{0,1}}{_NOUN}{{0,2}}?"
_SIGN = r"\s*(?:[+*/×÷−·]|(?<=\s)[-–x](?=\s)|plus|minus|times|multiplied by|divided by)\s*"
_EQUATION = re.compile(
    rf"(?P<left>{_TERM}(?:{_SIGN}{_TERM}){{1,8}}?)\s*(?P<sign>=|equals|≈|(?:is|are|makes?|gives?|comes? to)(?=\s))\s*"
    rf"(?P<right>{_TERM})"
)
_PLUS = re.compile(rf"({_SIGN})")
_AND = re.compile(
    rf"(?P<a>{_COUNT})(?P<an>{_NOUN}{{1,3}}?)(?:,\s(?P<b>{_COUNT}){_NOUN}{{1,3}}?)?,? and (?P<c>{_COUNT})(?P<cn>{_NOUN}{{1,3}}?)"
    rf"(?:,? (?:mak(?:e|es|ing)|giv(?:e|es|ing)|total(?:s|ling)?|add(?:s|ing)? up to|com(?:e|es|ing) to|for|sum(?:s|ming)? to)"
    rf"(?: a total of)?|,? (?:a|in) total(?: of)?|, together)\s(?P<total>{_COUNT})",
    re.IGNORECASE,
)
_OF = rf"(?:\s(?:out )?of (?:the |all |these )?|\s?/\s?)(?P<whole>{_COUNT})"
_SHARE = re.compile(
    rf"(?P<part>{_COUNT}){_NOUN}{{0,2}}?{_OF}{_NOUN}{{0,3}}?"
    r"\s?(?:\((?:i\.e\.,? |about |= ?)?(?P<p>\d+(?:\.\d+)?)\s?(?:%|per cent|percent)\)|= ?(?P<q>\d+(?:\.\d+)?)\s?%)",
    re.IGNORECASE,
)
_SHARE_INSIDE = re.compile(
    rf"(?P<part>{_COUNT}){_NOUN}{{0,2}}?\s?\((?P<p>\d+(?:\.\d+)?)\s?(?:%|per cent|percent)\){_OF}",
    re.IGNORECASE,
)
_SHARE_FIRST = re.compile(
    rf"(?P<p>\d+(?:\.\d+)?)\s?(?:%|per cent|percent)\s?\((?P<part>{_NUM})(?:\sof\s|\s?/\s?)(?P<whole>{_NUM}){_NOUN}{{0,2}}?\)",
    re.IGNORECASE,
)
_OF_EACH = re.compile(" of ")
_PER = re.compile(r" (?:per|(?:in|for|on|at|from) each)")
_GROUPS = (
    (
        _OF_EACH,
        re.compile(
            rf"(?P<n>{_COUNT}){_NOUN}{{1,3}}? (?:in|into|across|over|among|split into|divided into|as|(?:is|are) (?:split|divided) into) "
            rf"(?P<k>{_COUNT})(?P<g>{_NOUN}{{1,3}}?) of (?P<m>{_COUNT})(?!\s?%)(?P<tail>[^.;]{{0,30}})",
            re.IGNORECASE,
        ),
    ),
    (
        _OF_EACH,
        re.compile(
            rf"(?P<k>{_COUNT})(?P<g>{_NOUN}{{1,3}}?) of (?P<m>{_COUNT}){_NOUN}{{0,3}}?(?: each)?,? "
            rf"(?:\(?(?:that is|i\.e\.|so|or|hence|making|giving|for)?,? ?(?:a total of )?)(?P<n>{_COUNT}){_NOUN}{{0,3}}? "
            r"(?:in all|in total|altogether|overall)(?P<tail>)",
            re.IGNORECASE,
        ),
    ),
    (
        _PER,
        re.compile(
            rf"(?P<m>{_COUNT}){_NOUN}{{1,3}}? (?:per|in each|for each|on each|at each|from each)(?P<g>{_NOUN}{{1,2}}?) "
            rf"(?:in|across|over|for|at|from|on) (?P<k>{_COUNT}){_NOUN}{{1,3}}?,? \(?"
            rf"(?:(?:that is|i\.e\.|so|or|hence|making|giving|for|which (?:is|makes|gives)),? )?(?:a total of )?(?P<n>{_COUNT}){_NOUN}{{0,3}}?"
            r"(?: (?:in all|in total|altogether|overall)|(?<=total of )|[.,;)])(?P<tail>)",
            re.IGNORECASE,
        ),
    ),
)
"""How groups of one size are told, behind words that each has, which are soon looked for."""
_COUNTED = re.compile(rf"\d+|\b{_ONE}\b", re.IGNORECASE)
_FEWEST = 3
"""Numbers in a sentence below which it calculates nothing: two, and what comes of them."""
_MARKS = re.compile(r"[*_`]+")
_THOUSANDS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_CALENDAR = 0.03
"""Relative difference that calendar units make: a year has twelve months and 365 days."""


def arithmetic(subject: Subject) -> Score:
    """Return 1 if everything that the text itself calculates comes out.

    It sees equations, shares, groups of equal size, parts that should make a whole and totals of
    columns that are no money. It cannot see whether a formula is the right one.
    """
    found = [*_of_tables(subject.tables), *_of_lists(subject.sentences)]
    for sentence in subject.sentences:
        if sentence.quantities and not cue("no_sum_sentence").search(sentence.text):
            found += [Defect(why, sentence.text) for why in _of(sentence)]
    if not found and (short := too_short("arithmetic", subject)):
        return short
    return faultless(
        "arithmetic", found, "no calculation of the text is wrong", "Calculate these again."
    )


def _of(sentence: Segment) -> Iterator[str]:
    text = _THOUSANDS.sub(",", _MARKS.sub("", sentence.text))
    calculates = len(_COUNTED.findall(text)) >= _FEWEST
    if calculates:
        yield from _equations(text)
    if sentence.kind == "row":
        return
    if calculates:
        yield from _worked_out(text)
    yield from _parts(sentence)


def _worked_out(text: str) -> Iterator[str]:
    """What is wrong with sums, shares and groups that are told in words."""
    for match in _AND.finditer(text):
        parts = [_value(match[k]) for k in "abc" if match[k]]
        if abs(sum(parts) - _value(match["total"])) > 1e-6 and not cue("bound").search(match[0]):
            yield f"{' and '.join(f'{p:g}' for p in parts)} make {sum(parts):g}, not {match['total']}"
    yield from _shares(text)
    yield from _grouped(text)


def _value(text: str) -> float:
    found = numbers_in(text, words=True)
    return found[0].value if found else 0.0


# --- a + b = c


def _equations(text: str) -> Iterator[str]:
    if "=" not in text and not cue("equals").search(text):
        return
    for match in _EQUATION.finditer(text):
        pieces = _PLUS.split(match["left"])
        terms, signs = pieces[::2], [_operator(s) for s in pieces[1::2]]
        word = match["sign"] not in ("=", "≈")
        if not all(map(numbers_in, terms)):
            continue  # "4 times × 3 sizes" names what it counts
        if None in signs or (word and any(s in "-/" for s in signs if s)) or _open(text, match):
            continue
        near = 0.05 if match["sign"] == "≈" else 0.0
        plain = _computed([_value(t) for t in terms], signs)
        said = _value(match["right"])
        if (
            plain is None
            or _alike(plain, said, match["right"], near)
            or _by_units(terms, signs, match["right"])
        ):
            continue
        if "%" in match["right"] and _alike(plain * 100, said, match["right"], near):
            continue
        yield f"{match['left'].strip()} is {plain:,.6g}, not {match['right'].strip()}"


def _open(text: str, match: re.Match[str]) -> bool:
    """Whether the equation goes on to the left or to the right, so that only a part was read."""
    left, right = text[: match.start()].rstrip()[-1:], text[match.end() :].lstrip()[:1]
    return (
        bool(left and left in "+*/×÷−=^([·–-")
        or bool(right and right in "+*/×÷=^·±–(−")
        or text[match.end() : match.end() + 1] == "-"
    )


def _operator(text: str) -> str | None:
    return _OPERATORS.get(text.strip().lower())


_OPERATORS = {"+": "+", "plus": "+", "-": "-", "–": "-", "−": "-", "minus": "-", "×": "*", "*": "*", "·": "*",
              "x": "*", "times": "*", "multiplied by": "*", "/": "/", "÷": "/", "divided by": "/"}  # fmt: skip


def _computed(values: Sequence[float], signs: Sequence[str | None]) -> float | None:
    """Work an equation's left side out, products first; None for a division by nothing."""
    sums = [values[0]]
    adds: list[str] = []
    for op, value in zip(signs, values[1:], strict=True):
        if op == "*":
            sums[-1] *= value
        elif op == "/":
            if not value:
                return None
            sums[-1] /= value
        else:
            adds.append(op or "+")
            sums.append(value)
    total = sums[0]
    for op, value in zip(adds, sums[1:], strict=True):
        total += value if op == "+" else -value
    return total


def _alike(value: float, said: float, shown: str, near: float) -> bool:
    """Whether a result is what is said, with as many digits as are shown."""
    digits = re.search(r"\.(\d+)", shown)
    step = 10.0 ** -(len(digits[1]) if digits else 0)
    whole = float(value).is_integer()
    return abs(value - said) <= max(
        1e-9 if whole and not digits else 0.51 * step, near * abs(value)
    )


def _by_units(terms: Sequence[str], signs: Sequence[str | None], right: str) -> bool:
    """Whether it comes out when the units are counted in: "2 h + 30 min = 150 min"."""
    factors = [_factor(t) for t in (*terms, right)]
    if not any(f != 1 for f in factors):
        return False
    values = [_value(t) * f for t, f in zip(terms, factors, strict=False)]
    got, said = _computed(values, signs), _value(right) * factors[-1]
    return got is not None and isclose(got, said, rel_tol=_CALENDAR)


def _factor(term: str) -> float:
    """What a term's unit is in base units; 1 without one."""
    found = [q for q in quantities(term) if q.unit]
    return (in_base_units(found[0].unit) if found else None) or 1.0


# --- shares and groups


def _shares(text: str) -> Iterator[str]:
    if "%" not in text and "percent" not in text and "per cent" not in text:
        return
    for pattern in (_SHARE, _SHARE_INSIDE, _SHARE_FIRST):
        for match in pattern.finditer(text):
            held = match.groupdict()
            said = held["p"] or held.get("q")
            if said is None or "%" in match["part"] + match["whole"]:
                continue
            part, whole = _value(match["part"]), _value(match["whole"])
            if not whole or part > whole:
                continue
            got, step = 100 * part / whole, 10.0 ** -len(said.partition(".")[2])
            if abs(got - float(said)) > max(0.6 * step, 0.06):
                yield f"{match['part']} of {match['whole']} is {got:.3g} %, not {said} %"


def _grouped(text: str) -> Iterator[str]:
    lower = text.lower()
    for sign, pattern in _GROUPS:
        for match in pattern.finditer(text) if sign.search(lower) else ():
            n, k, m = (_value(match[x]) for x in "nkm")
            if any("%" in match[x] or "." in match[x] for x in "nkm") or cue("unequal").search(
                match[0]
            ):
                continue
            if _ANOTHER.match(match["tail"]) or cue("not_groups").search(match["g"]):
                continue
            if k * m != n and k > 1:
                yield f"{k:g} times {m:g} is {k * m:g}, not {n:g}"


_ANOTHER = re.compile(r"(?:\s[\w-]+){0,2}(?:,| and| or)\s\d|\s?[-–]\s?\d|\s?(?:to|or)\s\d")

# --- parts of a whole


def _parts(sentence: Segment) -> Iterator[str]:
    """Percentages that are said to share something out make 100."""
    if not cue("shared_out").search(sentence.text) or cue("rest").search(sentence.text):
        return
    shares = [q for q in sentence.quantities if _part(q, sentence)]
    if len(shares) > 1 and len({q.start for q in shares}) == len(shares):
        yield from _hundred([q.low or 0 for q in shares])


def _part(quantity: Quantity, sentence: Segment) -> bool:
    near = sentence.before(quantity)[-30:] + " " + sentence.after(quantity)[:30].split(",")[0]
    told = quantity.unit == "percent" and quantity.comparison == "stated"
    if cue("limiting").search(sentence.before(quantity)[-40:]):
        return False
    return told and quantity.low == quantity.high and not cue("no_part").search(near)


def _hundred(shares: Sequence[float]) -> Iterator[str]:
    total = sum(shares)
    exact = all(float(s).is_integer() and s % 5 == 0 for s in shares)
    if abs(total - 100) > (0.01 if exact else 0.51 * len(shares)):
        listed = " + ".join(f"{s:g}" for s in shares)
        yield f"the shares {listed} make {total:g} %, not 100 %"


def _of_lists(sentences: Sequence[Segment]) -> Iterator[Defect]:
    """Lists that share something out, with one percentage an item."""
    before: Segment | None = None
    for kind, group in groupby(sentences, key=lambda s: s.kind):
        items = list(group)
        lead = before
        before = items[-1]
        if (
            kind != "item"
            or len(items) < 2
            or lead is None
            or not cue("shared_out").search(lead.text)
        ):
            continue
        held = [[q for q in s.quantities if _part(q, s)] for s in items]
        if all(len(h) == 1 for h in held) and not any(cue("rest").search(s.text) for s in items):
            for why in _hundred([h[0].low or 0 for h in held]):
                yield Defect(why, lead.text)


def _of_tables(tables: Sequence[Table]) -> Iterator[Defect]:
    """Columns with a total: shares make 100, counts make what the total says."""
    for table in tables:
        last = next((n for n, r in enumerate(table.rows) if cue("total").match(r[0])), None)
        if last is None or last < 2:
            continue
        for n, head in enumerate(table.head[1:], 1):
            cells = [r[n] for r in table.rows[: last + 1]]
            yield from _column(table, head, cells)


def _column(table: Table, head: str, cells: Sequence[str]) -> Iterator[Defect]:
    about = f"{table.heading} {table.caption} {head}"
    values = [a[0] for c in cells if len(a := amounts(c)) == 1]
    if len(values) != len(cells) or cue("no_sum").search(head):
        return
    *parts, said = values
    shares = cue("share_head").search(head) is not None or all("%" in c for c in cells)
    if not shares and (
        cue("money").search(about) or any(q.unit for c in cells for q in quantities(c))
    ):
        return
    added = sum(parts)
    mean = added / len(parts)
    if abs(added - said) > (0.51 * len(parts) if shares else 0.01) and abs(mean - said) > 0.06:
        yield Defect(f"{head} adds up to {added:g}, but the total says {said:g}", cells[-1])
