"""`dr-rd run`: one run from its brief to its end."""

from pathlib import Path

from core.clock import fresh_random, new_run_id
from core.errors import CallerError
from core.records import open_records
from core.settings import RunOptions, read_flags, read_services, valid_id
from core.store import RunStore
from dr_rd.brief import project_id, read_brief
from dr_rd.commands.driving import driven
from dr_rd.commands.inputs import folders, known_mode, repository, servers
from dr_rd.commands.world import World
from dr_rd.drivers import driver_at
from dr_rd.workbench import load_workbench


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
    workers: str | None,
    as_json: bool,
) -> int:
    """Make the run's folder and drive it; returns the exit code."""
    if endpoint or model:
        raise CallerError(
            "--endpoint and --model are not in this version, which works from its own method "
            "library; leave them out"
        )
    asked = read_brief(brief)
    options = RunOptions(
        mode=known_mode(mode),
        seed=seed,
        project_id=valid_id("project id", project) if project else project_id(asked),
        docs=folders(docs),
        repo=repository(repo),
        mcp=servers(mcp),
        flags=read_flags(world.environ, settings),
    )
    workbench = load_workbench()
    workbench.check(options.flags)
    with (
        open_records(read_services(world.environ), world.clock) as records,
        driver_at(workers, workbench, world.clock) as driver,
    ):
        run_id = new_run_id(world.clock, fresh_random())
        folder = RunStore(audits, records=records).create(
            run_id, options, asked.model_dump(mode="json")
        )
        return driven(world, driver, workbench.bench(folder), folder, as_json=as_json)
