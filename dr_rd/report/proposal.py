"""The proposal, composed from the plan and its answers."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.compute import in_thread
from core.graph.nodes import Stamp
from core.graph.state import GraphState, GraphTask
from core.pluralize import amount
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerVerdict
from dr_rd.evidence.corpus import Corpus
from dr_rd.files import read_yaml
from dr_rd.language import UNKNOWN, language
from dr_rd.models.privacy.egress import left_machine
from dr_rd.models.served.prices import dollars, spent_usd
from dr_rd.planning.design import Design
from dr_rd.planning.library import Library
from dr_rd.planning.methods import Method
from dr_rd.report.alternatives import alternatives, second, why
from dr_rd.report.answers import answer_text, assumed, in_order, score_row
from dr_rd.report.calls import Results, results
from dr_rd.report.critique import Critic, Critique
from dr_rd.report.decision import Decision, is_general, top_risks
from dr_rd.report.endpoints import Endpoints
from dr_rd.report.evidence import evidence, evidence_row
from dr_rd.report.expertise import known, section
from dr_rd.report.frontier import columns, frontier_of, missing, remarks, rows
from dr_rd.report.frontier import why as why_number
from dr_rd.report.grounds import Grounds
from dr_rd.report.limits import deadline
from dr_rd.report.material import Run, materials, phases
from dr_rd.report.objects import struck, worked_on
from dr_rd.report.people import named_people, people
from dr_rd.report.specific import specific_steps
from dr_rd.report.studied import Studied
from dr_rd.report.tables import cost_lines, ledger_rows, plan_rows, tornado
from dr_rd.report.warnings import warnings
from dr_rd.report.writing import Section, Writer
from dr_rd.schedule.confidence import PERCENTILE
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

_RISKS = 4
"""Risks in the plan itself; the others stand in the annex."""

_LEAST_RISKS = 3
"""Risks that stand there, be they those of every study of its kind."""


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
    critic: Critic | None = None
    """Who reads the whole draft once, before its sections are revised; None leaves it as it is."""

    async def __call__(self, state: GraphState, stamp: Stamp) -> str:
        """Return the proposal as Markdown, with the footer that names the run."""
        sections = await self.sections(state)
        critique = None
        if self.critic:
            critique = await self.critic.critique(await in_thread(self.body, state, sections))
        if critique and critique.advice and self.writer and sections:
            run = self._run(state)
            sections = await self.writer.revise_sections(materials(run), sections, critique.advice)
            critique = critique.model_copy(update={"revised": True})
        rows = stamp.rows()
        label = left_machine(rows)
        footer = {
            "stamp": stamp,
            "sent": label.sentence(quoted),
            "cost": dollars(spent_usd(rows)) if label.sent else "",
        }
        return await in_thread(self.body, state, sections, critique) + render(
            "footer.md.j2", footer
        )

    def body(
        self,
        state: GraphState,
        sections: Mapping[str, Section] | None = None,
        critique: Critique | None = None,
    ) -> str:
        """Everything but the footer: the same for every run of one brief, seed and plan.

        The verdicts are those of the text itself: it is written once with them unknown, held
        against the ledger, and written again with what was found. A written section that breaks
        an item which the rest of the text keeps is left out.
        """
        values = self._values(state) | {"critique": critique, "specific": ()}
        sections = sections or {}
        draft = self._draft(state, values | self._section_values(state, sections))
        values["specific"] = specific_steps(self.brief, self.design, self.library, draft)
        sections = self._harmless(state, values, sections)
        values |= self._section_values(state, sections)
        verdicts = self._verdicts(state, values)
        return render("proposal.md.j2", {**values, **self._verdict_values(state, verdicts)})

    def _verdicts(self, state: GraphState, values: Mapping[str, Any]) -> tuple[LedgerVerdict, ...]:
        """Hold the text against the ledger before its own verdicts are in it."""
        calls = self._results(state)
        return Grounds(self.brief, self.ledger, self.design, state.tasks, calls).verdicts(
            self._draft(state, values)
        )

    def _draft(self, state: GraphState, values: Mapping[str, Any]) -> str:
        """Return the text before anything is held against the ledger."""
        unread = tuple(
            LedgerVerdict(id=i.id, kind=i.kind, text=i.text, verdict="unclear", reason="")
            for i in self.ledger.items
        )
        return render("proposal.md.j2", {**values, **self._verdict_values(state, unread)})

    async def sections(self, state: GraphState) -> Mapping[str, Section]:
        """Return what the writer makes of the run; nothing without one."""
        if self.writer is None:
            return {}
        return await self.writer.write_sections(materials(self._run(state)))

    def _run(self, state: GraphState) -> Run:
        """What sections are written about."""
        ranking = self.design.ranking
        reasons = (why(ranking[0]), second(ranking))
        return Run(
            self.brief, self.ledger, self.design, self.corpus, state, reasons, self.library.tools
        )

    def _harmless(
        self, state: GraphState, values: dict[str, Any], sections: Mapping[str, Section]
    ) -> Mapping[str, Section]:
        """Leave out the sections that break what the text without them keeps."""
        if not any(s.text for s in sections.values()):
            return sections
        broken = _violations(self._verdicts(state, values | self._section_values(state, {})))
        while any(s.text for s in sections.values()):
            verdicts = self._verdicts(state, values | self._section_values(state, sections))
            new = {i: quote for i, quote in _violations(verdicts).items() if i not in broken}
            if not new:
                break
            at = {k for k, s in sections.items() if any(q in s.text for q in new.values())}
            sections = {k: s.without(new) if k in at or not at else s for k, s in sections.items()}
        return sections

    def _section_values(
        self, state: GraphState, sections: Mapping[str, Section]
    ) -> dict[str, Any]:
        """The values that hang on what a model wrote."""
        texts = {k: s.shown for k, s in sections.items()}
        return {
            "writer": next((s.model for s in sections.values()), ""),
            "unwritten": {k: s.left_out for k, s in sections.items() if s.left_out},
            "written": {k: texts.get(k, "") for k in ("summary", "approach", "risks")},
            "phases": [
                {"title": name, "tasks": [t.id for t in tasks], "text": texts[f"phase-{name}"]}
                for name, tasks in phases(state)
                if f"phase-{name}" in texts
            ],
        }

    def _verdict_values(
        self, state: GraphState, verdicts: Sequence[LedgerVerdict]
    ) -> dict[str, Any]:
        """The values that hang on the verdicts."""
        calls = self._results(state)
        decision = Decision(
            self.brief,
            self.ledger,
            self.design,
            state.tasks,
            calls,
            self.units,
            known(self.design, state),
            self._method,
        )
        return {
            "warnings": warnings(self.brief, self.design, state, verdicts, self.units, calls),
            "ledger_rows": ledger_rows(state.tasks, verdicts),
            "decision_rows": decision.rows(verdicts),
            "later_questions": decision.later(verdicts),
        }

    def _values(self, state: GraphState) -> dict[str, Any]:
        calls = self._results(state)
        borne = evidence(self.brief, self.design, self.corpus, state, calls)
        return {
            "design": self.design,
            "state": state,
            "posture": self.brief.risk_posture,
            "known": section(self.design, known(self.design, state)),
            "given": any(t.source in ("brief", "model") for t in state.tasks),
            **_brief_values(self.brief, self.design, self.ledger),
            **self._question_values(calls),
            **alternatives(self.design, state.tasks, calls),
            **self._answer_values(state),
            **self._figures(state.tasks, calls),
            **borne,
            "evidence_row": evidence_row(borne),
        }

    def _question_values(self, calls: Results) -> dict[str, Any]:
        """What is studied and how each criterion is answered, where the brief's language is read."""
        if language(self.brief.words) not in ("english", UNKNOWN):
            return {"studied": [], "endpoints": [], "ends": {}}
        studied = Studied(self.brief, self.ledger, self.design, self._method)
        answered = Endpoints(self.brief, self.ledger, self.design, studied.compared, studied.data)
        schedule = calls.first("schedule")
        times = schedule["out"].get("times", {}) if schedule else {}
        return {
            "studied": studied.rows(),
            "endpoints": answered.rows(),
            "ends": {
                t.id: amount(round(times[t.id]["finish"])) if t.id in times else ""
                for t in self.design.tasks
            },
        }

    @property
    def _method(self) -> Method:
        return self.library.method(self.design.method_id)

    def _results(self, state: GraphState) -> Results:
        return results(state.answers.values(), self.library.tools, self.design)

    def _answer_values(self, state: GraphState) -> dict[str, Any]:
        """The answers, how they were scored, and who gave them."""
        return {
            "answers": [answer_text(task, answer) for task, answer in in_order(state)],
            "score_rows": [score_row(answer) for _, answer in in_order(state)],
            "assumed": [(claim, self._worker(task)) for task, claim in assumed(state)],
            "workers": self._workers(state),
        }

    def _figures(self, tasks: Sequence[GraphTask], calls: Results) -> dict[str, Any]:
        """What was computed, and the tables of it."""
        design, schedule = self.design, calls.first("schedule")
        return {
            "schedule": schedule,
            "deadline": deadline(self.brief, design, schedule),
            "percentile": f"P{round(PERCENTILE[self.brief.risk_posture] * 100)}",
            "tornado": tornado(schedule, tasks),
            "plan_rows": plan_rows(tasks, self.library, schedule, design.staffing),
            "edited": [t.id for t in tasks if t.timed_by or t.priced_by],
            "dated": bool(schedule and "task_dates" in schedule["out"]),
            "busy": _busy(schedule),
            "doers": named_people(self.ledger, tasks, (a.role for a in design.staffing)),
            "cost_lines": cost_lines(tasks, self.library, self.units, design.scaling.units),
            **people(tasks, design, design.scaling.currency),
            "overhead": self.brief.resources.overhead if self.brief.resources else 0.0,
            "money": self._money(calls),
            "budget": calls.first("budget"),
            "scaling": design.scaling,
            "currency": design.scaling.currency,
            "unit_word": self.units,
            **self._risk_values(),
            "objects": worked_on(tasks, design, self._method),
            "struck": struck(tasks, design, self._method),
            "contingency": calls.first("contingency"),
            "registered": calls.parts("risks"),
            "tests_first": calls.parts("gates"),
            "computed": calls.parts("design"),
        }

    def _risk_values(self) -> dict[str, Any]:
        """The risks of this study, and in an annex those of every study of its kind."""
        ranked = top_risks(self.design.risks, self._method)
        own = [r for r in ranked if not is_general(r, self._method)]
        main = own[:_RISKS] if len(own) >= _LEAST_RISKS else ranked[:_LEAST_RISKS]
        return {"main_risks": main, "other_risks": [r for r in ranked if r not in main]}

    def _money(self, calls: Results) -> dict[str, Any]:
        """What the money buys; where no number is to be chosen, what is missing for it."""
        found = frontier_of(calls)
        if found is None:
            told = calls.first("size") or self.design.unsized  # by page one
            return {"missing": "" if told else missing(self.design)}
        cells = rows(found)
        return {
            "rows": cells,
            "columns": columns(found, cells, self.units, self.design),
            "why": why_number(found, self.units, self.design),
            "remarks": list(remarks(found, self.units, self.design)),
        }

    @property
    def units(self) -> str:
        """What is sampled, in the brief's words or else in the method's."""
        fallbacks = self.library.method(self.design.method_id).fallbacks
        return self.design.slots.get("units") or fallbacks.get("units", "units")

    def _worker(self, task: GraphTask) -> str:
        return self.worker(task.role) if self.worker else ""

    def _workers(self, state: GraphState) -> dict[str, list[str]]:
        """The models that worked, each with its tasks."""
        found: dict[str, list[str]] = {}
        for task in state.tasks if self.worker else ():
            found.setdefault(self._worker(task), []).append(task.id)
        return found


