"""Workstreams bid for budget, people and time, and the outcome is held against the optimum.

::

    rules.py        the rule set: what may be bid, granted and seen
    limits.py       which limits a bid breaks, and by how much
    commission.py   the setup, from plans, runs or a scenario
    program.py      the same portfolio as an integer program, solved
    price.py        what each limit costs, alone and in pairs
    report.py       the result
    position.py     values
"""

from dr_rd.referee.portfolio.rules import RULES

__all__ = ["RULES"]
