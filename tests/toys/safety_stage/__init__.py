"""A stage of another package: it looks for a step that names no protection."""

from core.modes.delivery import Delivery, DeliveryKit, Update


async def STAGE(state: Delivery, kit: DeliveryKit) -> Update:
    """Count the work packages that say nothing of protection."""
    tasks = state.work["dossier"]["tasks"]
    bare = [t["id"] for t in tasks if "gloves" not in str(t["steps"])]
    return Update(
        said=f"{len(bare)} of {len(tasks)} packages name no gloves", decisions=tuple(bare)
    )
