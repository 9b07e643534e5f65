"""`dr-rd resume`: a run that was cut off, stopped or asked something goes on."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import SystemRandom

import click
from pydantic import JsonValue

from core.approval import approval_id
from core.budget import check_caps, spent
from core.clock import fresh_random, new_run_id, stamp
from core.decisions import decide, open_questions
from core.errors import CallerError
from core.files import SUMS
from core.graph.files import failed_tasks
from core.graph.revision import Redo, revise
from core.questions import answer_from_text
from core.settings import Flags, Served, read_flags
from core.store import TRACE, RunFolder, RunStore
from core.trace import ENDED, read_events, status_of
from dr_rd.commands.context import CliContext
from dr_rd.commands.driving import drive_and_report
from dr_rd.drivers import driver_at
from dr_rd.models.address import endpoint_of
from dr_rd.models.privacy.egress import refuse_remote
from dr_rd.models.privacy.masking import Mask, read_mask
from dr_rd.models.served.prices import read_prices
from dr_rd.service import begin_revision, open_store
from dr_rd.workbench import Workbench, load_workbench

CAPS = (
    *("MAX_CALLS", "MAX_TOKENS", "MAX_COST_USD", "MAX_WALL_S", "MAX_ATTEMPTS"),
    "CALL_TIMEOUT_S",
)
"""What a run may spend or wait for: the flags that may change while it is stopped."""


def execute(
    context: CliContext,
    *,
    run_dir: Path,
    approve: bool,
    retry_failed: bool,
    answers: tuple[str, ...],
    by: str,
    settings: tuple[str, ...],
    local_only: bool,
    mask: Path | None,
    workers: str | None,
    as_json: bool,
) -> int:
    """Record the new caps and the approval, if they are given, and drive the run on."""
    workbench = load_workbench()
    with (
        open_store(run_dir.parent.parent, context.environ, context.clock) as store,
        driver_at(workers, workbench, context.clock) as driver,
    ):
        folder = store.latest(run_dir)
        failed = failed_tasks(folder) if retry_failed else ()
        if failed:
            folder = _retried(context, store, workbench, folder, failed, by)
        else:
            _check_unfinished(folder)
        served = folder.options().served
        if served and local_only:
            refuse_remote(served.base_url)
        if mask:
            workbench.masks.hold(folder.run_id, _read_mask_again(served, mask))
        if settings:
            flags = _flags_with_new_caps(folder, settings)
            if served:
                names = [use.name for use in (*served.models.values(), *served.roles.values())]
                prices = read_prices(context.environ)
                prices.check_cap(flags, endpoint_of(served.base_url), names)
            folder.change_flags(flags)
        parts = workbench.parts(folder)
        for question_id, answer in _given(answers, folder, approve=approve):
            decide(folder, parts.mode, question_id, answer, by=by, clock=context.clock)
        return drive_and_report(context, driver, workbench.parts(folder), folder, as_json=as_json)


def _check_unfinished(folder: RunFolder) -> None:
    """Refuse a run that has ended: what it says stays as it is."""
    status = status_of(folder.trace_path, driven=False)
    if status in ENDED and folder.has(SUMS):
        raise CallerError(
            f"run {folder.run_id!r} has ended, {status.replace('_', ' ')}, and stays as it is; "
            f"begin another with dr-rd revise {folder.path} --redo TASK=NOTE"
        )


def _retried(
    context: CliContext,
    store: RunStore,
    workbench: Workbench,
    before: RunFolder,
    failed: Sequence[str],
    by: str,
) -> RunFolder:
    """Begin a run that does the *failed* tasks of another again, and say where."""
    _check_stopped(before, ended=True)
    at, run_id = stamp(context.clock.now()), new_run_id(context.clock, fresh_random())
    revision = revise(before, by=by, at=at, redo=[Redo(task_id=task_id) for task_id in failed])
    folder = begin_revision(store, workbench, before, revision, run_id=run_id)
    click.echo(f"does {', '.join(failed)} again in {folder.path}", err=True)
    return folder


def _given(
    answers: tuple[str, ...], folder: RunFolder, *, approve: bool
) -> Iterator[tuple[str, JsonValue]]:
    """Yield the answers that were typed, each with its question; --approve is one of them."""
    if approve:
        yield _approval_asked(folder), "approve"
    for text in answers:
        question_id, equals, answer = text.partition("=")
        if not equals:
            raise CallerError(
                f"answer {text!r} has no '='; write ID=VALUE, such as approve-plan=approve"
            )
        yield question_id.strip(), answer_from_text(answer.strip())


def _approval_asked(folder: RunFolder) -> str:
    """Return the question about a plan that is open, or else the run's first."""
    rows = read_events(folder.trace_path) if folder.has(TRACE) else ()
    asked = (found.question for found in open_questions(rows, folder))
    return next((q.id for q in asked if q.kind == "approve_plan"), approval_id(0))


def _read_mask_again(served: Served | None, mask: Path) -> Mask:
    """Read again what the run hides; what it has sent already could not be hidden any more."""
    if not (served and (served.masked or served.mask)):
        raise CallerError(
            "the run began without --mask and has sent what it has sent; start a new one with "
            "--mask, or leave it out"
        )
    return read_mask(mask, SystemRandom())


def _flags_with_new_caps(folder: RunFolder, settings: tuple[str, ...]) -> Flags:
    """Return the run's flags with other caps; raises CallerError if they cannot change now."""
    flags = folder.options().flags
    asked = read_flags({}, settings, defaults=flags)
    for name in Flags.model_fields:
        old = getattr(flags, name)
        if name not in CAPS and getattr(asked, name) != old:
            raise CallerError(
                f"{name} cannot change within a run, whose answers so far were made with "
                f"{name}={old}; start a new run with it, or change one of {', '.join(CAPS)}"
            )
    _check_stopped(folder)
    check_caps(asked, spent(read_events(folder.trace_path) if folder.has(TRACE) else ()))
    return asked


def _check_stopped(folder: RunFolder, *, ended: bool = False) -> None:
    status = status_of(folder.trace_path, driven=folder.is_driven())
    if status == "running":
        raise CallerError(f"run {folder.run_id!r} is running; stop it first")
    if not ended and status not in ("waiting", "paused", "interrupted"):
        raise CallerError(f"run {folder.run_id!r} has ended, {status}; its settings stay as is")