def _violations(verdicts: Iterable[LedgerVerdict]) -> dict[str, str]:
    """The items that a text breaks, each with the words that do."""
    return {v.id: v.quote for v in verdicts if v.verdict == "violated"}


def _brief_values(brief: Brief, design: Design, ledger: Ledger) -> dict[str, Any]:
    """What the brief asks."""
    return {
        "notice": _notice(brief),
        "title": _title(design.slots.get("topic") or brief.objective),
        "objective": brief.objective.strip(),
        "question": [(k, _slot(design.slots[s])) for k, s in _QUESTION if s in design.slots],
        "criteria": [i for i in ledger.items if i.kind == "criterion"],
    }


def _notice(brief: Brief) -> str:
    """Say which parts are in English, to a reader of a brief that is not; "" to others."""
    tongue = language(brief.words)
    if tongue in ("english", UNKNOWN):
        return ""
    notices: Mapping[str, str] = read_yaml("report", "notices.yaml")
    return notices.get(tongue, notices["other"]).strip()


def _title(topic: str, longest: int = 100) -> str:
    """The topic as a heading; of a long one, what stands before its relative clause."""
    short = topic if len(topic) <= longest else topic.partition(" that ")[0]
    return short[:1].upper() + short[1:]


def _slot(text: str) -> str:
    """A slot as a reader expects it: two bounds are a range."""
    return re.sub(r"^(\d[\d,.]*) and (?=\d)", r"between \1 and ", text)


def _busy(schedule: Mapping[str, Any] | None) -> str:
    """Say how much of the time people and equipment are in use; "" where nobody is named."""
    shares = schedule["out"].get("busy", {}) if schedule else {}
    said = ", ".join(f"{name} {share:.0%}".replace("%", " %") for name, share in shares.items())
    return f"In use for this share of the whole time: {said}." if said else ""
