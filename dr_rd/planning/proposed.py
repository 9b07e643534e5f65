"""Plans that a model proposes.

A plan with faults goes back once, with each of them named. What is still wrong after that is put
right or left out by code, and told in a note: one bad step does not cost the others.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field, create_model

from core.errors import TaskError
from core.graph.state import GraphTask
from core.pluralize import pluralize
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.language import UNKNOWN, language
from dr_rd.models.typed.ask import Model, Question
from dr_rd.models.typed.schema import bounds
from dr_rd.models.window import Window, fitted
from dr_rd.planning.design import Change, Design
from dr_rd.planning.expertise import Expertise
from dr_rd.planning.library import Library
from dr_rd.planning.limits import load_rates, money_limit
from dr_rd.planning.repair import (
    LINES,
    MOST_TASKS,
    Criterion,
    Fault,
    ProposedTask,
    RepairedPlan,
    WrittenPlan,
    WrittenTask,
    repair_plan,
)
from dr_rd.planning.scaffold import Scaffold, compared, scaffold
from dr_rd.prompts import Prompt, prompt
from dr_rd.templates import in_words

_LEAST_TASKS = 3
"""Tasks below which a plan is remarkable; the prompt says this too."""

_NONE: Mapping[str, str] = MappingProxyType({})

_NOTHING, _WINDOW = Scaffold(), Window()

_REPLY_TOKENS = 3000
"""Room that is left for the plan, in tokens."""

_COMPLAINTS = 20
"""How many faults the author of a plan is told of: it has one turn to put them right."""


class Proposed(Frozen):
    """A plan that a model proposes."""

    tasks: tuple[ProposedTask, ...]
    kept: tuple[str, ...] = ()
    """Ids of those that are the library's own, and have nothing but their ids here."""
    notes: tuple[str, ...] = ()
    """What was put right or left out of what the model wrote, a sentence each."""
    sample: float | None = None
    """How many units it samples; None where it does not say."""
    changes: tuple[Change, ...] = ()
    expertise: Expertise = Expertise()


async def proposed_tasks(
    model: Model,
    brief: Brief,
    ledger: Ledger,
    *,
    library: Library,
    tools: Mapping[str, str],
    mark: str,
    theirs: Mapping[str, str] = _NONE,
    direction: str = "",
    library_plan: Scaffold = _NOTHING,
    planned: Sequence[GraphTask] = (),
    passages: Sequence[str] = (),
    window: Window = _WINDOW,
) -> Proposed:
    """Ask *model* to plan *brief*.

    Its tasks go into a design as those that a brief prescribes do.

    Args:
        model: Who plans.
        brief: What is asked.
        ledger: The brief's limits: no sentence that breaks one is in the plan returned.
        library: Holds the roles that may be given tasks.
        tools: Each tool with a line about it; those that no role may call are not offered.
        mark: A line that nobody could have written into the brief, such as of random digits.
        theirs: Tools of other programs, open to every role, with what those say of them.
        direction: The direction to plan, where one is chosen.
        library_plan: What the library would plan, for the model to change.
        planned: Its tasks, which the model may keep as they are.
        passages: The documents' most telling passages, the best first, each with its place.
        window: How much the model reads at once: of the two above it is shown what has room.

    Raises:
        TaskError: There is no reply, or nothing of it can be used.

    """
    callable_ = {name for role in library.roles for name in role.tools}
    offered = {name: about for name, about in tools.items() if name in callable_}
    tongue = language(brief.words)
    values = {
        "mark": mark,
        "language": "the language of the brief" if tongue == UNKNOWN else tongue.capitalize(),
        "brief": brief,
        "direction": direction,
        "items": ledger.items,
        "roles": library.roles,
        "tools": offered,
        "theirs": theirs,
        "currency": money_limit(ledger, load_rates())[1],
    }
    asked, whole = _asked(values, library_plan, passages, window)
    keepable = planned if whole else ()  # nobody keeps, or drops, what was not shown
    seen: list[RepairedPlan] = []

    def sound(plan: WrittenPlan) -> None:
        seen.append(repair_plan(plan, brief, ledger, library, offered, theirs, keepable))
        if seen[-1].faults:
            raise ValueError(_complaints(seen[-1].faults))

    question = Question(purpose="plan", system=asked.system, user=asked.user)
    named = [*offered, *theirs]
    kind = _kind([r.id for r in library.roles], named, [i.id for i in ledger.items])
    try:
        await model.ask(question, kind, check=sound)
    except TaskError:
        if not any(found.tasks for found in seen):
            raise
    best = next(found for found in reversed(seen) if found.tasks)
    return Proposed(
        tasks=best.tasks,
        kept=best.kept,
        notes=(*(f.note for f in best.faults), *best.asides),
        sample=best.sample,
        changes=tuple(Change(what=what, why=why) for what, why in best.changes),
        expertise=best.expertise,
    )


