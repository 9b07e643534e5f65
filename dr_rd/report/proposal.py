"""The proposal, composed from the plan and its answers."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.counting import amount, counted, noun
from core.events import CallEnded, CallTried, Event
from core.graph.nodes import Stamp
from core.graph.state import Answer, Claim, GraphState, GraphTask, ThreePoint, ToolResult
from dr_rd.adherence import LedgerVerdict
from dr_rd.brief import Brief
from dr_rd.evaluation.claims import Judged, claims_of, judged, tally, unborne
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.agreement import Conflict, same_quantity
from dr_rd.evidence.apart import Apart, kept_apart
from dr_rd.evidence.corpus import Corpus
from dr_rd.files import read_yaml
from dr_rd.language import UNKNOWN, language
from dr_rd.ledger import Ledger
from dr_rd.models.egress import left_machine
from dr_rd.models.prices import dollars, spent_usd
from dr_rd.planning.design import Design, PlannedRisk
from dr_rd.planning.directions import Direction
from dr_rd.planning.library import Library
from dr_rd.planning.shape import FITTING
from dr_rd.planning.signals import Match
from dr_rd.quantity import TIME_UNITS, is_money, quantities
from dr_rd.report.grounds import grounded, owners_of
from dr_rd.report.material import Run, materials, phases, shown
from dr_rd.report.writing import Section, Writer
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.schedule.cpm import critical_path_times
from dr_rd.templates import quoted, render

FOOTER = "<!-- run footer"
"""Where the part begins that differs between runs of one brief and seed."""

_QUESTION = (
    ("What is varied or observed", "treatment"),
    ("What is made", "artefact"),
    ("Compared with", "comparator"),
    ("Outcome", "outcome"),
    ("Population or place", "population"),
    ("Sampled", "sample"),
    ("Measured by", "measure"),
    ("Data", "source"),
    ("Study period", "horizon"),
)

_PLAIN = str.maketrans("“”", "‘’")
"""A heading is quoted: its own quotation marks become inner ones."""

_DRIVERS = 3
"""Tasks that are named as the reason why a limit is not kept."""

_APART = 8
"""Pairs of values that were not compared, which are named."""

_BARS = 8
"""Rows of the tornado."""

_LEVELS = {"low": 1, "medium": 2, "high": 3}

_SPANS = 0.5
"""Share of the study period that a plan lasts at least, if it lasts as long as the study."""

_KINDS = {
    "effect": "It answers what a change does, which is what the objective asks.",
    "making": "It answers whether a thing can be made, which is what the objective asks.",
    "description": "It describes what there is, and the objective compares and makes nothing.",
}
"""What is said of a method that the kind of question speaks for."""

_GOOD_PHRASES = 5
"""Matched phrases that are named as the reason for a method."""


@dataclass(frozen=True, slots=True)
class Synthesizer:
    """Composes the proposal of one run."""

    brief: Brief
    ledger: Ledger
    design: Design
    library: Library
    corpus: Corpus
    writer: Writer | None = None
    """Who writes the sections that a model may write; None leaves them to code."""
    worker: Callable[[str], str] | None = None
    """Names the model that worked the tasks of a role; None if none did."""
    judge: str = ""
    """The model that will judge the proposal; "" if none will."""

    async def __call__(self, state: GraphState, stamp: Stamp) -> str:
        """Return the proposal as Markdown, with the footer that names the run."""
        sections = await self.sections(state)
        rows = [row for row in stamp.rows() if not _judges(row.event)]
        label = left_machine(rows)
        footer = {
            "stamp": stamp,
            "sent": label.sentence(quoted),
            "cost": dollars(spent_usd(rows)) if label.sent else "",
            "judge": self.judge,
        }
        return self.body(state, sections) + render("footer.md.j2", footer)

    def body(self, state: GraphState, sections: Mapping[str, Section] | None = None) -> str:
        """Everything but the footer: the same for every run of one brief, seed and plan.

        The verdicts are those of the text itself: it is written once with them unknown, held
        against the ledger, and written again with what was found. A written section that breaks
        an item which the rest of the text keeps is left out.
        """
        values = self._values(state)
        sections = self._harmless(state, values, sections or {})
        values |= self._written(state, sections)
        verdicts = self._verdicts(state, values)
        return render("proposal.md.j2", {**values, **self._found(state, verdicts)})

    def _verdicts(self, state: GraphState, values: Mapping[str, Any]) -> tuple[LedgerVerdict, ...]:
        """Hold the text against the ledger before its own verdicts are in it."""
        unread = tuple(
            LedgerVerdict(id=i.id, kind=i.kind, text=i.text, verdict="unclear", reason="")
            for i in self.ledger.items
        )
        draft = render("proposal.md.j2", {**values, **self._found(state, unread)})
        return grounded(self.ledger, draft, owners_of(state.tasks))

    async def sections(self, state: GraphState) -> Mapping[str, Section]:
        """Return what the writer makes of the run; nothing without one."""
        if self.writer is None:
            return {}
        ranking = self.design.ranking
        reasons = (_why(ranking[0]), _second(ranking))
        run = Run(self.brief, self.ledger, self.design, self.corpus, state, reasons)
        return await self.writer.written(materials(run))

    def _harmless(
        self, state: GraphState, values: dict[str, Any], sections: Mapping[str, Section]
    ) -> Mapping[str, Section]:
        """Leave out the sections that break what the text without them keeps."""
        if not any(s.text for s in sections.values()):
            return sections
        broken = _broken(self._verdicts(state, values | self._written(state, {})))
        while any(s.text for s in sections.values()):
            verdicts = self._verdicts(state, values | self._written(state, sections))
            new = {i: quote for i, quote in _broken(verdicts).items() if i not in broken}
            if not new:
                break
            at = {k for k, s in sections.items() if any(q in s.text for q in new.values())}
            sections = {k: s.without(new) if k in at or not at else s for k, s in sections.items()}
        return sections

    def _written(self, state: GraphState, sections: Mapping[str, Section]) -> dict[str, Any]:
        """The values that hang on what a model wrote."""
        parts = {k: s.shown for k, s in sections.items()}
        return {
            "writer": next((s.model for s in sections.values()), ""),
            "written": {k: parts.get(k, "") for k in ("summary", "approach", "risks")},
            "phases": [
                {"title": name, "tasks": [t.id for t in tasks], "text": parts[f"phase-{name}"]}
                for name, tasks in phases(state)
                if f"phase-{name}" in parts
            ],
        }

    def _found(self, state: GraphState, verdicts: Sequence[LedgerVerdict]) -> dict[str, Any]:
        """The values that hang on the verdicts."""
        return {
            "warnings": self._warnings(state, _results(state.answers.values()), verdicts),
            "ledger_rows": self._ledger_rows(state, verdicts),
            "counts": _counts(verdicts),
        }

    def _values(self, state: GraphState) -> dict[str, Any]:
        design, results = self.design, _results(state.answers.values())
        chosen = next(d for d in design.directions if d.id == design.chosen)
        claims, conflicts = self._judged(state), same_quantity(self.corpus)
        return {
            "notice": _notice(self.brief),
            "title": _title(design.slots.get("topic") or self.brief.objective),
            "objective": self.brief.objective.strip(),
            "design": design,
            "state": state,
            "chosen": chosen,
            "schedule": _first(results, "schedule_risk"),
            "deadline": self._deadline(_first(results, "schedule_risk")),
            "budget": _first(results, "budget"),
            "percentile": f"P{round(PERCENTILE[self.brief.risk_posture] * 100)}",
            "tornado": _tornado(_first(results, "schedule_risk"), state.tasks),
            "contingency": _first(results, "risk_register"),
            "registered": self._parts(results, "risk_register"),
            "tests_first": self._parts(results, "value_of_information"),
            "screening": self._parts(results, "simulate"),
            "assumed": [(claim, self._worker(task)) for task, claim in _assumed(state)],
            "workers": self._workers(state),
            "evidence": self._parts(results, "evidence_table"),
            "sample_size": self._parts(results, "sample_size"),
            "decision": self._parts(results, "decision_matrix"),
            "tied": _tied(_first(results, "decision_matrix")),
            "even": _even(design.directions),
            "decider": _decider(state.tasks),
            "scaling": design.scaling,
            "currency": design.scaling.currency,
            "unit_word": self._units(),
            "top_risk": _top(design.risks),
            "corpus": self.corpus,
            "cited": self._cited(state.answers.values()),
            "claims": tally(claims),
            "unborne": unborne(claims),
            "conflicts": [_conflict(c, self.corpus) for c in conflicts],
            "differing": _differing(conflicts),
            "apart": [_apart(a, self.corpus) for a in kept_apart(self.corpus)[:_APART]],
            "question": [(k, _asked(design.slots[s])) for k, s in _QUESTION if s in design.slots],
            "given": any(t.source in ("brief", "model") for t in state.tasks),
            "criteria": [i for i in self.ledger.items if i.kind == "criterion"],
            "why_method": _why(design.ranking[0]),
            "second": _second(design.ranking),
            "plan_rows": self._plan_rows(state.tasks, _first(results, "schedule_risk")),
            "answers": [_shown(state.task(k), a) for k, a in _in_order(state)],
            "score_rows": [_score_row(a) for _, a in _in_order(state)],
            "posture": self.brief.risk_posture,
        }

    def _warnings(
        self,
        state: GraphState,
        results: Sequence[ToolResult],
        verdicts: Sequence[LedgerVerdict],
    ) -> list[str]:
        """What a reader must know before anything else."""
        found = [self._improbable(_first(results, "schedule_risk"), state)]
        found.append(_unlisted(self.brief))
        found.append(_unpriced(state.tasks, self.brief))
        found.append(self._too_short(state.tasks))
        found += [_too_dear(b, self._units()) for b in [_first(results, "budget")] if b]
        if all(d.excluded for d in self.design.directions):
            found.append("Every direction breaks a limit of the brief: none can be recommended.")
        found.append(_ill_fitting(self.design.ranking[0]))
        found.append(_too_late(self._deadline(_first(results, "schedule_risk"))))
        found += [f"{v.id} is violated: {v.reason}" for v in verdicts if v.verdict == "violated"]
        holes = [a.task_id for _, a in _in_order(state) if not a.usable]
        failed = [r for r in results if not r.ok]
        found += [f"{r.name} [{r.id}] gave no result: {r.error}" for r in failed]
        if holes:
            found.append(f"This proposal has holes: {', '.join(holes)} gave no answer.")
        weak = [a for _, a in _in_order(state) if a.status == "below_gate"]
        found += [f"{a.task_id} stands below the gate: {a.reason}" for a in weak]
        return [w for w in found if w]

    def _ledger_rows(
        self, state: GraphState, verdicts: Sequence[LedgerVerdict]
    ) -> list[dict[str, str]]:
        owner = owners_of(state.tasks)
        return [
            {
                "id": v.id,
                "kind": v.kind,
                "text": v.text,
                "owner": owner.get(v.id, "no task yet"),
                "verdict": v.verdict,
                "shown": _evidence(v, owner.get(v.id, "")),
            }
            for v in verdicts
        ]

    def _plan_rows(
        self, tasks: Iterable[GraphTask], schedule: Mapping[str, Any] | None
    ) -> list[dict[str, str]]:
        times = schedule["out"]["times"] if schedule else {}
        return [
            {
                "id": t.id,
                "title": t.title,
                "role": self.library.role(t.role).title,
                "depends_on": ", ".join(t.depends_on) or "–",
                "days": _span(t.duration_days),
                "cost": _span(t.cost) if t.cost is None or t.cost.high else "none",
                **{
                    k: str(times[t.id][k]) if t.id in times else "–"
                    for k in ("start", "finish", "slack")
                },
            }
            for t in tasks
        ]

    def _units(self) -> str:
        """What is sampled, in the brief's words or else in the method's."""
        fallbacks = self.library.method(self.design.method_id).fallbacks
        return self.design.slots.get("units") or fallbacks.get("units", "units")

    def _parts(self, results: Sequence[ToolResult], name: str) -> list[str]:
        return [shown(r, self.design) for r in results if r.name == name and r.ok]

    def _deadline(self, schedule: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """How long the work takes against the deadline; None without one."""
        limit = self.design.deadline_days
        if limit is None or schedule is None:
            return None
        share = PERCENTILE[self.brief.risk_posture]
        out, percentile = schedule["out"], f"P{round(share * 100)}"
        return {
            "months": out["months"][percentile],
            "late": out["days"][percentile] > limit,
            "confidence": share,
            "call": schedule["id"],
            "allowed": self._allowed(out["days_a_month"]),
        }

    def _allowed(self, a_month: int) -> str:
        """The time that the brief allows: in its own words, or in months of *a_month* working days."""
        return self.brief.deadline or _span_of(self.design.deadline_days or 0, a_month)

    def _improbable(self, schedule: Mapping[str, Any] | None, state: GraphState) -> str:
        """How likely the brief's limits are kept, and what drives it, where that is too seldom."""
        need, found = PERCENTILE[self.brief.risk_posture], schedule["out"] if schedule else {}
        chances: Mapping[str, float] = found.get("chances", {})
        if schedule is None or not chances or min(chances.values()) >= need:
            return ""
        share = chances.get("both", min(chances.values()))
        odds = f"= {share:.0%}" if share >= 0.005 else "is below 1%"
        drives = [
            _driven(what, found["tornado"][key], state)
            for limit_, what, key in (("budget", "cost", "cost"), ("deadline", "duration", "days"))
            if chances.get(limit_, 1.0) < need
        ]
        return (
            f"The limits are improbable: P({self._limits(found)}) {odds} [{schedule['id']}], where a "
            f"{self.brief.risk_posture} risk posture asks for {need:.0%}.{''.join(drives)}"
        ).replace("%", " %")

    def _limits(self, found: Mapping[str, Any]) -> str:
        """The limits whose odds a schedule tells: "≤ 30,000 EUR and ≤ 2 years"."""
        scaling = self.design.scaling
        said = {
            "budget": f"≤ {amount(scaling.limit or 0)} {scaling.currency}",
            "deadline": f"≤ {self._allowed(found['days_a_month'])}",
        }
        return " and ".join(words for limit, words in said.items() if limit in found["chances"])

    def _too_short(self, tasks: Sequence[GraphTask]) -> str:
        """Say that tasks which the library did not write do not last as long as the study does."""
        period = self.design.slots.get("horizon")
        if not period or all(t.source not in ("brief", "model") for t in tasks):
            return ""
        network = {t.id: t.depends_on for t in tasks}
        expected = {t.id: t.duration_days.mean if t.duration_days else 0.0 for t in tasks}
        days = max(times.finish for times in critical_path_times(network, expected).values())
        if days >= _SPANS * self.design.months * WORKING_DAYS_A_MONTH:
            return ""
        return (
            f"The brief speaks of “{period}”, and the tasks of this plan are over after "
            f"{counted(round(days), 'working day')} [plan]: if the work must span that time, the task that "
            "does needs the days for it."
        )

    def _judged(self, state: GraphState) -> tuple[Judged, ...]:
        """The claims of all answers, held against what they cite."""
        results = _results(state.answers.values())
        subject = Subject(
            text="",
            brief=self.brief,
            corpus=self.corpus,
            computed={r.id: r.output for r in results},
            assumed=(
                *(a.text for a in self.design.assumptions),
                *(claim.text for _, claim in _assumed(state)),
            ),
        )
        return judged(claims_of(a for _, a in _in_order(state)), subject)

    def _worker(self, task: GraphTask) -> str:
        return self.worker(task.role) if self.worker else ""

    def _workers(self, state: GraphState) -> dict[str, list[str]]:
        """The models that worked, each with its tasks."""
        found: dict[str, list[str]] = {}
        for task in state.tasks if self.worker else ():
            found.setdefault(self._worker(task), []).append(task.id)
        return found

    def _cited(self, answers: Iterable[Answer]) -> list[dict[str, str]]:
        """The passages that answers quote or point to, with the tasks that do; none is repeated."""
        using: dict[str, list[str]] = {}
        for answer in answers:
            named = [c.source for c in answer.claims if c.kind == "quoted"]
            for key in dict.fromkeys([*named, *re.findall(r"\[(E\d+)\b", answer.content)]):
                using.setdefault(key, []).append(answer.task_id)
        rows = []
        for passage in self.corpus.passages:
            if passage.id in using:
                document = self.corpus.document_of(passage)
                titles = " › ".join(passage.heading).translate(_PLAIN)
                where = f"page {passage.page}" if passage.page else titles and f"“{titles}”"
                note = f" ({document.status})" if document.status != "live" else ""
                place = ", ".join(x for x in (quoted(document.path), where) if x)
                tasks = ", ".join(sorted(set(using[passage.id])))
                rows.append({"id": passage.id, "tasks": tasks, "place": place, "note": note})
        return rows


