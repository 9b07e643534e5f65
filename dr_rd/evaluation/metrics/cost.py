"""Cost: the budget adds up, covers the work, keeps to one currency and to its cap."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from core.pluralize import pluralize
from core.scores import Score
from dr_rd.checks import Limit
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.verdicts import Defect, not_applicable
from dr_rd.evaluation.sentences import Segment
from dr_rd.evaluation.subject import Subject
from dr_rd.evaluation.tables import Table, amounts
from dr_rd.evaluation.workplan import Workplan
from dr_rd.quantity import Quantity, quantities
from dr_rd.units import CURRENCIES

_HINT = "Add the budget up again, price what has no price, and keep to one currency and the cap."
_ROUNDING = Decimal("0.51")
"""How far each line of a sum may be off from rounding, in its last shown digit."""
_BLANK = re.compile(r"\W*(?:tbd|tbc|tba|n\.?k\.?|unknown|to be \w+|\?+)\W*$", re.IGNORECASE)
_ADDED = re.compile(r"\badd\w* up to\b")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s?%")


@dataclass(frozen=True, slots=True)
class _Priced:
    """Something wrong, and how much it costs of the score."""

    fault: Defect
    grave: float = 0.5


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    cell: str

    @property
    def value(self) -> Decimal | None:
        """The one amount of the line; none where nothing is written, None where more is."""
        found = amounts(self.cell)
        if len(found) == 1:
            return Decimal(str(found[0]))
        return Decimal(0) if not found else None


def cost(subject: Subject) -> Score:
    """Return 1 for a sound budget; a wrong total costs the more the further it is off.

    Whether a price is realistic it cannot see.
    """
    columns = [c for t in subject.tables for c in _columns(t)] + list(_lists(subject.sentences))
    if not columns and not any(_money(q) for s in subject.sentences for q in s.quantities):
        return not_applicable("cost", "the text states no amount of money")
    found = [p for column in columns for p in _sums(column)]
    found += [*_in_prose(subject), *_capped(subject, columns), *_foreign(subject)]
    score = 1.0
    for one in found:
        score *= 1 - one.grave
    plan = subject.workplan
    missing = _missing(plan, subject.tables) if plan else []
    if plan and missing:
        score *= 1 - len(missing) / len(plan.activities)
    return _cost_score(subject, found, missing, score, len(columns))


def _cost_score(
    subject: Subject, found: Sequence[_Priced], missing: Sequence[str], score: float, sums: int
) -> Score:
    if not found and not missing:
        why = "the budget adds up" if sums else "money is stated, but nothing that adds up"
        return Score(key="cost", score=1.0, rationale=why)
    whys = [p.fault.why for p in found]
    if missing:
        whys.append(
            f"without a line in the budget: {pluralize(len(missing), 'task')} ({', '.join(missing[:5])})"
        )
    quotes = tuple(dict.fromkeys(p.fault.quote for p in found if p.fault.quote in subject.visible))
    return Score(
        key="cost",
        score=round(score, 4),
        rationale="; ".join(whys[:3]) + (f"; and {len(whys) - 3} more" if len(whys) > 3 else ""),
        fix_hint=_HINT,
        quotes=tuple(q for q in quotes if q)[:3],
    )


def _columns(table: Table) -> Iterator[tuple[str, list[_Line]]]:
    """Each column of money, with its head."""
    about = f"{table.heading} {table.caption}"
    for n, head in enumerate(table.head[1:], 1):
        cells = [r[n] for r in table.rows]
        told = cue("money").search(head) or any(_coin(c) for c in cells) or _coin(head)
        here = cue("money").search(about) and cue("expected").match(head)
        if (told or here) and not cue("no_sum").search(head) and any(amounts(c) for c in cells):
            yield head, [_Line(r[0], r[n]) for r in table.rows]


def _coin(text: str) -> bool:
    return bool(_CODE.search(text))


_CODE = re.compile(rf"\b(?:{'|'.join(CURRENCIES)})\b|[£€$¥]")


def _lists(sentences: Sequence[Segment]) -> Iterator[tuple[str, list[_Line]]]:
    """Each list whose items give one amount of money each and that has a total."""
    for (kind, heading), group in groupby(sentences, key=lambda s: (s.kind, s.heading)):
        lines = [
            _Line(s.text, f"{m[0].low:.12g}")
            for s in group
            if kind == "item" and len(m := [q for q in s.quantities if _money(q)]) == 1
            and m[0].low is not None
            and (cue("overhead").match(s.text) or not cue("bound").search(s.text))
        ]  # fmt: skip
        if len(lines) > 2 and any(cue("total").match(x.label) for x in lines):
            yield heading, lines


def _sums(column: tuple[str, list[_Line]]) -> Iterator[_Priced]:
    """What is wrong with a column: totals, subtotals, rates, signs, blanks."""
    head, lines = column
    last = max((n for n, x in enumerate(lines) if cue("total").match(x.label)), default=None)
    counted: list[Decimal] = []
    part: list[Decimal] = []
    for n, one in enumerate(lines):
        value = one.value
        if _BLANK.fullmatch(one.cell):
            yield _Priced(Defect(f"“{one.label}” has no price ({one.cell})", one.label))
        if value is None:
            return
        if n == last or cue("subtotal").match(one.label):
            added = sum(counted if n == last else part, Decimal(0))
            if part or counted:
                yield from _wrong(head, one, added, value, lines)
            part = []
        elif cue("total").match(one.label):
            continue
        else:
            yield from _line(one, value, counted, part)
            counted.append(value)
            part.append(value)
        if n == last:
            return


def _wrong(
    head: str, one: _Line, added: Decimal, said: Decimal, lines: Sequence[_Line]
) -> Iterator[_Priced]:
    digits = min((_decimals(x.cell) for x in lines if amounts(x.cell)), default=0)
    if abs(added - said) <= _ROUNDING * len(lines) * Decimal(10) ** -digits:
        return
    off = float(abs(added - said) / max(abs(added), abs(said), Decimal(1)))
    why = f"{head} adds up to {added:,.{digits}f}, but {one.label.strip('*_ ')[:60]} says {said:,.{digits}f}"
    yield _Priced(Defect(why, one.cell), 0.5 + 0.5 * min(1.0, off))


def _line(
    one: _Line, value: Decimal, counted: Sequence[Decimal], part: Sequence[Decimal]
) -> Iterator[_Priced]:
    """What is wrong with one line: a sign, or a rate that does not make its amount."""
    if value < 0 and not cue("credit").search(one.label):
        yield _Priced(Defect(f"“{one.label}” costs less than nothing ({one.cell})", one.label))
    rate = _SHARE.search(one.label)
    if not rate or not cue("overhead").search(one.label) or not counted:
        return
    share = Decimal(rate[1]) / 100
    bases = {sum(counted, Decimal(0)), sum(part, Decimal(0)), *counted}
    bases |= {sum(counted[:n], Decimal(0)) for n in range(1, len(counted))}
    if all(abs(share * base - value) > max(Decimal(1), share * base / 100) for base in bases):
        whole = share * sum(counted, Decimal(0))
        why = f"“{one.label}” is {value:,.0f}, but {rate[1]} % of the lines above is {whole:,.0f}"
        yield _Priced(Defect(why, one.label))


def _decimals(cell: str) -> int:
    found = re.search(r"\d\.(\d+)(?!\d*[.,]\d)", cell)
    return len(found[1]) if found else 0


def _in_prose(subject: Subject) -> Iterator[_Priced]:
    """Sentences that name parts of a sum of money, and the sum."""
    for sentence in subject.sentences:
        money = [q for q in sentence.quantities if _money(q) and q.low == q.high]
        if (
            sentence.kind not in ("prose", "item")
            or len(money) < 3
            or len({q.unit for q in money}) > 1
        ):
            continue
        said = _ADDED.sub("making", sentence.text)
        if any(cue(name).search(said) for name in ("apart", "bound", "rate")):
            continue
        wholes = [q for q in money if _whole(sentence, q)]
        if len(wholes) != 1:
            continue
        whole = wholes[0].low or 0
        added = sum(q.low or 0 for q in money) - whole
        if abs(added - whole) > 0.51 * len(money):
            off = abs(added - whole) / max(added, whole, 1)
            why = f"the parts add up to {added:,.0f}, but the total says {whole:,.0f}"
            yield _Priced(Defect(why, sentence.text), 0.5 + 0.5 * min(1.0, off))


def _whole(sentence: Segment, quantity: Quantity) -> bool:
    left, right = sentence.before(quantity)[-50:], sentence.after(quantity)[:20]
    return bool(cue("sum_before").search(left) or cue("in_all").match(right.lstrip(" ,")))


def _capped(subject: Subject, columns: Sequence[tuple[str, list[_Line]]]) -> Iterator[_Priced]:
    """Totals beyond the cap that the brief gives."""
    caps = list(_caps(subject))
    if not caps:
        return
    stated = [
        (n.quantity.low or 0, n.quantity.unit, n.sentence.text)
        for n in subject.named_quantities if n.whole and _money(n.quantity) and n.label[-1:] == ("budget",)
    ]  # fmt: skip
    units = {c.unit for c in caps}
    if len(units) == 1:
        unit = next(iter(units))
        lines = [x for _, c in columns for x in c if cue("total").match(x.label)]
        stated += [
            (float(x.value), unit, x.label)
            for x in lines
            if x.value is not None and not _other(x.cell, unit)
        ]
    for cap in caps:
        for value, unit, quote in stated:
            if unit == cap.unit and cap.high is not None and value > cap.high * 1.0001:
                why = f"the total of {value:,.0f} {unit} is beyond the cap of {cap.high:,.0f}"
                yield _Priced(Defect(why, quote), 0.5 + 0.5 * min(1.0, value / cap.high - 1))
                return


def _other(cell: str, unit: str) -> bool:
    """Whether a cell is in another currency."""
    return any(_money(q) and q.unit != unit for q in quantities(cell))


def _caps(subject: Subject) -> Iterator[Quantity]:
    for item in subject.ledger.items if subject.ledger else ():
        if item.kind != "ban":
            limits = (c for c in item.checks if isinstance(c, Limit) and not c.scope)
            yield from (c.quantity for c in limits if _money(c.quantity) and c.quantity.high)


def _foreign(subject: Subject) -> Iterator[_Priced]:
    """More than one currency in the budget, without a rate."""
    texts = [
        s for s in subject.sentences
        if cue("budget_heading").search(s.heading) and s.kind != "heading"
    ]  # fmt: skip
    if any(cue("rate").search(s.text) for s in texts):
        return
    money = [(q, s) for s in texts for q in s.quantities if _money(q) and not _aside(s, q)]
    units = list(dict.fromkeys(q.unit for q, _ in money))
    if len(units) > 1:
        first = next(s for q, s in money if q.unit == units[1])
        why = f"the budget is in {' and '.join(units[:3])} without a rate between them"
        yield _Priced(Defect(why, first.text))


def _aside(sentence: Segment, quantity: Quantity) -> bool:
    left = sentence.before(quantity)
    return left.count("(") > left.count(")")


def _missing(plan: Workplan, tables: Sequence[Table]) -> list[str]:
    """Tasks of the work plan without a line in a budget that goes by tasks; none if none does."""
    ids = [a.id for a in plan.activities]
    best: set[str] = set()
    for table in tables:
        if list(_columns(table)):
            held = {
                t for r in table.rows for t in re.findall(r"[A-Z]{1,4}-?\d{1,3}", r[0].upper())
            }
            best = max(best, held & set(ids), key=len)
    return [i for i in ids if i not in best] if len(best) > len(ids) / 2 else []


def _money(quantity: Quantity) -> bool:
    return quantity.unit in CURRENCIES
