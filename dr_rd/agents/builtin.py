"""The built-in agent: works a task from the method, the brief, the tools and the documents."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.nodes import Work
from core.graph.state import Answer, Claim, GraphTask, ThreePoint, ToolRequest, ToolResult
from core.values import Frozen
from dr_rd.agents.quoting import Quote, Reading, needs, select_quotes, texts
from dr_rd.agents.statements import CheckedStatement
from dr_rd.brief import Brief
from dr_rd.ledger import Ledger, LedgerItem
from dr_rd.planning.design import Design
from dr_rd.planning.library import Library
from dr_rd.planning.scaling import times
from dr_rd.planning.signals import stems
from dr_rd.schedule.calendar import WORKING_DAYS_A_MONTH
from dr_rd.schedule.confidence import PERCENTILE
from dr_rd.templates import render
from dr_rd.tools.failing import failing

_PASSAGES = 12
"""Passages that one task looks at; it quotes a few sentences of them."""

_SHARED = 2
"""Content words a question must share with its task, beyond those of the brief's own question."""

_QUESTIONS = 3
"""Open questions one answer lists."""


class Added(Frozen):
    """What a model says of a task, once code has looked at it."""

    by: str
    """The model."""
    steps: tuple[CheckedStatement, ...] = ()
    findings: tuple[CheckedStatement, ...] = ()
    unknowns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Why each sentence that was left out was."""


@dataclass(frozen=True, slots=True)
class BuiltinAgent:
    """Answers tasks of one run; the role is data, so one agent serves all."""

    brief: Brief
    ledger: Ledger
    design: Design
    library: Library
    seed: int
    documents: bool
    """Whether the analyst gave any."""

    async def __call__(self, work: Work) -> tuple[ToolRequest, ...] | Answer:
        """Ask for the planned calls that have not been made; then answer."""
        return self.planned(work) or self.answer(work)

    # --- tools

    def planned(self, work: Work) -> tuple[ToolRequest, ...]:
        """Return the calls that the plan wants made and that have not been."""
        made = {r.name for r in work.tool_result}
        wanted = [r for r in work.task.tool_request if r.name not in made]
        return tuple(q for r in wanted for q in self._requests(r, work))

    def _requests(self, planned: ToolRequest, work: Work) -> Sequence[ToolRequest]:
        """Fill in what the plan leaves open; what a person planned with arguments is kept."""
        if planned.args:
            return [planned]
        if work.task.source == "model" and "." in planned.name:
            return []  # of another program's tool nobody but the model can say the arguments
        if planned.name == "search_documents":
            needed = " ".join(needs(work.task))
            further = {"query": needed, "k": _PASSAGES}
            more = [ToolRequest(name=planned.name, args=further)] if needed else []
            return [self._request(planned.name, work), *more]
        if planned.name == "unit_convert":
            return [ToolRequest(name=planned.name, args=c) for c in self.design.conversions]
        return [self._request(planned.name, work)]

    def _request(self, name: str, work: Work) -> ToolRequest:
        arguments = {
            "decision_matrix": self._decision,
            "sample_size": self._sample,
            "budget": self._budget,
            "schedule_risk": self._schedule,
            "search_documents": self._search,
            "evidence_table": self._evidence,
            "risk_register": self._register,
            "value_of_information": self._tests,
            "simulate": self._screening,
            "analyze_image": self._all,
            "read_repo": self._all,
        }
        fill = arguments.get(name)
        return ToolRequest(name=name, args=fill(work) if fill else {})

    def _decision(self, work: Work) -> dict[str, Any]:
        del work
        options = [
            {"id": d.id, "scores": dict(d.scores), "excluded": d.excluded[:1000]}
            for d in self.design.directions
        ]
        return {"options": options, "weights": dict(self.design.weights), "seed": self.seed}

    def _sample(self, work: Work) -> dict[str, Any]:
        del work
        return dict(self.design.sizing)

    def _budget(self, work: Work) -> dict[str, Any]:
        scaling = self.design.scaling
        return {
            "lines": [
                {"id": t.id, "cost": _points(t.cost), "per_unit": self._per_unit(t)}
                for t in work.state.tasks
            ],
            "currency": scaling.currency,
            "confidence": PERCENTILE[self.brief.risk_posture],
            "limit": scaling.limit,
            "units": scaling.units,
            "seed": self.seed,
        }

    def _schedule(self, work: Work) -> dict[str, Any]:
        return {
            "activities": [
                {
                    "id": t.id,
                    "depends_on": list(t.depends_on),
                    "days": _points(t.duration_days),
                    "cost": _points(t.cost),
                }
                for t in work.state.tasks
            ],
            "seed": self.seed,
            "risk_posture": self.brief.risk_posture,
            "limit_cost": self.design.scaling.limit,
            "limit_days": self.design.deadline_days,
            "days_a_month": WORKING_DAYS_A_MONTH,
            **({"start": self.design.start.isoformat()} if self.design.start else {}),
        }

    def _search(self, work: Work) -> dict[str, Any]:
        task = work.task
        items = (i.text for i in self._items(task))
        words = [task.title, task.description, task.deliverable, *items, *task.steps]
        return {"query": " ".join(words)[:2000], "k": _PASSAGES}

    def _all(self, work: Work) -> dict[str, Any]:
        """Ask for all that there is, at a glance."""
        del work
        return {}

    def _evidence(self, work: Work) -> dict[str, Any]:
        del work
        claims = [
            {"id": i.id, "text": i.text[:2000]} for i in self.ledger.items if i.kind != "ban"
        ]
        return {"claims": claims or [{"id": "objective", "text": self.brief.objective[:2000]}]}

    def _register(self, work: Work) -> dict[str, Any]:
        """The plan's risks, each with its share of what the plan is expected to cost."""
        total = sum(t.cost.mean for t in work.state.tasks if t.cost)
        return {
            "risks": [
                {
                    "id": r.id,
                    "description": r.text[:1000],
                    "probability": r.probability,
                    "impact": _points(times(r.share, total)),
                    "owner": r.task_id,
                    "trigger": r.sign[:1000],
                    "response": r.mitigation[:1000],
                }
                for r in self.design.risks
            ],
            "currency": self.design.scaling.currency,
            "budget": self.design.scaling.limit or total,
            "seed": self.seed,
        }

    def _tests(self, work: Work) -> dict[str, Any]:
        """The gates as tests: the days their task takes, against all that need not follow."""
        tasks = {t.id: t for t in work.state.tasks}
        days = {k: t.duration_days.mean if t.duration_days else 0.0 for k, t in tasks.items()}
        tests = [
            {
                "id": g.id,
                "cost": round(days[g.after], 1),
                "probability_of_failure": g.probability,
                "cost_avoided": round(sum(days[k] for k in _after(g.after, tasks)), 1),
            }
            for g in self.design.gates
            if days.get(g.after)
        ]
        return {"tests": tests, "currency": "days"}

    def _screening(self, work: Work) -> dict[str, Any]:
        del work
        return {**self.design.screening, "seed": self.seed}

    def _per_unit(self, task: GraphTask) -> bool:
        method = self.library.method(self.design.method_id)
        package = method.by_id.get(task.source.removeprefix(f"{method.id}/"))
        return package is not None and package.cost.driver == "units"

    # --- the answer

    def answer(self, work: Work, added: Added | None = None) -> Answer:
        """Write the answer from what is known, with what a model *added* in its own place."""
        task, items = work.task, self._items(work.task)
        read = self._read(work)
        unknowns = self._unknowns(work, read, added)
        content = render(
            "answer.md.j2",
            {
                "task": task,
                "role": self.library.role(task.role),
                "upstream": [_summary(work.state.task(k)) for k in work.upstream],
                "kept": [i for i in items if i.kind != "ban" and i.id not in self.design.not_kept],
                "broken": [i for i in items if i.id in self.design.not_kept],
                "barred": [i for i in items if i.kind == "ban"],
                "tests": [a for a in task.acceptance if not a.ledger_ids],
                "results": [self.shown(r) for r in work.tool_result],
                "added": added,
                "read": read,
                "unknowns": unknowns,
            },
        )
        return Answer(
            task_id=task.id,
            content=content.strip() + "\n",
            claims=tuple(self._claims(work, items, read.quotes)),
            unknowns=tuple(unknowns),
        )

    def _items(self, task: GraphTask) -> list[LedgerItem]:
        mine = {i for a in task.acceptance for i in a.ledger_ids}
        return [i for i in self.ledger.items if i.id in mine]

    def _read(self, work: Work) -> Reading:
        """What the documents say about this task more than about any other."""
        hits = [
            hit
            for result in work.tool_result
            if result.ok and result.name == "search_documents"
            for hit in result.output["hits"]
            if _holds(hit, strict=bool(work.feedback))
        ]
        return select_quotes(hits, work.task, work.state.tasks, self.brief.objective)

    def shown(self, result: ToolResult) -> str:
        """Return what a tool gave, as Markdown."""
        if not result.ok:
            what, said = failing(result.name, result.error)
            return f"**{what}** [{result.id}] {said}"
        options = {d.id: d.scores for d in self.design.directions}
        values = {"name": result.name, "id": result.id, "out": result.output, "options": options}
        cap = self.design.most_units
        return render("results.md.j2", {**values, "cap": cap, "short": False}).strip()

    def _claims(
        self, work: Work, items: Sequence[LedgerItem], quotes: Iterable[Quote]
    ) -> Iterable[Claim]:
        for item in items:
            yield Claim(kind="brief", text=item.text, source=item.id, passage=self._words(item))
        for quote in quotes:
            yield Claim(kind="quoted", text=quote.text, source=quote.id, passage=quote.text)
        for result in work.tool_result:
            if result.name != "search_documents" or not result.ok:
                yield Claim(kind="computed", text=_plain(self.shown(result)), source=result.id)
        cited = set(re.findall(r"\[(A\d+)\]", " ".join(texts(work.task))))
        for assumption in self.design.assumptions:
            if assumption.id in cited:
                yield Claim(kind="assumption", text=assumption.text, source=assumption.id)

    def _words(self, item: LedgerItem) -> str:
        """An item as the brief writes it: the ledger names its budget and its deadline."""
        fields = [f for f in (self.brief.budget, self.brief.deadline) if f]
        return next((f for f in fields if item.text.endswith(f": {f}")), item.text)

    def _unknowns(self, work: Work, read: Reading, added: Added | None) -> list[str]:
        """Questions that this task turns on more than any other; none is asked twice."""
        asked = [q for q in self.design.questions if self._home(q, work) == work.task.id]
        found = asked[:_QUESTIONS]
        cites = added and any(t.sources for t in (*added.steps, *added.findings))
        if self.documents and not (read.quotes or read.pointers or cites):
            found.append("No passage of the documents given speaks to this task.")
        return [*found, *(added.unknowns if added else ())]

    def _home(self, question: str, work: Work) -> str:
        """The task that a question is closest to, beyond the words of the objective; "" if none."""
        words = stems(question) - stems(self.brief.objective)
        near = {t.id: len(words & stems(" ".join(texts(t)))) for t in work.state.tasks}
        best = max(near, key=lambda key: near[key])
        return best if near[best] >= _SHARED else ""


def _holds(hit: Mapping[str, Any], *, strict: bool) -> bool:
    """Whether a passage may be quoted: nothing replaces it; once criticised, only if it is live."""
    if hit["superseded_by"]:
        return False
    return not strict or hit["status"] == "live"


def _summary(task: GraphTask) -> dict[str, str]:
    return {"id": task.id, "title": task.title, "deliverable": task.deliverable}


def _after(key: str, tasks: Mapping[str, GraphTask]) -> set[str]:
    """Tasks that need not be done if the work ends after *key*: neither it nor what led to it."""
    done, waiting = set[str](), [key]
    while waiting:
        task = waiting.pop()
        if task not in done:
            done.add(task)
            waiting += tasks[task].depends_on
    return set(tasks) - done


def _points(points: ThreePoint | None) -> dict[str, float]:
    return points.model_dump() if points else {"low": 0, "mode": 0, "high": 0}


def _plain(markdown: str) -> str:
    return " ".join(re.sub(r"[*|]+", " ", markdown).split())