def _broken(verdicts: Iterable[LedgerVerdict]) -> dict[str, str]:
    """The items that a text breaks, each with the words that do."""
    return {v.id: v.quote for v in verdicts if v.verdict == "violated"}


def _notice(brief: Brief) -> str:
    """Say which parts are in English, to a reader of a brief that is not; "" to others."""
    tongue = language(brief.words)
    if tongue in ("english", UNKNOWN):
        return ""
    notices: Mapping[str, str] = read_yaml("report", "notices.yaml")
    return notices.get(tongue, notices["other"]).strip()


def _judges(event: Event) -> bool:
    """Whether it is of a call that reads the proposal itself, which comes after its footer.

    A run that was resumed while it was judged has such calls on record before.
    """
    return isinstance(event, CallTried | CallEnded) and (
        not event.task_id and event.purpose.startswith("judge")
    )


def _results(answers: Iterable[Answer]) -> list[ToolResult]:
    return [r for a in answers for r in a.tool_result]


def _first(results: Iterable[ToolResult], name: str) -> dict[str, Any] | None:
    """Id and output of the first call of that tool that gave one."""
    found = next((r for r in results if r.name == name and r.ok), None)
    return {"id": found.id, "out": found.output} if found else None


def _in_order(state: GraphState) -> list[tuple[str, Answer]]:
    return [(t.id, state.answers[t.id]) for t in state.tasks if t.id in state.answers]


