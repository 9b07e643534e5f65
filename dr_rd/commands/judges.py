"""Which models judge, as the command line and the environment name them."""

from dataclasses import dataclass

from core.errors import CallerError
from dr_rd.commands.inputs import allowed_endpoint
from dr_rd.commands.world import World
from dr_rd.models.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Panel:
    """The models that judge, and the server they are on."""

    endpoint: Endpoint
    models: tuple[str, ...]


def panel_of(world: World, endpoint: str | None, judges: tuple[str, ...]) -> Panel | None:
    """Return the panel that was named, or None if there is no endpoint or nobody is to judge."""
    found = allowed_endpoint(world, endpoint, judges[0] if judges else None)
    if found is None or not (judges or "judge" in found.purposes):
        return None
    models = judges or (found.model_for("judge"),)
    if len(models) % 2 == 0:
        raise CallerError(
            f"a panel of {len(models)} judges can be split; give --judge an odd number of times"
        )
    return Panel(found, models)
