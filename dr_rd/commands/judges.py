"""Which models judge, as the command line and the environment name them."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from core.clock import Clock
from core.errors import CallerError
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import allowed_endpoint, mask_for
from dr_rd.models.privacy.masking import Mask
from dr_rd.models.served.endpoint import Endpoint
from dr_rd.models.served.unrecorded import open_models
from dr_rd.models.typed.ask import Model


@dataclass(frozen=True, slots=True)
class Panel:
    """The models that judge, the server they are on, and what it is not told."""

    endpoint: Endpoint
    models: tuple[str, ...]
    mask: Mask | None = None

    def opened(self, clock: Clock) -> AbstractAsyncContextManager[tuple[Model, ...]]:
        """Open a client for the models; they are told nothing that the mask hides."""
        return open_models(self.endpoint, self.models, clock, self.mask)


def panel_of(
    context: CliContext,
    endpoint: str | None,
    judges: tuple[str, ...],
    *,
    local_only: bool = False,
    mask: Path | None = None,
) -> Panel | None:
    """Return the panel that was named, or None if there is no endpoint or nobody is to judge."""
    found = allowed_endpoint(
        context, endpoint, judges[0] if judges else None, local_only=local_only
    )
    hidden = mask_for(found, mask)
    if found is None or not (judges or "judge" in found.purposes):
        return None
    models = judges or (found.model_for("judge"),)
    if len(models) % 2 == 0:
        raise CallerError(
            f"a panel of {len(models)} judges can be split; give --judge an odd number of times"
        )
    return Panel(found, models, hidden)
