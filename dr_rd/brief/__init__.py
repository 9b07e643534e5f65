"""The analyst's question: objective, limits, criteria, directions, bans; and how it is read.

::

    values.py   what is asked
    file.py     from a file, standard input or quoted text
    parsing.py  a text, whatever format it is in
    markup.py   YAML and JSON, read strictly
    prose.py    Markdown and plain text
    fields.py   what stands under a key, and whether it fits
    tasks.py    the tasks that it prescribes
    resources.py  who and what the work may use
    telling.py  whether a plan can be made from it
"""

from dr_rd.brief.file import MAX_BYTES, read_brief
from dr_rd.brief.parsing import parse_brief
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
from dr_rd.brief.values import NAMELESS, Brief, Estimate, GivenTask, project_id

__all__ = [
    "MAX_BYTES",
    "NAMELESS",
    "Brief",
    "ClosedPeriod",
    "Equipment",
    "Estimate",
    "GivenTask",
    "Person",
    "Price",
    "Resources",
    "Span",
    "Throughput",
    "check_objective",
    "parse_brief",
    "project_id",
    "read_brief",
]