def _assumed(state: GraphState) -> Iterator[tuple[GraphTask, Claim]]:
    """What a model took for granted in its answers; the design's own assumptions are elsewhere."""
    for task_id, answer in _in_order(state):
        task, own = state.task(task_id), f"{task_id}-"
        yield from (
            (task, c) for c in answer.claims if c.kind == "assumption" and c.source.startswith(own)
        )


def _shown(task: GraphTask, answer: Answer) -> str:
    if answer.usable:
        return answer.content.strip()
    return f"### {task.id} {task.title}\n\n**No answer**: {answer.status}, {answer.reason}."


def _score_row(answer: Answer) -> dict[str, str]:
    card = answer.evaluation
    return {
        "id": answer.task_id,
        "status": answer.status.replace("_", " "),
        "attempts": _attempts(answer),
        "score": f"{card.overall:.2f}" if card and card.overall is not None else "not judged",
        "coverage": f"{card.coverage:.2f}" if card else "–",
    }


def _attempts(answer: Answer) -> str:
    """How many there were; of several, each one's score and which is the one above."""
    if not answer.tried:
        return str(answer.attempts)
    each = ", ".join("not judged" if s is None else f"{s:.2f}" for s in answer.tried)
    return f"{answer.attempts} ({each}; kept {answer.kept})"


