"""`dr-rd revise`: a run that does a task of another again, or takes amendments to its plan over."""

import re
from pathlib import Path

import click

from core.clock import fresh_random, new_run_id, stamp
from core.errors import CallerError
from core.graph.files import planned_tasks
from core.graph.revision import ClaimEdit, Redo, Revision, revise
from dr_rd.commands.context import CliContext
from dr_rd.commands.driving import drive_and_report
from dr_rd.drivers import driver_at
from dr_rd.reading import read_brief
from dr_rd.service import begin_amended, begin_rerun, begin_revision, open_store
from dr_rd.workbench import load_workbench

_PLACE = re.compile(r"(?P<task>[A-Za-z0-9_-]+)\.(?P<number>[1-9]\d*)")


def execute(
    context: CliContext,
    *,
    run_dir: Path,
    redo: tuple[str, ...],
    claims: tuple[str, ...],
    accept: tuple[str, ...],
    brief: str | None,
    by: str,
    workers: str | None,
    as_json: bool,
) -> int:
    """Make the new run's folder and drive it; returns the exit code."""
    workbench = load_workbench()
    with (
        open_store(run_dir.parent.parent, context.environ, context.clock) as store,
        driver_at(workers, workbench, context.clock) as driver,
    ):
        before, at = store.latest(run_dir), stamp(context.clock.now())
        run_id = new_run_id(context.clock, fresh_random())
        if brief is not None:
            _only_one((*redo, *accept), claims)
            asked = read_brief(brief)
            folder, found = begin_rerun(
                store, workbench, before, asked, by=by, at=at, run_id=run_id
            )
            click.echo(_kept(found), err=True)
        elif accept or not (redo or claims or planned_tasks(before)):
            _only_one(redo, claims)
            folder = begin_amended(store, workbench, before, accept, by=by, at=at, run_id=run_id)
        else:
            revision = revise(
                before,
                by=by,
                at=at,
                redo=[_redo(text) for text in redo],
                edits=[_edit(text) for text in claims],
            )
            folder = begin_revision(store, workbench, before, revision, run_id=run_id)
        return drive_and_report(context, driver, workbench.parts(folder), folder, as_json=as_json)


def _kept(revision: Revision) -> str:
    """Say which answers hold, and which tasks are worked again."""
    again = [t.id for t in revision.tasks if t.id not in revision.answers]
    kept = ", ".join(revision.answers) or "none"
    return f"kept: {kept}; worked again: {', '.join(again) or 'none'}"


def _only_one(redo: tuple[str, ...], claims: tuple[str, ...]) -> None:
    if redo or claims:
        raise CallerError(
            "--brief and --accept make a new plan, and --redo and --claim change answers to one; "
            "use them one after the other"
        )


def _redo(text: str) -> Redo:
    task_id, _, note = text.partition("=")
    return Redo(task_id=task_id.strip(), note=note.strip())


def _edit(text: str) -> ClaimEdit:
    place, equals, words = text.partition("=")
    found = _PLACE.fullmatch(place.strip())
    if not equals or found is None:
        raise CallerError(
            f"claim {text!r} names no place; write TASK.NUMBER=TEXT, such as T03.2='It rains.'"
        )
    return ClaimEdit(task_id=found["task"], number=int(found["number"]), text=words)
