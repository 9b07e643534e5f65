"""Count how often the chosen method is of a right design family: `python -m bench.families`."""

import json
from collections.abc import Mapping
from pathlib import Path

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner

HERE = Path(__file__).parent
RESULT = HERE.parent / "results" / "families.md"
SETS = ("known", "held", "fourth")

FAMILIES: Mapping[str, frozenset[str]] = {
    "archival-analysis": frozenset({"secondary_analysis"}),
    "cohort-study": frozenset({"cohort_or_registry"}),
    "computational-ml": frozenset({"ml_benchmark", "prediction_model"}),
    "controlled-trial": frozenset({"randomised_trial"}),
    "device-prototype": frozenset({"device_prototype"}),
    "field-trial": frozenset({"field_trial"}),
    "human-experiment": frozenset({"human_experiment"}),
    "laboratory-experiment": frozenset({"lab_experiment"}),
    "observational-monitoring": frozenset({"monitoring"}),
    "policy-legal": frozenset({"policy_or_legal_analysis"}),
    "process-development": frozenset({"process_development"}),
    "quasi-experiment": frozenset({"quasi_experiment"}),
    "simulation-study": frozenset({"simulation"}),
    "software-system": frozenset({"software_system"}),
    "survey": frozenset({"cross_sectional_survey", "qualitative_study"}),
    "systematic-review": frozenset({"evidence_synthesis"}),
    "techno-economic": frozenset({"techno_economic"}),
}
"""The design families that each method of the library stands for."""

_OFFERED = frozenset().union(*FAMILIES.values())


def main() -> None:
    """Count every set, and write the table."""
    planner, lines = load_planner(), []
    for name in SETS:
        rows = [json.loads(line) for line in (HERE / "data" / f"{name}.jsonl").open()]
        right = offered = right_offered = 0
        for row in rows:
            brief = Brief(objective=row["text"])
            design = planner.design(brief, build_ledger(brief), documents=False)
            hit = bool(FAMILIES[design.method_id] & set(row["family"]))
            has = bool(_OFFERED & set(row["family"]))
            right, offered, right_offered = (
                right + hit,
                offered + has,
                right_offered + (hit and has),
            )
        share, among = right / len(rows), right_offered / offered
        lines.append(f"| {name} | {len(rows)} | {share:.2f} | {offered} | {among:.2f} |")
        print(lines[-1])
    RESULT.write_text(
        "# The right design family\n\n"
        "How often the method that the planner chooses for a text is of a family that fits it; "
        "`held` and `fourth` were read by nobody who works on the choice.\n\n"
        "| set | texts | right | texts whose family the library has | right of those |\n"
        "|---|---|---|---|---|\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
