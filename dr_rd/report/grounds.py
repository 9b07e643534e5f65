"""What shows that a plan keeps an item of the ledger: own words, figures, declared actions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.graph.state import GraphTask
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerItem, LedgerVerdict, Verdict, check
from dr_rd.planning.design import Design
from dr_rd.planning.ruling import Declared, Ruling
from dr_rd.report.calls import Results
from dr_rd.report.figures import Held, counted, held
from dr_rd.report.own import own_words

_MOST = 3
"""Tasks that are named as those that take an action."""


def owners_of(tasks: Iterable[GraphTask]) -> dict[str, str]:
    """The items of the ledger that tasks answer for, each with its task."""
    return {i: t.id for t in tasks for a in t.acceptance for i in a.ledger_ids}


def commitment(item_id: str, text: str) -> str:
    """The line by which a task takes an item upon itself."""
    return f"{item_id}: {text}"


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a text of a run, an answer or the whole proposal, is held against the ledger by."""

    brief: Brief
    ledger: Ledger
    design: Design
    tasks: Sequence[GraphTask]
    """Those that the text is about."""
    calls: Results
    """What their tools computed."""

    def verdicts(self, text: str) -> tuple[LedgerVerdict, ...]:
        """Return one verdict per item, in its order.

        A person's and a model's words count as words, and figures as figures. The library's steps
        count by the actions that they declare, and nothing else of the workbench's counts at all.
        """
        own = own_words(text, self.tasks, self.design)
        read = {v.id: v for v in check(self.ledger, own)} if own else {}
        figures = {
            **counted(self.ledger, self.design, self.calls),
            **held(self.ledger, self.brief, self.design, self.calls),
        }
        return tuple(
            self._verdict(i, read.get(i.id), figures.get(i.id), text) for i in self.ledger.items
        )

    def _verdict(
        self, item: LedgerItem, read: LedgerVerdict | None, figure: Held | None, text: str
    ) -> LedgerVerdict:
        """The gravest of what the grounds say; of two that keep an item, the one with a quotation."""
        found = [v for v in (self._figured(item, figure, text), self._declared(item, text)) if v]
        if read and read.quote and not read.nearest:
            found.insert(0, _at(read, read.quote, text))
        ranked = sorted(found, key=lambda v: _GRAVEST.index(v.verdict))
        if ranked and ranked[0].verdict != "not_shown":
            return ranked[0]
        return self._promised(item) or next(iter(ranked), None) or _silent(item)

    def _figured(self, item: LedgerItem, figure: Held | None, text: str) -> LedgerVerdict | None:
        if figure is None:
            return None
        sentence = figure.sentence.search(text)
        return _at(
            _made(item, figure.verdict, figure.reason), sentence[0] if sentence else "", text
        )

    def _declared(self, item: LedgerItem, text: str) -> LedgerVerdict | None:
        """What the steps' declared actions say of the actions that an item names."""
        found = [self._ruled(item, r, text) for r in self.design.rulings if r.ledger_id == item.id]
        return min(found, key=lambda v: _GRAVEST.index(v.verdict), default=None)

    def _ruled(self, item: LedgerItem, ruling: Ruling, text: str) -> LedgerVerdict:
        steps = list(self._taking(ruling, self.design.declared))
        if ruling.banned:
            opposed = list(self._taking(ruling, self.design.contradicted))
            if opposed and ruling.whole:
                reason = f"{_named(opposed)} is for what it rules out: it {ruling.does}"
                return _at(_made(item, "unclear", reason), opposed[0].text, text)
            if steps:
                reason = (
                    f"{_named(steps)} {ruling.does}; whether that is ruled out, a person must say"
                )
                return _at(_made(item, "unclear", reason), steps[0].text, text)
            return _made(item, "not_shown", f"no step declares that it {ruling.does}")
        if steps and ruling.whole:
            reason = f"{_named(steps)} {ruling.does}"
            return _at(_made(item, "met", reason), steps[0].text, text)
        reason = f"{_named(steps)} {ruling.does}" if steps else f"no step {ruling.does}"
        return _made(item, "not_shown", reason)

    def _taking(self, ruling: Ruling, declared: Iterable[Declared]) -> Iterator[Declared]:
        """Those of the tasks' steps, as they stand in the plan now, that take an action."""
        known = {
            t.id: {t.title, *t.steps, *(f"calls the tool {r.name}" for r in t.tool_request)}
            for t in self.tasks
        }
        for step in declared:
            if step.text in known.get(step.task_id, ()) and set(step.actions) & set(ruling.covers):
                yield step

    def _promised(self, item: LedgerItem) -> LedgerVerdict | None:
        """That a task takes an item upon itself; a ban is kept by no promise."""
        if item.kind == "ban" or not item.checkable or item.id not in owners_of(self.tasks):
            return None
        promised = _made(item, "promised", "a task commits to it")
        return promised.model_copy(update={"quote": commitment(item.id, item.text)})


_GRAVEST: tuple[Verdict, ...] = (
    "violated",
    "unclear",
    "met",
    "promised",
    "not_shown",
    "not_checkable",
)


def _made(item: LedgerItem, verdict: Verdict, reason: str) -> LedgerVerdict:
    return LedgerVerdict(
        id=item.id, kind=item.kind, text=item.text, verdict=verdict, reason=reason
    )


def _silent(item: LedgerItem) -> LedgerVerdict:
    """The verdict on an item of which nothing in a plan can tell."""
    if item.kind == "ban":
        return _made(item, "not_shown", "nothing in this plan says or declares that it is done")
    if not item.checkable:
        return _made(item, "not_checkable", item.reason)
    return _made(item, "not_shown", "nothing in the plan speaks of it")


def _at(found: LedgerVerdict, quote: str, text: str) -> LedgerVerdict:
    """Place a quotation in the text, if it stands there as it is."""
    start = text.find(quote) if quote else -1
    end = start + len(quote) if start >= 0 else 0
    return found.model_copy(update={"quote": quote, "start": max(start, 0), "end": end})


def _named(steps: Sequence[Declared]) -> str:
    """The tasks of steps: "T03 and T07"."""
    tasks = list(dict.fromkeys(s.task_id for s in steps))
    more = f" and {len(tasks) - _MOST} more" if len(tasks) > _MOST else ""
    return f"a step of {', '.join(tasks[:_MOST])}{more}"
