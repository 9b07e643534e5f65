"""What leaves this machine for models.

::

    egress.py    which servers may be asked, and what a run sent
    masking.py   words and figures that no model may see
    finder.py    where one of many patterns begins
    spelling.py  the ways in which a name or a figure may be written
"""
