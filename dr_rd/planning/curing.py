"""A model's plan put right: the certain is settled, the wrong is named, and then left out."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError, WithJsonSchema, model_validator

from core.errors import clipped
from core.graph.state import TASK_ID, Acceptance, ThreePoint, ToolRequest
from core.values import Frozen
from dr_rd.adherence import broken
from dr_rd.brief import Brief, Estimate, GivenTask
from dr_rd.evidence.words import words
from dr_rd.language import foreign, language
from dr_rd.ledger import Ledger
from dr_rd.models.typed import bounds
from dr_rd.plain import ADDRESS, plain
from dr_rd.planning.library import Library
from dr_rd.planning.roles import fitting, named

_T = TypeVar("_T")

MOST_TASKS = 30
_MOST_LINES = 20
"""Steps or criteria of one task; a longer list nobody works through."""

_LONGEST_TITLE, _LONGEST = 200, 600
"""Characters; the prompt says these too."""

_SHOWN = 80
"""Characters of a model's text that are quoted when it is complained of."""

_PASSES = 20
"""How often a plan is held against the ledger while sentences that break it leave."""

# ------------------------------------------------------------------------ as a model writes it


_Id = Annotated[str, bounds(maxLength=20)]
_Text = Annotated[str, bounds(maxLength=_LONGEST)]
LINES = bounds(maxItems=_MOST_LINES)


class Criterion(Frozen):
    """A test, and the ids of the limits that it answers."""

    text: _Text = ""
    answers: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:  # noqa: ANN401 - whatever was written
        return {"text": value} if isinstance(value, str) else value


_Number = Annotated[Any, WithJsonSchema({"type": "number"})]
"""What should be a number: one that is none costs its estimate, not the whole plan."""


class Guess(Frozen):
    """Three points, in whatever way they are written."""

    low: _Number = None
    mode: _Number = None
    high: _Number = None

    @model_validator(mode="before")
    @classmethod
    def _three(cls, value: Any) -> Any:  # noqa: ANN401 - whatever was written
        if isinstance(value, Guess | dict):
            return value
        points = value if isinstance(value, list) and len(value) == 3 else [value] * 3
        return dict(zip(("low", "mode", "high"), points, strict=True))


class WrittenTask(Frozen):
    """A task; what must not be missing is asked for by name, not by its type."""

    id: _Id = ""
    title: Annotated[str, bounds(maxLength=_LONGEST_TITLE)] = ""
    role: str = ""
    purpose: _Text = ""
    steps: Annotated[tuple[_Text, ...], LINES] = ()
    depends_on: Annotated[tuple[_Id, ...], LINES] = ()
    deliverable: _Text = ""
    acceptance: Annotated[tuple[Criterion, ...], LINES] = ()
    tools: tuple[str, ...] = ()
    days: Guess | None = None
    cost: Guess | None = None


class WrittenPlan(Frozen):
    """A plan."""

    tasks: Annotated[tuple[WrittenTask, ...], bounds(maxItems=MOST_TASKS)]


# ------------------------------------------------------------------------------ as it is used


