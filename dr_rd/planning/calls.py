"""Which tools the tasks of a plan call, and which task calls each; the tools say when."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from core.graph.state import GraphTask, ToolRequest
from dr_rd.planning.draft import Draft
from dr_rd.planning.methods import Package
from dr_rd.planning.ruling import Declared, LeftOut, ruled_out
from dr_rd.tools import Registry, ToolSpec
from dr_rd.tools.spec import Need

_Fits = Callable[[Package], bool]
_Callers = Mapping[str, str | None]
"""The id of the task that calls each tool; None where no role of the plan may."""


def with_calls(
    draft: Draft, tasks: tuple[GraphTask, ...], *, conversions: bool, sized: bool
) -> tuple[tuple[GraphTask, ...], tuple[LeftOut, ...]]:
    """Return *tasks* with the calls that each makes, and the tools that a limit rules out.

    *conversions*: there are units to convert; *sized*: there is a sample size to compute.
    """
    tools = draft.library.tools
    there = _there(draft, tasks, conversions=conversions, sized=sized)
    barred, by_model = _barred(draft), any(t.source == "model" for t in tasks)
    wanted = [spec for spec in tools.by_order if _wanted(spec, draft, tasks, there)]
    missed = {spec.name for spec in wanted}
    if by_model:
        missed |= {r.name for t in tasks for r in t.tool_request}
        tasks = _sparing(tasks, tools, there, barred)
    left_open = {r.name for t in tasks for r in t.tool_request if not r.args}
    called = [spec for spec in wanted if spec.name not in barred]
    callers = {
        spec.name: _caller(spec, draft, tasks)
        for spec in called
        if spec.plan.task.pick != "each" and spec.name not in left_open
    }
    by_each = [spec.name for spec in called if spec.plan.task.pick == "each"]
    with_them = tuple(
        t.model_copy(update={"tool_request": (*t.tool_request, *_added(t, callers, by_each))})
        for t in tasks
    )
    return with_them, tuple(out for name, out in barred.items() if name in missed)


def calls_declared(tasks: Iterable[GraphTask], tools: Registry) -> Iterator[Declared]:
    """The calls of *tasks* to tools that take actions."""
    for task in tasks:
        for name in dict.fromkeys(r.name for r in task.tool_request):
            spec = tools.by_name.get(name)
            if spec and spec.plan.actions:
                text = f"calls the tool {name}"
                yield Declared(task_id=task.id, text=text, actions=spec.plan.actions)


def _barred(draft: Draft) -> Mapping[str, LeftOut]:
    """The tools that do what a limit rules out, by their names."""
    found = {
        spec.name: ruled_out(f"tool: {spec.name}", spec.plan.actions, draft.rulings)
        for spec in draft.library.tools.specs
    }
    return {name: out for name, out in found.items() if out}


def _there(
    draft: Draft, tasks: Iterable[GraphTask], *, conversions: bool, sized: bool
) -> frozenset[Need | None]:
    """What the plan has for tools to be called with."""
    has: Mapping[Need, bool] = {
        "conversions": conversions,
        "costs": any(t.cost and t.cost.mean for t in tasks),
        "screening": draft.method.screening is not None,
        "sizing": sized,
    }
    return frozenset({None, *draft.given, *(need for need, is_there in has.items() if is_there)})


def _wanted(
    spec: ToolSpec, draft: Draft, tasks: Sequence[GraphTask], there: Collection[Need | None]
) -> bool:
    """Whether the plan calls a tool, whoever does."""
    rule, prescribed = spec.plan, draft.brief.prescribed
    if rule.needs not in there:
        return False
    if not prescribed and _requested(spec, draft):
        return True
    if rule.task.required and not any(map(_fits(spec, draft), draft.packages)):
        return False
    if rule.when == "unprescribed":
        return not prescribed or tasks[0].source == "model"
    return rule.when == "always"


def _requested(spec: ToolSpec, draft: Draft) -> bool:
    """Whether a work package of the method asks for a tool by its name."""
    return any(spec.name in p.tools for p in draft.packages)


def _caller(spec: ToolSpec, draft: Draft, tasks: Sequence[GraphTask]) -> str | None:
    """Return the task that calls a tool: one that fits, else any; its role may call it."""
    ordered = tasks[::-1] if spec.plan.task.pick == "last" else tasks
    open_ = [t for t in ordered if spec.name in draft.library.role(t.role).tools]
    fits = _fits(spec, draft)
    sources = {source for source, package in draft.sources.items() if fits(package)}
    fitting = [t for t in open_ if t.source in sources]
    return next((t.id for t in [*fitting, *open_]), None)


def _fits(spec: ToolSpec, draft: Draft) -> _Fits:
    """Return whether a tool is to be called by the task of a package."""
    rule = spec.plan.task
    if not draft.brief.prescribed and _requested(spec, draft):
        return lambda package: spec.name in package.tools
    return lambda package: (
        (bool(rule.owns) and rule.owns in package.owns)
        or (bool(rule.satisfies) and rule.satisfies in package.satisfies)
        or (rule.decides and package.decides)
    )


def _sparing(
    tasks: Iterable[GraphTask],
    tools: Registry,
    there: Collection[Need | None],
    barred: Collection[str],
) -> tuple[GraphTask, ...]:
    """Leave out a model's calls that are barred, that nothing fills, or that another task makes.

    A model names tools without arguments: but for one that each task calls, such a call is the
    same anywhere.
    """
    made, kept = set[str](), list[GraphTask]()
    for task in tasks:
        asked = [
            r
            for r in task.tool_request
            if r.name not in made
            and r.name not in barred
            and ((spec := tools.by_name.get(r.name)) is None or spec.plan.needs in there)
        ]
        made |= {r.name for r in asked if not _by_each(tools, r.name)}
        kept.append(task.model_copy(update={"tool_request": tuple(asked)}))
    return tuple(kept)


def _by_each(tools: Registry, name: str) -> bool:
    spec = tools.by_name.get(name)
    return spec is not None and spec.plan.task.pick == "each"


def _added(task: GraphTask, callers: _Callers, by_each: Iterable[str]) -> Iterator[ToolRequest]:
    """The calls that *task* makes beside its own."""
    open_ = {r.name for r in task.tool_request if not r.args}
    yield from (ToolRequest(name=n) for n, caller in callers.items() if caller == task.id)
    yield from (ToolRequest(name=n) for n in by_each if n not in open_)
