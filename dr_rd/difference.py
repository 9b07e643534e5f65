"""What changed from one run to another: brief, settings, plan, ledger, claims and numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from core.diff import differences
from core.graph.files import planned_tasks, read_answers
from core.graph.state import Answer, GraphTask
from core.store import RunFolder
from core.values import Frozen
from dr_rd.checks import LedgerVerdict
from dr_rd.workbench import ResearchRun


class Change(Frozen):
    """A value that is another one now; None where it was not there or is no more."""

    path: str
    """Where it stands, such as "T03.duration_days.mode"."""
    old: JsonValue = None
    new: JsonValue = None


class Claims(Frozen):
    """What the answer to a task no longer claims, and what it claims now."""

    task_id: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class Difference(Frozen):
    """What changed; empty parts are the same in both runs."""

    brief: tuple[Change, ...] = ()
    settings: tuple[Change, ...] = ()
    added: tuple[str, ...] = ()
    """Ids of the tasks that only the second plan has."""
    removed: tuple[str, ...] = ()
    plan: tuple[Change, ...] = ()
    ledger: tuple[Change, ...] = ()
    """Verdicts by the words of their item."""
    claims: tuple[Claims, ...] = ()
    numbers: tuple[Change, ...] = ()
    """What was computed, by task and tool."""
    kept: tuple[str, ...] = ()
    """Ids of the tasks whose answers are the same."""

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return self.model_copy(update={"kept": ()}) == Difference()


class ComparedPlan(Frozen):
    """What of a run is compared."""

    brief: JsonValue
    settings: JsonValue
    tasks: tuple[GraphTask, ...]
    answers: Mapping[str, Answer]
    verdicts: tuple[LedgerVerdict, ...]


def compared_plan(folder: RunFolder, parts: ResearchRun) -> ComparedPlan:
    """Read what of a run is compared; of one that has not ended, what there is so far."""
    tasks = planned_tasks(folder)
    result = parts.mode.result_files[0]
    there = folder.has(result) and tasks
    return ComparedPlan(
        brief=parts.brief.model_dump(mode="json"),
        settings=folder.options().model_dump(mode="json", exclude={"project_id"}),
        tasks=tasks,
        answers=read_answers(folder, tasks),
        verdicts=parts.verdicts(folder.read_text(result)) if there else (),
    )


def difference(was: ComparedPlan, now: ComparedPlan) -> Difference:
    """Return what changed from *was* to *now*."""
    old, new = ({t.id: t for t in one.tasks} for one in (was, now))
    both = [i for i in old if i in new]
    return Difference(
        brief=tuple(_changes(_listed(was.brief), _listed(now.brief))),
        settings=tuple(_changes(was.settings, now.settings)),
        added=tuple(i for i in new if i not in old),
        removed=tuple(i for i in old if i not in new),
        plan=tuple(
            change
            for i in both
            for change in _changes(
                old[i].model_dump(mode="json"), new[i].model_dump(mode="json"), i
            )
        ),
        ledger=tuple(_changes(_verdicts(was.verdicts), _verdicts(now.verdicts))),
        claims=tuple(_claims(was.answers, now.answers)),
        numbers=tuple(_changes(_numbers(was), _numbers(now))),
        kept=tuple(i for i, a in was.answers.items() if now.answers.get(i) == a),
    )


def _listed(brief: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A brief whose lists are by their own lines, so that one more moves none of the others."""
    return {
        key: {line: "listed" for line in value}
        if isinstance(value, list) and all(isinstance(v, str) for v in value)
        else value
        for key, value in brief.items()
    }


def _changes(was: Any, now: Any, path: str = "") -> Iterator[Change]:  # noqa: ANN401 - any JSON
    for place, old, new in differences(was, now, path):
        yield Change(path=place, old=old, new=new)


def _verdicts(verdicts: Iterable[LedgerVerdict]) -> dict[str, str]:
    return {v.text: v.verdict for v in verdicts}


def _claims(was: Mapping[str, Answer], now: Mapping[str, Answer]) -> Iterator[Claims]:
    for key in dict.fromkeys((*was, *now)):
        old, new = (_said(side.get(key)) for side in (was, now))
        gone, more = [c for c in old if c not in new], [c for c in new if c not in old]
        if gone or more:
            yield Claims(task_id=key, gone=tuple(gone), new=tuple(more))


def _said(answer: Answer | None) -> Sequence[str]:
    return [c.text for c in answer.claims if c.kind != "computed"] if answer else []


def _numbers(run: ComparedPlan) -> dict[str, dict[str, JsonValue]]:
    """What the tools computed, by task and tool; a second call of a tool has its number."""
    found: dict[str, dict[str, JsonValue]] = {}
    for key, answer in run.answers.items():
        for result in answer.tool_result:
            calls = found.setdefault(key, {})
            name = result.name if result.name not in calls else f"{result.name}-{len(calls)}"
            calls[name] = result.output if result.ok else "failed"
    return found