def _asked(
    values: Mapping[str, Any], library_plan: Scaffold, passages: Sequence[str], window: Window
) -> tuple[Prompt, bool]:
    """Fill the prompt with as many whole lines of the library and the documents as there is room for.

    Returns it, and whether all of the library's plan is in it.
    """
    held: dict[str, tuple[str, ...]] = {"plan": (), "prices": (), "pitfalls": (), "passages": ()}
    bare = prompt("plan", {**values, **held, "whole": False})
    used = window.tokens(bare.system + bare.user)
    lines = {**library_plan.model_dump(), "passages": tuple(passages)}
    for name in held:
        shown = [f"- {line}\n" for part in held.values() for line in part]
        taken = used + window.tokens("".join(shown))
        held[name], _ = fitted(lines[name], window, used=taken, reply=_REPLY_TOKENS)
    whole = bool(held["plan"]) and len(held["plan"]) == len(lines["plan"])
    return prompt("plan", {**values, **held, "whole": whole}), whole


async def proposed_design(
    model: Model,
    brief: Brief,
    ledger: Ledger,
    *,
    library: Library,
    tools: Mapping[str, str],
    mark: str,
    theirs: Mapping[str, str] = _NONE,
    passages: Sequence[str] = (),
    window: Window = _WINDOW,
    designed: Callable[[Brief], Design],
) -> Design:
    """Return the design of the plan that *model* proposes, or the library's own if it fails.

    The arguments are those of `proposed_tasks`; *designed* makes the design of a brief.
    """
    ours = designed(brief)
    chosen = next(d for d in ours.directions if d.id == ours.chosen)
    direction = chosen.text if chosen.given else ""
    try:
        found = await proposed_tasks(
            model,
            brief,
            ledger,
            library=library,
            tools=tools,
            mark=mark,
            theirs=theirs,
            direction=direction,
            library_plan=scaffold(ours, library),
            planned=ours.tasks,
            passages=passages,
            window=window,
        )
    except TaskError as failure:
        return ours.model_copy(update={"notes": (f"The plan is the library's: {failure}.",)})
    mode = "planned" if found.kept else "replace"
    design = designed(brief.model_copy(update={"tasks": found.tasks, "tasks_mode": mode}))
    notes = (*_kept(found, ours), *_gaps(found, ledger, design), *found.notes)
    return design.model_copy(
        update={
            "planned_by": model.name,
            "notes": notes,
            "compared": compared(ours, design, found.sample),
            "changes": found.changes,
            "expertise": found.expertise if found.expertise != Expertise() else None,
        }
    )


def _kept(found: Proposed, ours: Design) -> Iterator[str]:
    """Say which tasks are the library's: what they say, take and cost is no model's."""
    if found.kept:
        of = pluralize(len(ours.tasks), "task")
        yield f"Of the library's {of} the model keeps {', '.join(found.kept)} as they are."


def _gaps(found: Proposed, ledger: Ledger, design: Design) -> Iterator[str]:
    """Say how much less a plan is than what was asked for, before code made up for it."""
    if len(found.tasks) < _LEAST_TASKS:
        count = in_words(len(found.tasks), "task")
        yield f"The plan has {count}, where {_LEAST_TASKS} or more were asked for."
    claimed = {i for task in found.tasks for ids in task.answers for i in ids}
    kept = [a for t in design.tasks if t.id in found.kept for a in t.acceptance]
    claimed |= {i for a in kept for i in a.ledger_ids}
    given = [i.id for i in ledger.items if i.id not in claimed and i.id not in design.unowned]
    if given:
        yield (
            f"The plan leaves {len(given)} of {pluralize(len(ledger.items), 'limit')} to nobody: code gave "
            f"{', '.join(given)} to the task that has most to do with each."
        )


def _complaints(faults: Sequence[Fault]) -> str:
    told = [f.complaint for f in faults[:_COMPLAINTS]]
    more = len(faults) - len(told)
    return ". ".join(told) + (f". And {more} more like these" if more else "")


def _kind(
    roles: Collection[str], tools: Collection[str], items: Collection[str]
) -> type[WrittenPlan]:
    """Return the type of a plan: its schema names the choices, reading it takes others too."""
    criterion = create_model("Criterion", __base__=Criterion, answers=(_several(items), ()))
    task = create_model(
        "Task",
        __base__=WrittenTask,
        role=(_one_of(roles), ""),
        tools=(_several(tools), ()),
        acceptance=(Annotated[tuple[criterion, ...], LINES], ()),
    )
    tasks = Annotated[tuple[task, ...], bounds(maxItems=MOST_TASKS)]
    return create_model("Plan", __base__=WrittenPlan, tasks=(tasks, ...))


def _several(choices: Collection[str]) -> Any:  # noqa: ANN401 - a type made while running
    return Annotated[tuple[_one_of(choices), ...], LINES]  # type: ignore[misc]


def _one_of(choices: Collection[str]) -> Any:  # noqa: ANN401 - a type made while running
    """Return text whose schema names *choices*; none at all is no choice."""
    named = Field(json_schema_extra={"enum": list(choices)})
    return Annotated[str, named] if choices else str
