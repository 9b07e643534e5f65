"""A model's plan put right: the certain is settled, the wrong is named, and then left out.

::

    written.py   the plan as a model writes it
    faults.py    what is wrong with it, and what was taken out
    kept.py      the library's tasks that it keeps
    names.py     what it calls its tasks and the items of the ledger
    texts.py     what it says, as plain lines
    proposal.py  a task that a model plans, as it is used
    dependencies.py  what waits for what
    tasks.py     its tasks, one at a time
    limits.py    its lines, held against the limits
    plan.py      all of it
"""

from dr_rd.planning.repair.faults import Fault
from dr_rd.planning.repair.plan import RepairedPlan, repair_plan
from dr_rd.planning.repair.proposal import ProposedTask
from dr_rd.planning.repair.written import (
    LINES,
    MOST_TASKS,
    Criterion,
    WrittenPlan,
    WrittenTask,
)

__all__ = [
    "LINES",
    "MOST_TASKS",
    "Criterion",
    "Fault",
    "ProposedTask",
    "RepairedPlan",
    "WrittenPlan",
    "WrittenTask",
    "repair_plan",
]
