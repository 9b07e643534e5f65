"""A model's plan put right: the certain is settled, the wrong is named, and then left out.

::

    written.py   the plan as a model writes it
    faults.py    what is wrong with it, and what was taken out
    names.py     what it calls its tasks and the items of the ledger
    texts.py     what it says, as plain lines
    proposal.py  a task that a model plans, as it is used
    waiting.py   what waits for what
    tasks.py     its tasks, one at a time
    lawful.py    its lines, held against the limits
    cure.py      all of it
"""

from dr_rd.planning.curing.cure import Cured, cured
from dr_rd.planning.curing.faults import Fault
from dr_rd.planning.curing.proposal import ProposedTask
from dr_rd.planning.curing.written import (
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
    "Cured",
    "Fault",
    "ProposedTask",
    "WrittenPlan",
    "WrittenTask",
    "cured",
]
