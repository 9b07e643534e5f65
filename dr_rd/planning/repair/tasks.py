"""The tasks of a plan put right, one at a time: words, role, tools, tests, figures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.errors import clipped
from core.graph.state import ThreePoint, ToolRequest
from dr_rd.brief import Estimate
from dr_rd.checks import Ledger
from dr_rd.planning.library import Library
from dr_rd.planning.repair.dependencies import needs
from dr_rd.planning.repair.faults import SHOWN, Faults
from dr_rd.planning.repair.names import item_id, normalized_name
from dr_rd.planning.repair.proposal import ProposedTask
from dr_rd.planning.repair.texts import Texts
from dr_rd.planning.repair.written import LONGEST_TITLE, MOST_LINES, Guess, WrittenTask
from dr_rd.planning.roles import find_role, fitting

_POINTS: TypeAdapter[ThreePoint] = TypeAdapter(Estimate)


@dataclass(frozen=True, slots=True)
class Tasks:
    """Puts the tasks of one plan right."""

    ledger: Ledger
    library: Library
    tools: Collection[str]
    theirs: Collection[str]
    texts: Texts
    faults: Faults

    def task(self, written: WrittenTask, key: str, known: Mapping[str, str]) -> ProposedTask:
        """Return *written* under the id *key*; *known*: ids by what the plan calls them."""
        kept = ProposedTask(
            id=key,
            title=self.texts.whole(written.title, f"the title of {key}", LONGEST_TITLE),
            description=self.texts.whole(written.purpose, f"the purpose of {key}"),
            deliverable=self.texts.whole(written.deliverable, f"the deliverable of {key}"),
            steps=self._steps(written, key),
            depends_on=needs(written, key, known, self.faults),
            days=self._points(written.days, f"the days of {key}"),
            cost=self._points(written.cost, f"the cost of {key}"),
            **self._tests(written, key),
        )
        if not kept.title:
            self.faults.name(f"{key} has no title", "give every task one", "the task is left out")
        role = self._role(written, kept)
        may = [n for n in self.tools if n in self.library.role(role).tools]
        may += self.theirs
        tools = dict.fromkeys(self._tool(t, may, key) for t in written.tools)
        calls = tuple(ToolRequest(name=name) for name in tools if name)
        return kept.model_copy(update={"role": role, "tools": calls})

    def _role(self, written: WrittenTask, kept: ProposedTask) -> str:
        """The role named; who else would do it is only said once the author had a say."""
        roles = self.library.roles
        if found := find_role(written.role, roles):
            return found.id
        role = fitting(kept.model_copy(update={"role": written.role}), roles)
        self.faults.name(
            f"{kept.id} is given to {clipped(written.role, SHOWN)!r}, which is none of the roles",
            f"choose one of {', '.join(r.id for r in roles)}",
            f"{role.id} does it",
        )
        return role.id

    def _tool(self, raw: str, may: Sequence[str], key: str) -> str:
        name = next((n for n in may if normalized_name(n) == normalized_name(raw)), "")
        if not name:
            self.faults.remove("tools that are not open to the task's role", f"{raw} ({key})")
        return name

    def _steps(self, written: WrittenTask, key: str) -> tuple[str, ...]:
        lines = [line for step in written.steps for line in step.splitlines()]
        kept = [self.texts.line(text, f"a step of {key}") for text in lines]
        return tuple(self.faults.few([t for t in kept if t], MOST_LINES, key, "steps"))

    def _tests(self, written: WrittenTask, key: str) -> dict[str, Any]:
        pairs = [
            (self.texts.line(c.text, f"a criterion of {key}"), self._answered(c.answers, key))
            for c in written.acceptance
        ]
        kept = self.faults.few([p for p in pairs if p[0]], MOST_LINES, key, "criteria")
        return {"acceptance": tuple(t for t, _ in kept), "answers": tuple(a for _, a in kept)}

    def _answered(self, raw: Iterable[str], key: str) -> tuple[str, ...]:
        known = {item_id(i.id): i.id for i in self.ledger.items}
        for name in raw:
            if item_id(name) not in known:
                self.faults.remove("ids that no limit has", f"{name} ({key})")
        return tuple(dict.fromkeys(known[item_id(n)] for n in raw if item_id(n) in known))

    def _points(self, guess: Guess | None, what: str) -> ThreePoint | None:
        if guess is None:
            return None
        said = [guess.low, guess.mode, guess.high]
        try:
            return _POINTS.validate_python(said)
        except ValidationError:
            wrong = f"{what} are given as {clipped(str(said), SHOWN)}"
            remedy = "give numbers for low, mode and high that do not fall, or null"
            self.faults.name(wrong, remedy, "they count as not given")
            return None