class ProposedTask(GivenTask):
    """A task that a model plans."""

    source: ClassVar[Literal["brief", "model"]] = "model"

    answers: tuple[tuple[str, ...], ...] = ()
    """The ledger ids that each of its acceptance criteria answers."""

    @property
    def tests(self) -> tuple[Acceptance, ...]:
        """Return its acceptance criteria with what they answer."""
        pairs = zip(self.acceptance, self.answers, strict=True)
        return tuple(Acceptance(text=text, ledger_ids=ids) for text, ids in pairs)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a plan."""

    wrong: str
    remedy: str
    """What its author should do."""
    cure: str
    """What is done if the author does not."""

    @property
    def complaint(self) -> str:
        """Return it for the author."""
        return f"{self.wrong}; {self.remedy}"

    @property
    def note(self) -> str:
        """Return it for the analyst."""
        return f"{self.wrong}: {self.cure}."


@dataclass(frozen=True, slots=True)
class Cured:
    """A plan that can be used, if it has tasks, and what it took."""

    tasks: tuple[ProposedTask, ...]
    faults: tuple[Fault, ...]
    asides: tuple[str, ...]
    """What was left out and is not worth asking again."""


def cured(
    plan: WrittenPlan,
    brief: Brief,
    ledger: Ledger,
    library: Library,
    tools: Collection[str],
    theirs: Collection[str] = (),
) -> Cured:
    """Return *plan* put right.

    Args:
        plan: What a model wrote.
        brief: What was asked; links may come from it.
        ledger: Its limits: no sentence that breaks one is kept.
        library: Holds the roles.
        tools: Names of those that there are.
        theirs: Names of those of other programs, which any role may call.

    """
    return _Curing(brief, ledger, library, tools, theirs).cured(plan)


_POINTS: TypeAdapter[ThreePoint] = TypeAdapter(Estimate)


@dataclass
class _Curing:
    """One plan being put right."""

    brief: Brief
    ledger: Ledger
    library: Library
    tools: Collection[str]
    theirs: Collection[str]
    faults: list[Fault] = field(default_factory=list)
    removed: dict[str, list[str]] = field(default_factory=dict)
    """What was taken out, by what it is."""

    def cured(self, plan: WrittenPlan) -> Cured:
        written = self._few(plan.tasks, MOST_TASKS, "the plan", "tasks")
        if not written:
            self._fault("the plan has no task", "plan 3 to 12", "there is nothing to keep")
        ids = self._ids([t.id for t in written])
        known = _called([t.id for t in written], ids)
        drafts = [self._task(t, i, known) for t, i in zip(written, ids, strict=True)]
        drafts = _without(drafts, {t.id for t in drafts if not t.title})
        drafts = self._forward(self._lawful(drafts))
        self._same_language(drafts)
        asides = [
            f"Left out, {what}: {', '.join(dict.fromkeys(them))}."
            for what, them in self.removed.items()
        ]
        return Cured(tuple(drafts), tuple(self.faults), tuple(asides))

    # --- what is said of it

    def _fault(self, wrong: str, remedy: str, cure: str) -> None:
        self.faults.append(Fault(wrong, remedy, cure))

    def _remove(self, what: str, it: str) -> None:
        self.removed.setdefault(what, []).append(clipped(it, _SHOWN))

    def _few(self, them: Sequence[_T], most: int, owner: str, what: str) -> Sequence[_T]:
        if len(them) > most:
            wrong = f"{owner} has {len(them)} {what}, of {most} at most"
            self._fault(wrong, "keep those that matter", f"the first {most} are kept")
        return them[:most]

    # --- ids, roles, words

    def _ids(self, written: Sequence[str]) -> list[str]:
        """Give every task an id of its own; one that cannot name a file is spelled anew."""
        found: list[str] = []
        for number, raw in enumerate(written, 1):
            wanted = re.sub(r"[^A-Za-z0-9_-]+", "-", raw).strip("-_")
            twice = wanted.lower() in {i.lower() for i in found}
            if twice or not re.match(TASK_ID, wanted):
                wanted = _free(number, [*found, *written])
            if twice:
                wrong = f"two tasks have the id {clipped(raw, _SHOWN)!r}"
                self._fault(wrong, "give each its own", f"the second is now {wanted}")
            found.append(wanted)
        return found

    def _task(self, written: WrittenTask, key: str, known: Mapping[str, str]) -> ProposedTask:
        kept = ProposedTask(
            id=key,
            title=self._whole(written.title, f"the title of {key}", _LONGEST_TITLE),
            description=self._whole(written.purpose, f"the purpose of {key}"),
            deliverable=self._whole(written.deliverable, f"the deliverable of {key}"),
            steps=self._steps(written, key),
            depends_on=self._needs(written, key, known),
            days=self._points(written.days, f"the days of {key}"),
            cost=self._points(written.cost, f"the cost of {key}"),
            **self._tests(written, key),
        )
        if not kept.title:
            self._fault(f"{key} has no title", "give every task one", "the task is left out")
        role = self._role(written, kept)
        may = [n for n in self.tools if n in self.library.role(role).tools]
        may += self.theirs
        tools = dict.fromkeys(self._tool(t, may, key) for t in written.tools)
        calls = tuple(ToolRequest(name=name) for name in tools if name)
        return kept.model_copy(update={"role": role, "tools": calls})

    def _role(self, written: WrittenTask, kept: ProposedTask) -> str:
        """The role named; who else would do it is only said once the author had a say."""
        roles = self.library.roles
        if found := named(written.role, roles):
            return found.id
        role = fitting(kept.model_copy(update={"role": written.role}), roles)
        self._fault(
            f"{kept.id} is given to {clipped(written.role, _SHOWN)!r}, which is none of the roles",
            f"choose one of {', '.join(r.id for r in roles)}",
            f"{role.id} does it",
        )
        return role.id

    def _tool(self, raw: str, may: Sequence[str], key: str) -> str:
        name = next((n for n in may if _spelled(n) == _spelled(raw)), "")
        if not name:
            self._remove("tools that are not open to the task's role", f"{raw} ({key})")
        return name

    def _steps(self, written: WrittenTask, key: str) -> tuple[str, ...]:
        lines = [line for step in written.steps for line in step.splitlines()]
        kept = [self._line(text, f"a step of {key}") for text in lines]
        return tuple(self._few([t for t in kept if t], _MOST_LINES, key, "steps"))

    def _tests(self, written: WrittenTask, key: str) -> dict[str, Any]:
        pairs = [
            (self._line(c.text, f"a criterion of {key}"), self._answered(c.answers, key))
            for c in written.acceptance
        ]
        kept = self._few([p for p in pairs if p[0]], _MOST_LINES, key, "criteria")
        return {"acceptance": tuple(t for t, _ in kept), "answers": tuple(a for _, a in kept)}

    def _answered(self, raw: Iterable[str], key: str) -> tuple[str, ...]:
        known = {_item(i.id): i.id for i in self.ledger.items}
        for name in raw:
            if _item(name) not in known:
                self._remove("ids that no limit has", f"{name} ({key})")
        return tuple(dict.fromkeys(known[_item(n)] for n in raw if _item(n) in known))

    def _whole(self, text: str, what: str, most: int = _LONGEST) -> str:
        """What a task cannot go without: it is shortened."""
        said = self._said(text)
        if len(said) > most:
            self._too_long(said, what, most, "it is shortened")
        return said if len(said) <= most else clipped(said, most - len("..."))

    def _line(self, text: str, what: str) -> str:
        """One of several: what is too long to be read whole is not cut in two."""
        said = self._said(text)
        if len(said) <= _LONGEST:
            return said
        self._too_long(said, what, _LONGEST, "it is left out")
        return ""

    def _too_long(self, said: str, what: str, most: int, cure: str) -> None:
        wrong = f"{what} has {len(said)} characters, of {most} at most (“{clipped(said, _SHOWN)}”)"
        self._fault(wrong, "say it in fewer", cure)

    def _said(self, text: str) -> str:
        """Return *text* as one plain line: nothing unseen, no markup, no source from nowhere."""
        kept = _SOURCE.sub(self._source, ADDRESS.sub(self._address, plain(text)))
        said = re.sub(r"\s+([.,;:])(?=\s|$)", r"\1", " ".join(kept.split()))
        return said if re.search(r"\w", said) else ""

    def _source(self, mark: re.Match[str]) -> str:
        if set(_IDS.findall(mark[0])) <= {i.id for i in self.ledger.items}:
            return mark[0]
        self._remove("marks of sources, of which a plan has none yet", mark[0].strip())
        return ""

    def _address(self, found: re.Match[str]) -> str:
        if found[0] in self.brief.model_dump_json():
            return found[0]
        self._remove("addresses that the brief does not give", found[0])
        return ""

    def _points(self, guess: Guess | None, what: str) -> ThreePoint | None:
        if guess is None:
            return None
        said = [guess.low, guess.mode, guess.high]
        try:
            return _POINTS.validate_python(said)
        except ValidationError:
            wrong = f"{what} are given as {clipped(str(said), _SHOWN)}"
            remedy = "give numbers for low, mode and high that do not fall, or null"
            self._fault(wrong, remedy, "they count as not given")
            return None

    # --- what waits for what

    def _needs(self, written: WrittenTask, key: str, known: Mapping[str, str]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for name in (n for raw in written.depends_on for n in _apart(raw, known)):
            if before := known.get(name) or known.get(_spelled(name)):
                found[before] = None
            else:
                wrong = f"{key} waits for {clipped(name, _SHOWN)!r}, which is no task"
                remedy = (
                    f"name ids of the plan's tasks: {', '.join(dict.fromkeys(known.values()))}"
                )
                self._fault(wrong, remedy, "it no longer does")
        return tuple(found)

    def _forward(self, tasks: Sequence[ProposedTask]) -> list[ProposedTask]:
        """Leave out, in the plan's order, each dependency that would close a ring."""
        needs: dict[str, tuple[str, ...]] = {t.id: () for t in tasks}
        for task in tasks:
            for before in task.depends_on:
                if task.id in _reached(before, needs):
                    ring = "itself" if before == task.id else f"{before}, which waits for it"
                    wrong = f"{task.id} waits for {ring}"
                    self._fault(wrong, "remove one of these dependencies", "it no longer does")
                else:
                    needs[task.id] += (before,)
        return [t.model_copy(update={"depends_on": needs[t.id]}) for t in tasks]

    # --- limits

    def _lawful(self, tasks: Sequence[ProposedTask]) -> list[ProposedTask]:
        """Leave out what breaks an item of the ledger until nothing does."""
        kept, alone = list(tasks), True
        for _ in range(_PASSES):
            unfit = self._broken(kept, alone=alone)
            if not unfit:
                break
            for line, (item, quote) in unfit.items():
                self._fault(
                    f"{line.where}, “{clipped(quote, _SHOWN)}”, breaks {item} "
                    f"(“{clipped(self.ledger.item(item).text, _SHOWN)}”)",
                    "plan nothing that does",
                    "the task is left out" if line.vital else "it is left out",
                )
            kept = _without(kept, {line.task for line in unfit if line.vital})
            kept = [_less(t, {line.place for line in unfit if line.task == t.id}) for t in kept]
            alone = False
        return kept

    def _broken(
        self, tasks: Sequence[ProposedTask], *, alone: bool
    ) -> "dict[_Line, tuple[str, str]]":
        """Lines that break an item, each with it and the words; at first each line *alone* too.

        One check finds one passage for an item, and a plan may break it in every line.
        """
        lines = [line for t in tasks for line in _lines(t)]
        bans = [i for i in self.ledger.items if i.kind == "ban"]
        found = {ln: (b.id, ln.text) for ln in lines for b in bans if ln.does(b.text)}
        together = [(v, at[0]) for v, at in broken(self.ledger, [ln.text for ln in lines]) if at]
        for v, first in together:
            found.setdefault(lines[first], (v.id, v.quote))
        items = tuple(self.ledger.item(v.id) for v, _ in together)
        for line in lines if alone and items else ():
            for v, _ in broken(Ledger(items=items), [line.text]):
                found.setdefault(line, (v.id, v.quote))
        return found

    def _same_language(self, tasks: Sequence[ProposedTask]) -> None:
        """Say which tasks are in another language than the brief, as far as that can be told."""
        asked, others = language(self.brief.words), dict[str, list[str]]()
        for task in tasks:
            if used := foreign(" ".join(line.text for line in _lines(task)), asked):
                others.setdefault(used, []).append(task.id)
        for used, keys in others.items():
            wrong = f"{', '.join(keys)}: in {used.capitalize()}, the brief in {asked.capitalize()}"
            self._fault(wrong, f"write every text in {asked.capitalize()}", "it stays as it is")


