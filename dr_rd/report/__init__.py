"""What a reader gets: the proposal and its exports.

::

    calls.py         what the tools of a run gave
    answers.py       the answers, in the order of the plan
    tables.py        the ledger, the work plan, what moves the totals
    limits.py        what the work takes, against the limits on money and time
    alternatives.py  why this method and this direction
    warnings.py      what a reader must know before anything else
    evidence.py      what is cited, what differs, what is borne out
    grounds.py       what shows that an item is kept
    material.py      what a model may write a section from
    vetting.py       which sentences of it are kept
    writing.py       the sections that a model writes
    proposal.py      all of it: the proposal
    bundle.py        a run in one file
"""