def _span(points: ThreePoint | None) -> str:
    if points is None:
        return "–"
    return " / ".join(amount(v) for v in (points.low, points.mode, points.high))


def _counts(verdicts: Iterable[LedgerVerdict]) -> dict[str, int]:
    found = Counter(v.verdict for v in verdicts)
    return {k: found[k] for k in ("met", "violated", "unclear", "not_checkable")}


def _decider(tasks: Iterable[GraphTask]) -> str:
    names = (t.id for t in tasks if any(r.name == "decision_matrix" for r in t.tool_request))
    name = next(names, "")
    return f"the choice in {name}" if name else "the analyst's decision"


def _even(directions: Sequence[Direction]) -> dict[str, str]:
    """The scores that are the same for all directions for the same reason, each with that."""
    if len(directions) < 2:
        return {}
    told = [{k: (d.scores[k], why) for k, why in d.reasons.items()} for d in directions]
    return {
        k: f"{score}: {why}"
        for k, (score, why) in told[0].items()
        if all(t[k] == (score, why) for t in told)
    }


def _top(risks: Sequence[PlannedRisk]) -> PlannedRisk | None:
    """The risk of the greatest likelihood times impact; ties go to the first."""
    return max(risks, key=lambda r: _LEVELS[r.likelihood] * _LEVELS[r.impact], default=None)


