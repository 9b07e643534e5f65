"""`dr-rd plan`: the plan alone."""

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import anyio
import click

from core.pluralize import pluralize
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.commands.codes import FAILED, FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.families import brief_and_choice
from dr_rd.commands.inputs import allowed_endpoint, folders, known_mode, mask_for, repository
from dr_rd.commands.output import escape_controls, print_json
from dr_rd.models.privacy.masking import Mask
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.unrecorded import open_models
from dr_rd.planning.design import Design
from dr_rd.planning.directions import settling_question, tied
from dr_rd.planning.remarks import too_early
from dr_rd.reading import read_brief
from dr_rd.tools.mcp import Servers, known_servers, read_offers
from dr_rd.workbench import Workbench, load_workbench


def execute(
    context: CliContext,
    *,
    brief: str,
    docs: tuple[Path, ...],
    repo: Path | None,
    mcp: Path | None,
    mode: str,
    endpoint: str | None,
    model: str | None,
    local_only: bool,
    mask: Path | None,
    as_json: bool,
) -> int:
    """Print the plan of a brief."""
    known_mode(mode)
    workbench, documents = load_workbench(), folders(docs)
    asked, choice = brief_and_choice(read_brief(brief), workbench.planner)
    asks = allowed_endpoint(context, endpoint, model, local_only=local_only)
    hidden = mask_for(asks, mask)
    place, named = repository(repo), known_servers(mcp)
    if asks and not asked.tasks:
        theirs = _server_tools(context, named)
        design = anyio.run(
            _model_design, context, asks, hidden, workbench, asked, documents, place, theirs
        )
    else:
        design = workbench.design(asked, documents, place)
    for warning in _warnings(design, asked, context.clock.now().date()):
        click.echo(escape_controls(warning), err=True)
    code = FAILED if choice.asks and not design.planned_by else FINISHED
    if as_json:
        print_json({"brief": asked.model_dump(mode="json"), **design.model_dump(mode="json")})
        return code
    click.echo(f"{design.method_title}, direction {design.chosen}")
    if open_ := settling_question(tied(design.directions, design.weights)):
        click.echo(f"{open_}?")
    for task in design.tasks:
        waits = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
        click.echo(f"{task.id}  {task.title}{waits}")
    return code


def _server_tools(context: CliContext, named: Servers) -> Mapping[str, str]:
    """Ask the servers what those of their tools are for that may be called; tell of those that fail."""
    offers = anyio.run(read_offers, named, context.environ)
    for problem in offers.problems:
        click.echo(escape_controls(f"warning: {problem}"), err=True)
    return offers.said


def _warnings(design: Design, asked: Brief, today: date) -> Iterator[str]:
    """Say in one sentence each what is wrong with the brief and the plan, and what became of a model's."""
    yield from (f"warning: {remark}" for remark in (*design.remarks, *too_early(design, today)))
    if design.unowned:
        count = f"{len(design.unowned)} of {pluralize(len(build_ledger(asked).items), 'limit')}"
        yield f"warning: no task answers for {count}: {', '.join(design.unowned)}"
    if design.not_kept:
        yield f"warning: the plan as asked cannot keep {', '.join(design.not_kept)}"
    if design.planned_by and design.notes:
        changed = f"warning: the plan of {design.planned_by} is not as the model wrote it"
        yield f"{changed}: {' '.join(design.notes)}"
    elif design.notes:
        yield f"warning: {' '.join(design.notes)}"


async def _model_design(
    context: CliContext,
    asks: Endpoint,
    hidden: Mask | None,
    workbench: Workbench,
    asked: Brief,
    docs: tuple[Path, ...],
    repo: Path | None,
    theirs: Mapping[str, str],
) -> Design:
    """Have the endpoint's planning model plan the brief."""
    names = (asks.model_for("plan"),)
    async with open_models(asks, names, context.clock, hidden) as (model,):
        return await workbench.design_by(model, asked, docs, repo, theirs)
