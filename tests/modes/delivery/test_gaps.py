"""Gaps in the matrix block the gate, and the builder mends those that need no new fact."""

import asyncio
from pathlib import Path

from core.modes.delivery import MODE, Delivery, DeliveryKit
from core.testing import FakeClock
from dr_rd.modes.delivery.bench import bench_of
from dr_rd.modes.delivery.dossier import Dossier, Requirement, dossier_of, matrix
from dr_rd.modes.delivery.dossier import Test as AcceptanceTest
from dr_rd.modes.delivery.faults import mendable
from dr_rd.modes.delivery.stages import dev, tea
from tests.modes.delivery.real import real_run
from tests.modes.delivery.test_results import short_brief
from tests.modes.designs import workbench

NEED = Requirement(
    id="R-01", source="S01", kind="criterion", text="reports the loaf volumes", form="reporting"
)


def kit_of(root: Path) -> DeliveryKit:
    folder = real_run(root, short_brief())
    parts = workbench().parts(folder)
    return MODE.deps(parts.kit(folder, lambda event: None, FakeClock()), parts)


def judged(kit: DeliveryKit, dossier: Dossier, round_: int = 0) -> Delivery:
    """Return the state after the gate has looked at a dossier."""
    state = Delivery(work=dossier.saved(), round=round_)
    update = asyncio.run(tea.STAGE(state, kit))
    return state.model_copy(update={"work": update.work, "blocks": update.blocks or ()})


def test_a_requirement_without_owner_story_or_test_blocks_and_is_mended(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    bare = Dossier(tasks=bench_of(kit).material.tasks, requirements=(NEED,))
    [row] = matrix(bare)
    assert (row.story, row.test, row.state) == ("", "", "open")
    state = judged(kit, bare)
    assert "no-owner:R-01" in [block.id for block in state.blocks]
    first = {item.item: item for item in dossier_of(state).gate}
    assert first["every requirement has owner, story and test"].verdict == "blocks"
    update = asyncio.run(dev.STAGE(state.model_copy(update={"round": 1}), kit))
    mended = dossier_of(Delivery(work=update.work))
    assert mended.requirements[0].owner == "T2"  # it makes the log of volumes
    assert [m.block for m in mended.mends if m.done.startswith("R-01 is owned by T2")]
    [row] = matrix(mended)
    assert (row.story, row.test) == ("ST-T2", "AT-01")
    left = [b.id for b in judged(kit, mended, 1).blocks if "R-01" in b.id]
    assert left == []


def test_a_test_that_repeats_the_limit_is_none(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    echo = AcceptanceTest(
        id="AT-01",
        requirement="R-01",
        task="T2",
        text="It reports the loaf volumes.",
        source="own line",
    )
    owned = NEED.model_copy(update={"owner": "T2"})
    dossier = Dossier(tasks=bench_of(kit).material.tasks, requirements=(owned,), tests=(echo,))
    assert "no-test:R-01" in [b.id for b in mendable(bench_of(kit), dossier, {})]
