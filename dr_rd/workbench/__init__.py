"""The workbench: from settings and a library to runs.

::

    shared.py    what all runs share
    asking.py    how a run asks its models
    inputs.py    what one run works from
    subjects.py  what is scored
    scoring.py   how it is scored
    run.py       one run: what plans, works, scores and composes it
    root.py      the composition root
"""

from dr_rd.workbench.inputs import EVIDENCE, OFFERS, SERVERS, asked_in, design_file
from dr_rd.workbench.root import Workbench, load_workbench, parts_on
from dr_rd.workbench.run import ResearchRun
from dr_rd.workbench.scoring import EVALUATOR

__all__ = [
    "EVALUATOR",
    "EVIDENCE",
    "OFFERS",
    "SERVERS",
    "ResearchRun",
    "Workbench",
    "asked_in",
    "design_file",
    "load_workbench",
    "parts_on",
]