def _why(match: Match) -> str:
    phrases = [*match.strong, *match.weak][:_GOOD_PHRASES]
    named = f" The brief speaks of {', '.join(f'“{p}”' for p in phrases)}." if phrases else ""
    alike = f" Its objective is like “{match.exemplar.rstrip('. ')}”." if match.exemplar else ""
    kind = f" {_KINDS[match.kind]}" if match.kind else ""
    little = (
        "" if kind or phrases or match.exemplar else " Little in the brief speaks for any method."
    )
    return (
        f"It matches the brief best, with {_points(match)} for words that speak for it [plan]."
        f"{named}{alike}{kind}{little}"
    )


def _second(ranking: Sequence[Match]) -> str:
    if len(ranking) < 2:
        return ""
    second = ranking[1]
    phrases = [*second.strong, *second.weak][:_GOOD_PHRASES]
    named = f", for {', '.join(f'“{p}”' for p in phrases)}" if phrases else ""
    against = f"; against it speaks “{second.against[0]}”" if second.against else ""
    return f"{second.title}, with {_points(second)} [plan]{named}{against}."


def _too_dear(budget: Mapping[str, Any], units: str) -> str:
    out = budget["out"]
    if out.get("fits", True):
        return ""
    text = (
        f"The limits contradict each other: the work as asked costs {amount(out['at_confidence'])} "
        f"{out['currency']} at the confidence of {out['confidence']}, the brief allows "
        f"{amount(out['limit'])}, which is short by {amount(-out['headroom'])} [{budget['id']}]"
    )
    if "affordable_units" in out:
        text += f"; it pays for {out['affordable_units']} of {amount(out['units'])} {units}"
    return f"{text}."


