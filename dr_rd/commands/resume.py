"""`dr-rd resume`: a run that was cut off, stopped or asked something goes on."""

from pathlib import Path

from core.clock import stamp
from core.store import Decision, RunStore
from dr_rd.commands.driving import driven
from dr_rd.commands.world import World


def execute(world: World, *, run_dir: Path, approve: bool, as_json: bool) -> int:
    """Record the approval, if it is given, and drive the run on."""
    folder = RunStore(run_dir.parent.parent).open(run_dir)
    if approve:
        folder.decide(Decision(by="command line", at=stamp(world.clock.now())))
    return driven(world, folder, as_json=as_json)
