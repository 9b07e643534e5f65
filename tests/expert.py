"""A scripted expert of soil carbon: what a strong model would say of the README's brief.

It sees what the brief's author did not: the change expected in three years is smaller than what
twenty pairs can show. Its prices are too low, as an expert's outside procurement are.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dr_rd.brief import Brief
from tests import scripted

Json = dict[str, Any]

BRIEF = Brief(
    objective="Test whether a winter rye cover crop increases soil organic carbon stocks relative to bare "
    "fallow over a 3-year rotation.",
    hard_constraints=(
        "field trial on working farms with at least 20 paired sites",
        "budget under 30000 EUR",
        "soil organic carbon must be measured by dry combustion, not by loss-on-ignition",
    ),
    success_criteria=("reports the difference in stocks with a 95 percent confidence interval",),
    plausible_directions=(
        "paired-plot design with baseline and final cores at the same points",
        "before-and-after comparison in the same fields",
    ),
    banned_moves=("add a tillage treatment",),
    risk_posture="medium",
)
NOTE = (
    "Winter rye cover crops raised soil organic carbon stocks by 0.32 Mg per hectare and year in a "
    "compilation of field trials. Stocks were compared at equal soil mass."
)
OBJECTION = (
    "With 20 paired sites the smallest difference that can be shown is about 1.6 Mg per hectare, and "
    "three years of rye add about 0.9: the trial as asked will most likely show nothing"
)

_TASKS = (
    ("T1", "Write the sampling and analysis protocol", "study-statistician", (), 10, 0,
     ("Fix the primary contrast as the difference of stock changes between rye and bare fallow within pairs.",
      "Set the depth increments to 0 to 10, 10 to 30 and 30 to 60 cm, below the plough layer too.")),
    ("T2", "Enrol farms with paired sites", "field-coordinator", ("T1",), 40, 3000,
     ("Record the tillage history of each field, so that pairs share it.",
      "Farms that plough are enrolled as they are, and go on as they always did.")),
    ("T3", "Take the baseline cores at georeferenced points", "field-coordinator", ("T2",), 20, 7000,
     ("Take cores of known volume at five points of each plot, and mark the points.",
      "Weigh the dry fine earth of each core, since stocks are compared at equal soil mass.")),
    ("T4", "Measure carbon by dry combustion", "laboratory-scientist", ("T3",), 30, 6500,
     ("Remove carbonates by acid fumigation where the pH is above 7.",
      "Run every tenth sample twice, and an in-house reference soil in each batch.")),
    ("T5", "Keep rye and bare fallow for three winters", "field-coordinator", ("T3",), 700, 4000,
     ("Weigh rye shoots and roots of three squares a plot before termination.",)),
    ("T6", "Take the final cores at the same points", "field-coordinator", ("T5",), 20, 6000,
     ("Take the final cores within one metre of the baseline points, in the same month.",)),
    ("T7", "Analyse the paired changes", "study-statistician", ("T4", "T6"), 15, 0,
     ("Rye roots loosen the soil, so use an equivalent soil mass and not a fixed depth.",
      "Fit a mixed model with the pair as random effect and report the interval.")),
    ("T8", "Report the difference with its interval", "study-statistician", ("T7",), 10, 500,
     ("State the smallest difference that the trial could have shown.",)),
)  # fmt: skip

_ANSWERED = {"T2": ("C01",), "T4": ("C03",), "T6": ("C02",), "T7": ("S01",)}

PLAN_KNOWS: Json = {
    "objections": [
        {
            "text": OBJECTION,
            "basis": "computed",
            "confidence": "high",
            "would_change": "a pilot that finds the variance within pairs to be a third of what is published",
        }
    ],
    "hypotheses": [
        "Rye raises the stock of the upper 30 cm by 0.2 to 0.5 Mg per hectare and year"
    ],
    "decision_rules": [
        {
            "text": "Conclude that rye stores carbon if the lower end of the interval lies above zero",
            "threshold": "95 percent interval above 0 Mg per hectare",
        }
    ],
    "alternatives": [
        {
            "text": "Compare before and after in the same fields",
            "why_not": "Weather and management drift with time, and nothing stands beside them",
        }
    ],
    "risks": [
        {
            "text": "The laboratory drifts between baseline and final samples",
            "sign": "The reference soil moves by more than its error",
            "mitigation": "Archive a third of the baseline samples and measure them again at the end",
        }
    ],
    "gates": [
        {
            "after": "T3",
            "question": "Does the variance within plots allow the contrast to be seen?",
            "stop": "the coefficient of variation within plots exceeds 35 percent",
        }
    ],
    "stop_rules": ["Stop enrolling if fewer than half of the farms can keep a plot bare"],
    "protocol": [],
    "tables": [],
    "formulas": [
        {
            "text": "n = (z_a + z_b)**2 * 2*s^2*(1-r) / d^2",
            "meaning": "pairs needed for a difference d with variance s^2 and correlation r",
        }
    ],
    "references": ["Poeplau and Don 2015, Agriculture, Ecosystems and Environment 200"],
}
CHANGES = [
    {
        "what": "Stocks are compared at an equivalent soil mass",
        "why": "Rye loosens the soil, and a fixed depth then samples less of it",
    },
    {"what": "Carbon is followed to 60 cm", "why": "Roots of rye feed the subsoil as well"},
]


def plan(body: Json) -> Json:
    """Plan eight tasks, and say what the brief's author does not know."""
    known = scripted.enum(body, "role")
    tasks = [
        {
            "id": key,
            "title": title,
            "role": role if role in known else known[0],
            "purpose": "The contrast between rye and bare fallow rests on it.",
            "steps": list(steps),
            "depends_on": list(after),
            "deliverable": "Signed protocol" if key == "T1" else "Checked table",
            "acceptance": [
                {"text": "A second person has checked it", "answers": list(_ANSWERED.get(key, ()))}
            ],
            "tools": [],
            "days": {"low": days, "mode": days, "high": days * 1.2},
            "cost": {"low": cost * 0.9, "mode": cost, "high": cost * 1.1},
        }
        for key, title, role, after, days, cost, steps in _TASKS
    ]
    return {"tasks": tasks, "sample": 20, "changes": CHANGES, "expertise": PLAN_KNOWS}


