"""`dr-rd run`: one run from its brief to its end."""

from functools import partial
from pathlib import Path

import anyio
import click

from core.clock import fresh_random, new_run_id
from core.records import open_records
from core.settings import RunOptions, read_flags, read_services, valid_id
from core.store import RunStore
from dr_rd.brief import Brief, project_id, read_brief
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.driving import driven
from dr_rd.commands.families import settled
from dr_rd.commands.inputs import (
    allowed_endpoint,
    folders,
    known_mode,
    mask_for,
    repository,
    servers,
)
from dr_rd.commands.output import shown
from dr_rd.commands.world import World
from dr_rd.drivers import driver_at
from dr_rd.ledger import build_ledger
from dr_rd.models.effort import estimate
from dr_rd.models.endpoint import Endpoint
from dr_rd.models.prices import read_prices
from dr_rd.models.served import find_served
from dr_rd.planning.remarks import remarks_on
from dr_rd.workbench import Workbench, load_workbench


def execute(
    world: World,
    *,
    brief: str,
    mode: str,
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
    workbench = load_workbench()
    asked, choice = settled(read_brief(brief), workbench.planner)
    asks = allowed_endpoint(world, endpoint, model, local_only=local_only)
    hidden = mask_for(asks, mask)
    chosen = () if asks else choice.remarks
    for remark in (*chosen, *remarks_on(asked, build_ledger(asked), by_library=not asks)):
        click.echo(shown(f"warning: {remark}"), err=True)
    find = partial(find_served, local_only=local_only)
    flags = read_flags(world.environ, settings)
    workbench.check(flags, asks.roles if asks else ())
    options = RunOptions(
        mode=known_mode(mode),
        seed=seed,
        project_id=valid_id("project id", project) if project else project_id(asked),
        docs=folders(docs),
        repo=repository(repo),
        mcp=servers(mcp),
        served=anyio.run(find, asks, world.clock, hidden) if asks else None,
        flags=flags,
    )
    with (
        open_records(read_services(world.environ), world.clock) as records,
        driver_at(workers, workbench, world.clock) as driver,
    ):
        run_id = new_run_id(world.clock, fresh_random())
        folder = RunStore(audits, records=records).create(
            run_id, options, asked.model_dump(mode="json")
        )
        if asks:
            workbench.keys.hold(run_id, asks.key)
            click.echo(_effort(world, workbench, asks, asked, options), err=True)
        code = driven(world, driver, workbench.bench(folder), folder, as_json=as_json)
    return FAILED if code == FINISHED and choice.asks and not asks else code


def _effort(
    world: World, workbench: Workbench, asks: Endpoint, asked: Brief, options: RunOptions
) -> str:
    """Say what the run will ask of its models, from the plan that the library would make."""
    tasks = workbench.design(asked, options.docs, options.repo).tasks
    prices = read_prices(world.environ)
    found = estimate(
        tasks,
        options.flags,
        lambda purpose: prices.rate(asks.host, asks.model_for(purpose)),
        planned=bool(asked.tasks),
        purposes=asks.purposes,
    )
    return found.sentence