def _ill_fitting(match: Match) -> str:
    """A word of warning where the library has little to offer."""
    if match.score >= FITTING and (match.strong or not match.kind):
        return ""
    return (
        f"Little in the brief speaks for any method of the library ({match.title} comes first with "
        f"{_points(match)} [plan]): check the method before anything else."
    )


def _unlisted(brief: Brief) -> str:
    """Say that limits which stand in the objective alone are held against nothing."""
    if brief.hard_constraints or brief.budget or brief.deadline:
        return ""
    bounds = [
        q.text
        for q in quantities(brief.objective)
        if is_money(q.unit) or (q.unit in TIME_UNITS and q.comparison in ("at_most", "less_than"))
    ]
    if not bounds:
        return ""
    return (
        f"The brief lists no limits. What its objective says of {' and '.join(bounds)} is not held "
        "against the plan; list it among the hard constraints."
    )


def _unpriced(tasks: Sequence[GraphTask], brief: Brief) -> str:
    """Say that tasks which the brief prescribes have no price, so that a budget of 0 is none."""
    if not brief.tasks or any(t.cost and t.cost.high for t in tasks):
        return ""
    return (
        "The brief prescribes its tasks without costs: what stands below of money, and of a limit "
        "on it, says nothing."
    )


def _too_late(deadline: Mapping[str, Any] | None) -> str:
    if deadline is None or not deadline["late"]:
        return ""
    return (
        f"The work does not fit the deadline of {deadline['allowed']}: it takes {deadline['months']} "
        f"months at the confidence of {deadline['confidence']} [{deadline['call']}]."
    )


