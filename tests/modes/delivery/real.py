"""The workbench's own stages on small material, without a run's whole machinery."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from core.driving import Outcome, drive
from core.settings import RunOptions
from core.store import RunFolder, RunStore
from core.testing import FakeClock
from dr_rd.brief import Brief, project_id
from dr_rd.modes.spec import ModeInputs
from dr_rd.reading import read_brief
from tests.modes.designs import workbench

BRIEFS = Path(__file__).parents[2] / "data" / "briefs"
SHORT: Mapping[str, Any] = {
    "objective": "Compare two sourdough flours on loaf volume",
    "hard_constraints": ["budget under 900 GBP", "at least 12 loaves per flour"],
    "success_criteria": ["reports loaf volume with a 95% confidence interval"],
    "banned_moves": ["add a third flour"],
    "tasks": [
        {
            "id": "T1",
            "title": "Write the baking protocol",
            "deliverable": "A baking protocol with oven settings.",
            "acceptance": ["The oven settings are named."],
            "days": [1, 2, 3],
            "cost": [0, 0, 0],
        },
        {
            "id": "T2",
            "title": "Bake and measure the loaves",
            "depends_on": ["T1"],
            "deliverable": "A loaf log with volumes.",
            "acceptance": ["Every volume has its loaf number."],
            "days": [3, 5, 8],
            "cost": [200, 300, 500],
        },
        {
            "id": "T3",
            "title": "Estimate the difference",
            "depends_on": ["T1"],
            "deliverable": "An analysis report with the estimate.",
            "acceptance": ["The estimate is computed from the loaf log."],
            "days": [1, 2, 3],
            "cost": [0, 0, 0],
        },
    ],
}


def real_run(
    root: Path,
    brief: Brief | str,
    scenario: Mapping[str, JsonValue] | None = None,
    **inputs: Any,
) -> RunFolder:
    asked = brief if isinstance(brief, Brief) else read_brief(str(BRIEFS / f"{brief}.yaml"))
    options = RunOptions(mode="delivery", project_id=project_id(asked))
    given = ModeInputs(scenario=scenario, **inputs)
    plain = asked.model_dump(mode="json")
    return RunStore(root).create("run", options, plain, given.files())


def driven(folder: RunFolder) -> Outcome:
    return asyncio.run(drive(folder, workbench().parts(folder), FakeClock()))


def result(folder: RunFolder) -> Any:
    return folder.read_json("result.json")
