"""`dr-rd plan`: the plan alone."""

from pathlib import Path

import anyio
import click

from dr_rd.brief import Brief, read_brief
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.inputs import allowed_endpoint, folders, known_mode, repository
from dr_rd.commands.output import print_json, shown
from dr_rd.commands.world import World
from dr_rd.models.asking import open_models
from dr_rd.models.endpoint import Endpoint, read_endpoint
from dr_rd.planning.design import Design
from dr_rd.workbench import Workbench, load_workbench


def execute(
    world: World,
    *,
    brief: str,
    docs: tuple[Path, ...],
    repo: Path | None,
    mode: str,
    endpoint: str | None,
    model: str | None,
    local_only: bool,
    as_json: bool,
) -> int:
    """Print the plan of a brief."""
    known_mode(mode)
    asked, documents = read_brief(brief), folders(docs)
    asks = allowed_endpoint(read_endpoint(world.environ, endpoint, model), local_only=local_only)
    workbench, place = load_workbench(), repository(repo)
    if asks and not asked.tasks:
        design = anyio.run(_proposed, world, asks, workbench, asked, documents, place)
    else:
        design = workbench.design(asked, documents, place)
    if as_json:
        print_json(design.model_dump(mode="json"))
        return FINISHED
    for note in design.notes:
        click.echo(shown(note), err=True)
    click.echo(f"{design.method_title}, direction {design.chosen}")
    for task in design.tasks:
        waits = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
        click.echo(f"{task.id}  {task.title}{waits}")
    return FINISHED


async def _proposed(
    world: World,
    asks: Endpoint,
    workbench: Workbench,
    asked: Brief,
    docs: tuple[Path, ...],
    repo: Path | None,
) -> Design:
    """Have the endpoint's planning model plan the brief."""
    async with open_models(asks, (asks.model_for("plan"),), world.clock) as (model,):
        return await workbench.design_by(model, asked, docs, repo)
