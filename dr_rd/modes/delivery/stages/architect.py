"""Decision records where a choice touches several tasks: decided by figures, or open with a day."""

from core.modes.delivery import Delivery, DeliveryKit, Update
from core.pluralize import pluralize
from dr_rd.modes.delivery.bench import bench_of
from dr_rd.modes.delivery.choices import choices
from dr_rd.modes.delivery.dossier import dossier_of
from dr_rd.modes.delivery.voices import decided


async def STAGE(state: Delivery, kit: DeliveryKit) -> Update:
    """Write the records."""
    bench, dossier = bench_of(kit), dossier_of(state)
    times = bench.preview(dossier.tasks).times
    records = tuple(
        record.model_copy(
            update={
                "by_day": min(
                    (times[t]["start"] for t in record.touches if t in times), default=None
                )
            }
        )
        for record in choices(bench, dossier)
    )
    records, marks = await decided(bench, records)
    still = sum(not record.decision for record in records)
    said = (
        f"{pluralize(len(records), 'decision record')}: "
        f"{len(records) - still} decided, {still} open with a day"
    )
    titles = tuple(f"{r.id}: {r.decision or 'open'}" for r in records)
    made = dossier.model_copy(update={"records": records})
    return Update(said=said, marks=marks, work=made.saved(), decisions=titles)