# -------------------------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class _Line:
    """One statement of a task."""

    task: str
    place: tuple[str, int]
    """Its field, and which it is of several."""
    text: str

    @property
    def vital(self) -> bool:
        """Whether its task is nothing without it."""
        return self.place[0] in ("title", "description")

    def does(self, banned: str) -> bool:
        """Whether it says what is *banned* and no more: elsewhere that names it, here it is done."""
        return self.place[0] != "acceptance" and words(self.text) == words(banned)

    @property
    def where(self) -> str:
        """Return its place, for a person."""
        names = {"description": "the purpose", "steps": "a step", "acceptance": "a criterion"}
        return f"{names.get(self.place[0], f'the {self.place[0]}')} of {self.task}"


def _lines(task: ProposedTask) -> Iterator[_Line]:
    for name in ("title", "description", "deliverable"):
        yield _Line(task.id, (name, 0), getattr(task, name))
    for name in ("steps", "acceptance"):
        for number, text in enumerate(getattr(task, name)):
            yield _Line(task.id, (name, number), text)


def _less(task: ProposedTask, places: Collection[tuple[str, int]]) -> ProposedTask:
    """Return *task* without what stands at those places."""

    def rest(name: str, them: Sequence[_T]) -> tuple[_T, ...]:
        return tuple(it for n, it in enumerate(them) if (name, n) not in places)

    return task.model_copy(
        update={
            "steps": rest("steps", task.steps),
            "acceptance": rest("acceptance", task.acceptance),
            "answers": rest("acceptance", task.answers),
            "deliverable": "" if ("deliverable", 0) in places else task.deliverable,
        }
    )


