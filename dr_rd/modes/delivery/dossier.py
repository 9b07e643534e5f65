"""What a delivery makes: requirements, stories, tests, decisions, the matrix and the gate's report."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, JsonValue

from core.graph.state import GraphTask
from core.modes.delivery import Delivery
from core.values import Frozen, unsaid

DOSSIER = "dossier"
"""Its name among what the stages work on."""

TestState = Literal["open", "armed", "checked"]
"""open: no test, or a fact is missing or against it; armed: a test, an owner and a day, and only
the work itself can run it; checked: it was run on the plan, with evidence."""


class Requirement(Frozen):
    """What must hold, in a form that can be checked."""

    id: str
    source: str
    """A ledger item, an amendment with what it rests on, or "objective"."""
    kind: str
    text: str
    """The brief's or the amendment's words."""
    form: str
    """What kind of statement it is: count, money, order, absence, …"""
    owner: str = ""
    """The task that answers for it; "" while nobody does."""


class Test(Frozen):
    """How somebody else sees whether a requirement holds."""

    id: str
    requirement: str
    task: str
    text: str
    source: Literal["own line", "template", "computed", "plan", "model"]
    """A line of the task itself, the form's template, a computation, a reading of the plan, a model."""
    role: str = ""
    """Who runs it."""
    day: float | None = None
    """The working day by which it can be run."""
    state: TestState = "open"
    evidence: str = ""


class Story(Frozen):
    """A task as the one who does it would tell it."""

    id: str
    task: str
    role: str
    text: str
    requirements: tuple[str, ...]


class Choice(Frozen):
    """An option of a decision."""

    id: str
    text: str
    about: str = ""
    """What speaks for it or against it, as computed."""


class DecisionRecord(Frozen):
    """A choice that several tasks rest on."""

    id: str
    title: str
    context: str
    options: tuple[Choice, ...]
    decision: str = ""
    """The option's id; "" while it is open."""
    because: str = ""
    touches: tuple[str, ...] = ()
    by_day: float | None = None
    """The day on which the first of these tasks begins."""
    decides: str = ""
    """Who decides."""
    reopen_if: str = ""
    by_model: bool = False


class Mend(Frozen):
    """What the builder put right, or could not."""

    round: int
    block: str
    done: str


class GateItem(Frozen):
    """One thing that the gate looks at."""

    item: str
    verdict: Literal["pass", "blocks", "holds spending", "note"]
    evidence: str


class Money(Frozen):
    """What the plan costs at the confidence of its risk posture, and what that leaves out."""

    currency: str
    at: str
    planned: float
    """The costs at that confidence; where the library guesses some, what somebody gave a price for."""
    guessed: str = ""
    """Between which sums the rest is guessed, pay for guessed days too: "10,000 to 50,000"; "" if nothing."""
    limit: float
    staff_days: float
    item: str
    """The ledger item that sets the limit."""
    least_day: float = 0.0
    """What a working day of a researcher costs at least, in the currency."""
    staff: str = Field(default="", exclude_if=unsaid)
    """Why nobody need be asked whether the limit pays staff; "" where that is open."""

    @property
    def pays_no_researcher(self) -> bool:
        """Whether the limit breaks if it pays staff too, even at the least that any costs."""
        return not self.staff and self.a_day < self.least_day

    @property
    def headroom(self) -> float:
        """What the limit leaves."""
        return self.limit - self.planned

    @property
    def a_day(self) -> float:
        """What is left for a day of staff, if the limit pays it."""
        return self.headroom / self.staff_days if self.staff_days else 0.0


