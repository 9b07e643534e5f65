"""The analyst's question: objective, limits, criteria, directions, bans.

::

    values.py   what is asked
    markup.py   YAML and JSON, read strictly
    fields.py   what stands under a key, and whether it fits
    typed.py    a brief under its own keys
    tasks.py    the tasks that it prescribes
    planned.py  a plan that was printed, as the brief that it is made again from
    blocks.py   a block that has keys of its own
    question.py   the parts of the question, where they are named
    resources.py  who and what the work may use
    telling.py  whether a plan can be made from it
"""

from dr_rd.brief.planned import brief_of_plan, is_plan
from dr_rd.brief.question import Question
from dr_rd.brief.resources import (
    ClosedPeriod,
    Equipment,
    Person,
    Price,
    Resources,
    Span,
    Throughput,
)
from dr_rd.brief.telling import check_objective
from dr_rd.brief.typed import typed_brief
from dr_rd.brief.values import NAMELESS, Brief, Estimate, GivenTask, project_id

__all__ = [
    "NAMELESS",
    "Brief",
    "ClosedPeriod",
    "Equipment",
    "Estimate",
    "GivenTask",
    "Person",
    "Price",
    "Question",
    "Resources",
    "Span",
    "Throughput",
    "brief_of_plan",
    "check_objective",
    "is_plan",
    "project_id",
    "typed_brief",
]
