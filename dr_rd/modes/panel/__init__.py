"""A round table over a plan: built-in panellists, models or people in its seats.

::

    scenario.py   who sits there: a file's seats, or those that the plan calls for
    voices.py     the table of a run: turns, people, the end of a round
    seats/        what each built-in panellist holds the plan against, as rules over its facts
    cautions.py   checks that are data, the ethics seat's and those of a scenario's own seats
    speaking.py   a seat in which a model speaks
    floor.py      what a seat has before it, and what it finds
    reach.py      everything in a plan that another number of units changes
    figures.py    what a plan comes to, computed by the workbench's calculators
    board.py      amendments, and the plan with them
    result.py     what a table came to
    taking.py     a plan with the amendments that were taken over
"""

from dr_rd.modes.panel.content import CONTENT

__all__ = ["CONTENT"]
