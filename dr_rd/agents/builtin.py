"""The built-in agent: works a task from the method, the brief, the tools and the documents."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.graph.nodes import Work
from core.graph.state import Answer, Claim, GraphTask, ToolRequest, ToolResult
from core.values import Frozen
from dr_rd.agents.quoting import Quote, Reading, select_quotes, texts
from dr_rd.agents.statements import CheckedStatement
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerItem
from dr_rd.planning.context import call_context, plan_context
from dr_rd.planning.design import Design
from dr_rd.planning.library import Library
from dr_rd.planning.signals import stems
from dr_rd.templates import render
from dr_rd.tools import CallContext

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
        spec = self.library.tools.by_name.get(planned.name)
        calls = spec.arguments(self._context(work)) if spec else ({},)
        return [ToolRequest(name=planned.name, args=args) for args in calls]

    def _context(self, work: Work) -> CallContext:
        return call_context(
            self.design,
            self.library,
            brief=self.brief,
            ledger=self.ledger,
            tasks=work.state.tasks,
            task=work.task,
            seed=self.seed,
        )

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
            if result.ok and self.finds_passages(result)
            for hit in result.output["hits"]
            if _holds(hit, strict=bool(work.feedback))
        ]
        return select_quotes(
            hits, work.task, work.state.tasks, self.brief.objective, self.library.tools
        )

    def finds_passages(self, result: ToolResult) -> bool:
        """Whether what a tool gave are passages of documents."""
        return self.library.tools.give(result.name, "passages")

    def shown(self, result: ToolResult) -> str:
        """Return what a tool gave, as Markdown."""
        return self.library.tools.shown(result, plan_context(self.design))

    def _claims(
        self, work: Work, items: Sequence[LedgerItem], quotes: Iterable[Quote]
    ) -> Iterable[Claim]:
        for item in items:
            yield Claim(kind="brief", text=item.text, source=item.id, passage=self._words(item))
        for quote in quotes:
            yield Claim(kind="quoted", text=quote.text, source=quote.id, passage=quote.text)
        for result in work.tool_result:
            if not (result.ok and self.finds_passages(result)):
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
        said = {t.id: stems(" ".join(texts(t))) for t in work.state.tasks}
        asked = [q for q in self.design.questions if self._home(q, said) == work.task.id]
        found = asked[:_QUESTIONS]
        cites = added and any(t.sources for t in (*added.steps, *added.findings))
        if self.documents and not (read.quotes or read.pointers or cites):
            found.append("No passage of the documents given speaks to this task.")
        return [*found, *(added.unknowns if added else ())]

    def _home(self, question: str, said: Mapping[str, frozenset[str]]) -> str:
        """The task that a question is closest to, beyond the words of the objective; "" if none."""
        words = stems(question) - stems(self.brief.objective)
        near = {key: len(words & held) for key, held in said.items()}
        best = max(near, key=lambda key: near[key])
        return best if near[best] >= _SHARED else ""


def _holds(hit: Mapping[str, Any], *, strict: bool) -> bool:
    """Whether a passage may be quoted: nothing replaces it; once criticised, only if it is live."""
    if hit["superseded_by"]:
        return False
    return not strict or hit["status"] == "live"


def _summary(task: GraphTask) -> dict[str, str]:
    return {"id": task.id, "title": task.title, "deliverable": task.deliverable}


def _plain(markdown: str) -> str:
    return " ".join(re.sub(r"[*|]+", " ", markdown).split())