class Dossier(Frozen):
    """Everything that the stages have made."""

    tasks: tuple[GraphTask, ...] = ()
    """The plan, with amendments that were accepted and what was mended."""
    taken: tuple[str, ...] = ()
    """Amendments taken over, a line each."""
    requirements: tuple[Requirement, ...] = ()
    stories: tuple[Story, ...] = ()
    tests: tuple[Test, ...] = ()
    records: tuple[DecisionRecord, ...] = ()
    mends: tuple[Mend, ...] = ()
    gate: tuple[GateItem, ...] = ()
    times: Mapping[str, Mapping[str, float]] = {}
    money: Money | None = None
    first_gate: str = ""
    """The plan's first gate, such as "G1"."""
    may_start: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def task(self, task_id: str) -> GraphTask:
        """Return a task of the plan."""
        return next(t for t in self.tasks if t.id == task_id)

    def requirement(self, requirement_id: str) -> Requirement:
        """Return a requirement."""
        return next(r for r in self.requirements if r.id == requirement_id)

    def tests_of(self, requirement_id: str) -> tuple[Test, ...]:
        """Return the tests of a requirement."""
        return tuple(t for t in self.tests if t.requirement == requirement_id)

    def state_of(self, requirement_id: str) -> TestState:
        """Return a requirement's state: open if a test is, checked if the plan itself shows it."""
        states = {t.state for t in self.tests_of(requirement_id)}
        if not states or "open" in states:
            return "open"
        return "checked" if "checked" in states else "armed"

    def with_tests(self, tests: Iterable[Test]) -> "Dossier":
        """Return the dossier with those tests in place of the ones of the same id."""
        new = {test.id: test for test in tests}
        kept = tuple(t for t in self.tests if t.id not in new)
        ordered = sorted((*kept, *new.values()), key=lambda t: t.id)
        return self.model_copy(update={"tests": tuple(ordered)})

    def saved(self) -> dict[str, JsonValue]:
        """Return what a stage's update makes of it."""
        return {DOSSIER: self.model_dump(mode="json")}


def dossier_of(state: Delivery) -> Dossier:
    """Return what the stages have made so far."""
    return Dossier.model_validate(state.work.get(DOSSIER, {}))


class Row(Frozen):
    """A row of the matrix: from a limit of the brief to what is seen of it."""

    ledger: str
    requirement: str
    story: str
    test: str
    source: str
    state: TestState


def matrix(dossier: Dossier) -> tuple[Row, ...]:
    """Return the matrix; a requirement without story or test shows the gap."""
    story_of = {r: s.id for s in dossier.stories for r in s.requirements}
    rows = []
    for needed in dossier.requirements:
        common = {"ledger": needed.source, "requirement": needed.id}
        common["story"] = story_of.get(needed.id, "")
        tests = dossier.tests_of(needed.id)
        rows += [Row(**common, test=t.id, source=t.source, state=t.state) for t in tests]
        if not tests:
            rows.append(Row(**common, test="", source="", state="open"))
    return tuple(rows)


class QuestionOut(Frozen):
    """A question of the result."""

    id: str
    text: str
    answers: Mapping[str, str]
    known: Mapping[str, JsonValue]
    tried: tuple[str, ...]
    blocks: tuple[str, ...]
    meanwhile: tuple[str, ...]
    answered: str = ""


class RouteOut(Frozen):
    """A route of the result."""

    source: str
    destination: str
    reason: str
    round: int


class Result(Frozen):
    """What result.json holds."""

    version: Literal[1] = 1
    verdict: Literal["go", "no-go", "waits"]
    finding: str
    as_far_as: str = Field(description="The plan's gate up to which work may go, such as G1")
    counts: Mapping[str, int]
    plan_from: str
    plan_to: str
    flags: Mapping[str, bool]
    requirements: tuple[Requirement, ...]
    stories: tuple[Story, ...]
    tests: tuple[Test, ...]
    decision_records: tuple[DecisionRecord, ...]
    matrix: tuple[Row, ...]
    gate: tuple[GateItem, ...]
    blocks: tuple[str, ...]
    mends: tuple[Mend, ...]
    questions: tuple[QuestionOut, ...]
    may_start: tuple[str, ...]
    tasks: tuple[GraphTask, ...]
    routes: tuple[RouteOut, ...]
    taken: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