def _finding(text: str, confidence: str = "medium", would_change: str = "", *sources: str) -> Json:
    basis = "source" if sources else "knowledge"
    return {
        "text": text,
        "sources": list(sources),
        "basis": basis,
        "confidence": confidence,
        "would_change": would_change,
    }


_WORK: Mapping[str, Json] = {
    "T1": {
        "steps": ["Write the analysis plan before the first core is taken, with the contrast and the model."],
        "findings": [
            _finding("Winter rye raised soil organic carbon stocks by 0.32 Mg per hectare and year.", "medium",
                     "a compilation of trials on working farms alone", "E001"),
            _finding("Carbon stocks vary more within a field than between years (Poeplau and Don 2015).", "high",
                     "a site with less variance"),
        ],
        "unknowns": ["Which variance within pairs do the enrolled farms have?"],
        "expertise": {
            "tables": [{"title": "Depth increments", "columns": ["Depth", "Cores a plot"],
                        "rows": [["0 to 10 cm", "5"], ["10 to 30 cm", "5"], ["30 to 60 cm", "3"]]}],
            "formulas": [{"text": "if a<b and b>c: __init__()", "meaning": "the stratified draw of points"}],
            "protocol": ["Core, dry at 40 degrees, sieve to 2 mm, weigh stones, grind and combust"],
            "references": ["Wendt and Hauser 2013, European Journal of Soil Science 64"],
        },
    },
    "T7": {
        "steps": ["Compute the stock of each core at equal soil mass before any comparison of rye and fallow."],
        "findings": [_finding("A change of soil carbon over three winters of rye is small beside its error.", "high")],
        "unknowns": [],
        "expertise": {
            "objections": [{"text": "Three years are too short: carbon inputs of rye reach a measurable stock in "
                                    "ten or more", "basis": "knowledge", "confidence": "high",
                            "would_change": "an isotope label that follows the new carbon"}],
        },
    },
}  # fmt: skip


def work(body: Json) -> Json:
    """Answer a task as its specialist."""
    key = re.search(r"^Task (T\d+):", scripted.asked(body), re.MULTILINE)[1]  # type: ignore[index]
    usual = {
        "steps": [
            f"Keep a log of the samples of {title.lower()}." for k, title, *_ in _TASKS if k == key
        ],
        "findings": [
            _finding(
                "The carbon stock of a plot is known only as well as its bulk density.", "high"
            )
        ],
        "unknowns": [],
    }
    said = {"calls": [], "expertise": None, **_WORK.get(key, usual)}
    said["steps"] = [{"text": text, "sources": []} for text in said["steps"]]
    return scripted.only(body, said)


def points(body: Json) -> Json:
    """Find one fault of the draft."""
    point = {
        "criterion": "limits_honest",
        "reason": "The summary does not say what the trial cannot show.",
        "quote": OBJECTION[:60],
        "level": "partly",
        "advice": "Say in the summary that the change may be too small to be seen.",
    }
    return {"points": [point]}


def said() -> Iterator[str]:
    """Every sentence, cell and formula that the expert writes of plan and answers."""
    for _, title, *_, steps in _TASKS:
        yield title
        yield from steps
    for value in (CHANGES, PLAN_KNOWS, *_WORK.values()):
        yield from _texts(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, held in value.items():
            if name not in ("basis", "confidence", "sources"):
                yield from _texts(held)
    elif isinstance(value, list):
        for held in value:
            yield from _texts(held)


EXPERT = scripted.model(tasks=plan, findings=work, sections=scripted.good_sections, points=points)
