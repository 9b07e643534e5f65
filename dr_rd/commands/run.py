"""`dr-rd run`: one run from its brief to its end."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from pathlib import Path

import anyio
import click
from pydantic import JsonValue

from core.clock import fresh_random, new_run_id
from core.errors import CallerError
from core.modes import find_mode
from core.settings import RunOptions, read_flags, valid_id
from core.store import RunFolder, open_run
from dr_rd.brief import Brief, project_id
from dr_rd.checks import build_ledger
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.driving import drive_and_report
from dr_rd.commands.families import brief_and_choice
from dr_rd.commands.inputs import (
    allowed_endpoint,
    check_money_cap,
    folders,
    known_mode,
    mask_for,
    repository,
    servers,
)
from dr_rd.commands.output import escape_controls, heard
from dr_rd.drivers import driver_at
from dr_rd.models.served.effort import estimate
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.prices import read_prices
from dr_rd.models.served.run import find_served
from dr_rd.modes.scenario import load_scenario, scenario_brief
from dr_rd.planning.remarks import remarks_on, too_early
from dr_rd.reading import read_brief
from dr_rd.service import mode_inputs, open_store, plans_brief
from dr_rd.workbench import ResearchRun, Workbench, asked_in, design_file, load_workbench


def execute(
    context: CliContext,
    *,
    brief: str | None,
    mode: str,
    scenario: Path | None,
    past: tuple[Path, ...],
    docs: tuple[Path, ...],
    repo: Path | None,
    mcp: Path | None,
    project: str | None,
    audits: Path,
    seed: int,
    settings: tuple[str, ...],
    endpoint: str | None,
    model: str | None,
    local_only: bool,
    mask: Path | None,
    workers: str | None,
    as_json: bool,
) -> int:
    """Make the run's folder and drive it; returns the exit code."""
    given = load_scenario(scenario) if scenario else None
    runs = tuple(open_run(folder) for folder in past)
    asked = _asked(brief, given, runs)
    flags, workbench = read_flags(context.environ, settings), load_workbench()
    inputs = mode_inputs(workbench, known_mode(mode), given, runs)
    choice = None
    # what a run or a scenario asks was settled there
    if brief is not None and plans_brief(mode, given):
        asked, choice = brief_and_choice(asked, workbench.planner)
    asks = allowed_endpoint(context, endpoint, model, local_only=local_only)
    check_money_cap(context, asks, flags)
    hidden = mask_for(asks, mask)
    find = partial(find_served, local_only=local_only)
    workbench.check(flags, asks.roles if asks else ())
    options = RunOptions(
        mode=known_mode(mode),
        seed=seed,
        project_id=valid_id("project id", project) if project is not None else project_id(asked),
        docs=folders(docs),
        repo=repository(repo),
        mcp=servers(mcp),
        served=anyio.run(find, asks, context.clock, hidden) if asks else None,
        flags=flags,
    )
    find_mode(options.mode).check(options)
    with (
        open_store(audits, context.environ, context.clock) as store,
        driver_at(workers, workbench, context.clock) as driver,
    ):
        chosen = choice.remarks if choice and not asks else ()
        for remark in (*chosen, *remarks_on(asked, build_ledger(asked), by_library=not asks)):
            click.echo(escape_controls(f"warning: {remark}"), err=True)
        run_id = new_run_id(context.clock, fresh_random())
        folder = store.create(run_id, options, asked.model_dump(mode="json"), inputs)
        if asks:
            workbench.keys.hold(run_id, asks.key)
            click.echo(_effort(context, workbench, asks, asked, options), err=True)
        parts = workbench.parts(folder)
        code = drive_and_report(context, driver, parts, folder, as_json=as_json)
        if folder.has(design_file(0)):
            _warn_if_early(parts, context.clock.now().date())
    unsure = choice is not None and choice.asks and not asks
    return FAILED if code == FINISHED and unsure else code


def _warn_if_early(parts: ResearchRun, today: date) -> None:
    """Say on stderr that what goes before a day of the brief would have to begin before *today*."""
    with heard():
        for remark in too_early(parts.agreed, today):
            click.echo(escape_controls(f"warning: {remark}"), err=True)


def _asked(
    brief: str | None,
    scenario: Mapping[str, JsonValue] | None,
    runs: tuple[RunFolder, ...],
) -> Brief:
    """Return the brief that was given, or that of the run built on, or the scenario's."""
    if brief is not None:
        return read_brief(brief)
    if runs:
        return asked_in(runs[0])
    if scenario is not None:
        return scenario_brief(scenario)
    raise CallerError(
        "there is no brief; name a file, - for standard input, the objective itself, or a run "
        "to build on with --from"
    )


def _effort(
    context: CliContext, workbench: Workbench, asks: Endpoint, asked: Brief, options: RunOptions
) -> str:
    """Say what the run will ask of its models, from the plan that the library would make."""
    tasks = workbench.design(asked, options.docs, options.repo).tasks
    prices = read_prices(context.environ)
    found = estimate(
        tasks,
        options.flags,
        lambda purpose: prices.rate(asks.host, asks.model_for(purpose)),
        planned=bool(asked.tasks),
        purposes=asks.purposes,
    )
    return found.sentence
