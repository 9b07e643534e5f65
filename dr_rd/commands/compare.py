"""`dr-rd compare`: one brief through several modes, with several seeds, side by side."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import anyio
import click

from core.clock import fresh_random, new_run_id
from core.driving import run_with
from core.errors import CallerError
from core.modes import find_mode
from core.settings import RunOptions, read_flags, valid_id
from core.store import RunFolder
from dr_rd.brief import check_objective, project_id
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import (
    allowed_endpoint,
    check_money_cap,
    folders,
    known_mode,
    mask_for,
)
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.comparison import Comparison, compare, compared_run
from dr_rd.drivers import driver_at
from dr_rd.models.served.run import find_served
from dr_rd.planning.choice import check_research
from dr_rd.reading import read_brief
from dr_rd.service import open_store
from dr_rd.workbench import load_workbench

_ENDED_SHORT = "paused"


def execute(
    context: CliContext,
    *,
    brief: str,
    compared: str,
    seeds: int,
    docs: tuple[Path, ...],
    project: str | None,
    audits: Path,
    settings: tuple[str, ...],
    endpoint: str | None,
    model: str | None,
    local_only: bool,
    mask: Path | None,
    as_json: bool,
) -> int:
    """Drive each run to its end, one after another, and print the comparison."""
    chosen = _modes(compared)
    asked, flags = read_brief(brief), read_flags(context.environ, settings)
    check_objective(asked)
    asks = allowed_endpoint(context, endpoint, model, local_only=local_only)
    check_money_cap(context, asks, flags)
    hidden, workbench = mask_for(asks, mask), load_workbench()
    check_research(asked, workbench.planner.ranker)
    workbench.check(flags, asks.roles if asks else ())
    find = partial(find_served, local_only=local_only)
    plain = RunOptions(
        project_id=valid_id("project id", project) if project is not None else project_id(asked),
        docs=folders(docs),
        served=anyio.run(find, asks, context.clock, hidden) if asks else None,
        flags=flags,
    )
    for mode in chosen:
        find_mode(mode).check(plain.model_copy(update={"mode": mode}))
    made: list[RunFolder] = []
    with (
        open_store(audits, context.environ, context.clock) as store,
        driver_at(None, workbench, context.clock) as driver,
    ):
        for mode in chosen:
            for seed in range(seeds):
                options = plain.model_copy(update={"mode": mode, "seed": seed})
                run_id = new_run_id(context.clock, fresh_random())
                folder = store.create(run_id, options, asked.model_dump(mode="json"))
                made.append(folder)
                if asks:
                    workbench.keys.hold(run_id, asks.key)
                outcome = run_with(driver, folder)
                click.echo(f"{mode}, seed {seed}: {outcome.status}  {folder.path}", err=True)
                if outcome.status == _ENDED_SHORT:
                    raise CallerError(
                        f"stopped at {folder.path} ({outcome.reason}); the runs before it are kept"
                    )
        found = compare(compared_run(folder, workbench.parts(folder)) for folder in made)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        click.echo(escape_controls("\n".join(lines(found))))
    return FINISHED


def _modes(text: str) -> Sequence[str]:
    """Return the modes that are named, each once; raises CallerError where fewer than one is."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise CallerError(
            "--modes names no mode; write them by commas, such as --modes graph,classic"
        )
    return [known_mode(name) for name in dict.fromkeys(names)]


def lines(found: Comparison) -> Iterator[str]:
    """Yield the comparison as lines of text: figures by mode, then findings."""
    modes, rows = found.modes, found.table()
    first = max((len(name) for name, _ in rows), default=0)
    wide = {m: max(len(m), *(len(row[m]) for _, row in rows), 1) for m in modes}
    yield "  ".join([" " * first, *(m.rjust(wide[m]) for m in modes)]).rstrip()
    for name, row in rows:
        yield "  ".join([name.ljust(first), *(row[m].rjust(wide[m]) for m in modes)])
    if standing := found.unfinished():
        yield ""
        yield from standing
    for mode in modes:
        if own := found.found_only_by(mode):
            yield ""
            yield f"Found by {mode} alone:"
            yield from (f"- {text}" for text in own)
    bare = [mode for mode in modes if not found.found_only_by(mode)]
    if bare and len(modes) > 1:
        yield ""
        yield f"Nothing that no other mode found: {', '.join(bare)}."
    if found.shared:
        yield ""
        yield "Found by more than one:"
        yield from (f"- {text}" for text in found.shared)
