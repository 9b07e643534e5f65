"""`dr-rd plan`: the plan alone."""

from pathlib import Path

import click

from dr_rd.brief import read_brief
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.inputs import folders, known_mode, repository
from dr_rd.commands.output import print_json
from dr_rd.commands.world import World
from dr_rd.workbench import load_workbench


def execute(
    world: World,  # noqa: ARG001 - every command is given it
    *,
    brief: str,
    docs: tuple[Path, ...],
    repo: Path | None,
    mode: str,
    as_json: bool,
) -> int:
    """Print the plan of a brief."""
    known_mode(mode)
    asked, documents = read_brief(brief), folders(docs)
    design = load_workbench().design(asked, documents, repository(repo))
    if as_json:
        print_json(design.model_dump(mode="json"))
        return FINISHED
    click.echo(f"{design.method_title}, direction {design.chosen}")
    for task in design.tasks:
        waits = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
        click.echo(f"{task.id}  {task.title}{waits}")
    return FINISHED
