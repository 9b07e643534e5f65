"""Which tools the tasks of a plan call, and which task calls each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from core.graph.state import GraphTask, ToolRequest
from dr_rd.actions import Vocabulary
from dr_rd.planning.draft import Draft
from dr_rd.planning.library import Package, Topic
from dr_rd.planning.ruling import Declared, LeftOut, ruled_out

_LOOKS: Mapping[str, Topic] = {"analyze_image": "measurement", "read_repo": "software"}
"""Tools that look into what the analyst gave, each with the topic of the task that looks."""

_Fits = Callable[[Package], bool]
_Callers = dict[str, str | None]
"""The id of the task that calls each tool; None where no role of the plan may."""


def with_calls(
    draft: Draft, tasks: tuple[GraphTask, ...], *, conversions: bool
) -> tuple[tuple[GraphTask, ...], tuple[LeftOut, ...]]:
    """Return *tasks* with the calls that each makes, and the tools that a limit rules out.

    *conversions*: there are units to convert.
    """
    barred = _barred(draft)
    has = {**_fillable(draft, tasks, conversions=conversions), **dict.fromkeys(barred, False)}
    if tasks[0].source == "model":
        tasks = _sparing(tasks, has)
    left_open = {r.name for t in tasks for r in t.tool_request if not r.args}
    wanted = _callers(draft, tasks, has)
    callers = {k: v for k, v in wanted.items() if k not in left_open and k not in barred}
    searching = "search_documents" in draft.given
    called = tuple(
        t.model_copy(
            update={"tool_request": t.tool_request + _added(t, callers, searching=searching)}
        )
        for t in tasks
    )
    return called, tuple(b for name, b in barred.items() if name in _wanted(draft))


def calls_declared(tasks: Iterable[GraphTask], vocabulary: Vocabulary) -> Iterator[Declared]:
    """The calls of *tasks* to tools that take actions."""
    for task in tasks:
        for name in dict.fromkeys(r.name for r in task.tool_request):
            if actions := vocabulary.tools.get(name):
                yield Declared(task_id=task.id, text=f"calls the tool {name}", actions=actions)


def _barred(draft: Draft) -> dict[str, LeftOut]:
    """The tools that do what a limit rules out."""
    tools = draft.library.vocabulary.tools
    found = {n: ruled_out(f"tool: {n}", actions, draft.rulings) for n, actions in tools.items()}
    return {name: barred for name, barred in found.items() if barred}


def _wanted(draft: Draft) -> set[str]:
    """The tools that the method calls for beside those of every plan."""
    sized = any("sample_size" in p.satisfies for p in draft.packages)
    return {n for p in draft.packages for n in p.tools} | ({"sample_size"} if sized else set())


def _callers(draft: Draft, tasks: Sequence[GraphTask], has: Mapping[str, bool]) -> _Callers:
    first, last = _first_for(draft, tasks), _first_for(draft, tasks[::-1])
    wanted = {
        "decision_matrix": first("decision_matrix", lambda p: p.decides),
        "budget": last("budget", _owns("budget")),
        "schedule_risk": last("schedule_risk", _owns("schedule")),
    }
    if "search_documents" in draft.given:
        wanted["evidence_table"] = first("evidence_table", lambda _: False)
    wanted |= {n: first(n, _owns(topic)) for n, topic in _LOOKS.items() if n in draft.given}
    if not draft.brief.tasks:
        wanted |= _of_packages(draft, tasks, has)
    if not draft.brief.tasks or tasks[0].source == "model":
        wanted |= _of_design(draft, tasks, has)
    return wanted


def _of_packages(draft: Draft, tasks: Sequence[GraphTask], has: Mapping[str, bool]) -> _Callers:
    """Tools that only a method's packages ask for, each with the task that calls it."""
    first = _first_for(draft, tasks)
    named = dict.fromkeys(n for p in draft.packages for n in p.tools if has.get(n, True))
    return {n: first(n, lambda p, n=n: n in p.tools) for n in named}  # type: ignore[misc]


def _of_design(draft: Draft, tasks: Sequence[GraphTask], has: Mapping[str, bool]) -> _Callers:
    """Tools that turn the design's figures into answers, each with the task that calls it."""
    first, wanted = _first_for(draft, tasks), _Callers()
    if any("sample_size" in p.satisfies for p in draft.packages):
        wanted["sample_size"] = first("sample_size", lambda p: "sample_size" in p.satisfies)
    if has["risk_register"]:
        wanted["risk_register"] = first("risk_register", _owns("budget"))
    wanted["value_of_information"] = first("value_of_information", _owns("schedule"))
    return wanted


def _fillable(
    draft: Draft, tasks: Iterable[GraphTask], *, conversions: bool
) -> Mapping[str, bool]:
    """Whether there is something to call a tool with; those not named always have it."""
    return {
        "unit_convert": conversions,
        "simulate": draft.method.screening is not None,
        "risk_register": any(t.cost and t.cost.mean for t in tasks),
        "evidence_table": "search_documents" in draft.given,
        **{n: n in draft.given for n in ("search_documents", *_LOOKS)},
    }


def _sparing(tasks: Iterable[GraphTask], has: Mapping[str, bool]) -> tuple[GraphTask, ...]:
    """Leave out calls of a model's tasks that nothing fills, or that another task makes.

    A model names tools without arguments: but for a search, such a call is the same anywhere.
    """
    made, kept = set[str](), list[GraphTask]()
    for task in tasks:
        asked = [r for r in task.tool_request if has.get(r.name, True) and r.name not in made]
        made |= {r.name for r in asked} - {"search_documents"}
        kept.append(task.model_copy(update={"tool_request": tuple(asked)}))
    return tuple(kept)


def _first_for(draft: Draft, tasks: Sequence[GraphTask]) -> Callable[[str, _Fits], str | None]:
    """Pick for a tool the first task that fits, else the first; its role may call it."""

    def first(tool: str, fits: _Fits) -> str | None:
        open_ = [t for t in tasks if tool in draft.library.role(t.role).tools]
        sources = {source for source, package in draft.sources.items() if fits(package)}
        fitting = [t for t in open_ if t.source in sources]
        return next((t.id for t in [*fitting, *open_]), None)

    return first


def _owns(topic: Topic) -> _Fits:
    return lambda package: topic in package.owns


def _added(task: GraphTask, callers: _Callers, *, searching: bool) -> tuple[ToolRequest, ...]:
    """The calls that *task* makes beside its own; with documents, every task searches them."""
    names = [name for name, caller in callers.items() if caller == task.id]
    searches = any(r.name == "search_documents" and not r.args for r in task.tool_request)
    if searching and not searches:
        names.append("search_documents")
    return tuple(ToolRequest(name=n) for n in names)
