"""`dr-rd diff`: what changed from one run to another."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from core.errors import CallerError
from core.modes.graph import TaskMode
from core.pluralize import few
from core.store import open_run
from core.trace import verify
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.difference import Change, Difference, compared_plan, difference
from dr_rd.workbench import load_workbench

_MOST = 12
"""Changes of a kind that are told; --json has all."""
_LONGEST = 60


def execute(context: CliContext, *, run_dir: Path, other: Path, as_json: bool) -> int:  # noqa: ARG001
    """Print what changed from *run_dir* to *other*."""
    workbench = load_workbench()
    folders = [open_run(path) for path in (run_dir, other)]
    parts = [workbench.parts(folder) for folder in folders]
    first, second = (one.mode for one in parts)
    if first.id != second.id and not all(isinstance(m, TaskMode) for m in (first, second)):
        raise CallerError(
            f"the runs are of the modes {first.id!r} and {second.id!r}, whose results have no lines "
            "in common; `dr-rd compare` works one brief in several modes, side by side"
        )
    unsound = [path for path in (run_dir, other) if not verify(path).ok]
    for path in unsound:
        click.echo(
            f"{path} is not sound, so what differs may be its damage: dr-rd verify", err=True
        )
    found = difference(*(compared_plan(f, p) for f, p in zip(folders, parts, strict=True)))
    if as_json:
        print_json({"same": found.same, **found.model_dump(mode="json")})
    else:
        click.echo(escape_controls("\n".join(lines(found))))
    return FAILED if unsound else FINISHED


def lines(found: Difference) -> Iterator[str]:
    """Yield the difference as lines of text, a part after another."""
    if found.same:
        yield "the two runs are the same: brief, settings, plan, ledger, claims and numbers"
        return
    for name, changes in (("brief", found.brief), ("settings", found.settings)):
        yield from _part(name, changes)
    if found.added:
        yield f"tasks added: {', '.join(found.added)}"
    if found.removed:
        yield f"tasks removed: {', '.join(found.removed)}"
    for name, changes in (
        ("plan", found.plan), ("ledger", found.ledger), ("numbers", found.numbers),
    ):  # fmt: skip
        yield from _part(name, changes)
    for claims in found.claims:
        yield f"claims of {claims.task_id}: {len(claims.gone)} gone, {len(claims.new)} new"
    yield f"answers that are the same: {few(found.kept, len(found.kept)) or 'none'}"


def _part(name: str, changes: Iterable[Change]) -> Iterator[str]:
    told = list(changes)
    yield from (f"{name}: {c.path}: {_shown(c.old)} -> {_shown(c.new)}" for c in told[:_MOST])
    if len(told) > _MOST:
        yield f"{name}: {len(told) - _MOST} more changes; --json has them all"


def _shown(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