def _without(tasks: Sequence[ProposedTask], gone: Collection[str]) -> list[ProposedTask]:
    """Return those that stay; what waited for one that goes waits for what that one waited for."""
    needs = {t.id: t.depends_on for t in tasks}

    def instead(key: str, passed: frozenset[str]) -> Iterator[str]:
        if key not in gone:
            yield key
        elif key not in passed:
            for before in needs[key]:
                yield from instead(before, passed | {key})

    def still(task: ProposedTask) -> tuple[str, ...]:
        found = [n for d in task.depends_on for n in instead(d, frozenset())]
        return tuple(n for n in dict.fromkeys(found) if n in task.depends_on or n != task.id)

    return [t.model_copy(update={"depends_on": still(t)}) for t in tasks if t.id not in gone]


def _reached(key: str, needs: Mapping[str, Sequence[str]]) -> set[str]:
    """All that *key* waits for, and itself."""
    found, waiting = set[str](), [key]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += needs[here]
    return found


# -------------------------------------------------------------------------------------- words

_SOURCE = re.compile(
    r"\s?(?:\[\s*(?:plan\b|brief\b|[A-Z]{1,2}\d{1,4}\b)[^\[\]]*\]|\(assumed,[^()]*\))"
)
"""Marks that readers and scores take for a source: of evidence, a calculation, an assumption."""

_IDS = re.compile(r"\w[\w-]*")


def _spelled(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _item(name: str) -> str:
    """An item's id however it is written: "c1" is C01."""
    found = re.match(r"\W*([A-Za-z])[\W_]*0*(\d+)\b", name)
    return f"{found[1].upper()}{found[2]}" if found else name


def _called(written: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Ids by what the plan calls them: letter by letter, or however spelled if that is certain."""
    spelled, found = [_spelled(raw) for raw in written], dict[str, str]()
    for raw, key in zip(written, ids, strict=True):
        found.setdefault(raw, key)
    for name, key in zip(spelled, ids, strict=True):
        if spelled.count(name) == 1:
            found.setdefault(name, key)
    return {name: key for name, key in found.items() if name}


def _apart(raw: str, known: Collection[str]) -> list[str]:
    """The ids that *raw* lists; one that holds a comma is one."""
    listed = [raw] if raw in known else re.split(r"[,;]", raw)
    return [name.strip() for name in listed if name.strip()]


def _free(number: int, taken: Iterable[str]) -> str:
    """The first T01, T02, … from *number* on that nobody has."""
    used = {_spelled(t) for t in taken}
    while (name := f"T{number:02}").lower() in used:
        number += 1
    return name