def _conflict(conflict: Conflict, corpus: Corpus) -> str:
    said = [
        f"{end.value} in {corpus.document_of(end.passage).path} [{end.passage.id}]"
        for end in (conflict.current, conflict.superseded)
    ]
    label = conflict.label.rstrip(". ")
    if conflict.decided:
        return f"“{label}”: {said[0]} holds; {said[1]} is superseded, because {conflict.reason}."
    return f"“{label}”: {said[0]} and {said[1]} conflict, because {conflict.reason}; a person must choose."


def _apart(found: Apart, corpus: Corpus) -> str:
    """Say that two values were not held against each other, and why."""
    ends = (found.first, found.second)
    said = [
        f"“{_short(e.value)}” in {corpus.document_of(e.passage).path} [{e.passage.id}]"
        for e in ends
    ]
    why = "under different conditions"
    if found.names:
        why = f"for {' and '.join(found.names)}, which are not the same"
    return f"{said[0]} and {said[1]} stand {why}, and were not compared."


def _differing(conflicts: Sequence[Conflict]) -> str:
    """How many values of the documents do not hold, or may not; "" where all agree."""
    old = sum(c.decided for c in conflicts)
    open_ = len(conflicts) - old
    said = [f"{old} older {'value is' if old == 1 else 'values are'} superseded"] if old else []
    said += [f"{open_} {'value is' if open_ == 1 else 'values are'} in conflict"] if open_ else []
    return f" {' and '.join(said)} [plan]; Evidence names them." if said else ""


def _title(topic: str, longest: int = 100) -> str:
    """The topic as a heading; of a long one, what stands before its relative clause."""
    short = topic if len(topic) <= longest else topic.partition(" that ")[0]
    return short[:1].upper() + short[1:]


def _asked(text: str) -> str:
    """A slot as a reader expects it: two bounds are a range."""
    return re.sub(r"^(\d[\d,.]*) and (?=\d)", r"between \1 and ", text)


def _points(match: Match) -> str:
    return counted(round(match.score, 1), "point")


def _tied(decision: Mapping[str, Any] | None) -> bool:
    return bool(decision and len(decision["out"]["ranking"]) > 1 and not decision["out"]["margin"])


def _span_of(days: float, a_month: int) -> str:
    shown, unit = (
        (f"{days / a_month:.3g}", "month") if days >= a_month else (f"{days:g}", "working day")
    )
    return f"{shown} {noun(shown, unit)}"


def _driven(what: str, bars: Sequence[Mapping[str, Any]], state: GraphState) -> str:
    titles = {t.id: t.title for t in state.tasks}
    named = [f"{b['id']} ({titles[b['id']]}, {b['correlation']})" for b in bars[:_DRIVERS]]
    return f" What drives the {what}: {'; '.join(named)}." if named else ""


def _tornado(
    schedule: Mapping[str, Any] | None, tasks: Iterable[GraphTask]
) -> list[dict[str, str]]:
    """Tasks that move the duration or the cost, strongest first."""
    if schedule is None:
        return []
    out, titles = schedule["out"], {t.id: t.title for t in tasks}
    bars = {k: {b["id"]: b["correlation"] for b in out["tornado"][k]} for k in ("days", "cost")}
    names = dict.fromkeys([*bars["days"], *bars["cost"]])
    ranked = sorted(names, key=lambda n: -max(abs(b.get(n, 0)) for b in bars.values()))
    return [
        {"id": n, "title": titles.get(n, "")}
        | {k: str(b[n]) if n in b else "–" for k, b in bars.items()}
        for n in ranked[:_BARS]
    ]


def _evidence(verdict: LedgerVerdict, owner: str) -> str:
    """What shows the verdict: a passage, a task's commitment, or that nothing speaks against it."""
    row = verdict.kind != "ban" and " | " in verdict.quote
    if verdict.quote.startswith(f"{verdict.id}:") or row:
        return f"the commitment of {owner}" if owner else "a commitment of the text"
    if verdict.quote:
        return f"“{_short(verdict.quote.replace('**', ''))}”"
    if verdict.kind != "ban" and verdict.verdict == "met":
        return verdict.reason.replace("does this", "does what it forbids")
    return verdict.reason


def _short(text: str, longest: int = 140) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1].rsplit(" ", 1)[0] + "…"
