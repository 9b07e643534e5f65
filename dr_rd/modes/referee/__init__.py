"""What the workbench says where moves are refereed: which rules, what is played for, who decides.

::

    scenario.py      the file that names rules, setup and the seats of people
    workstreams.py   a brief's directions, or finished runs, as work that bids
    players.py       built-in players, and models that decide in their place
    result.py        the result and its schema
"""

from dr_rd.modes.referee.content import CONTENT

__all__ = ["CONTENT"]
