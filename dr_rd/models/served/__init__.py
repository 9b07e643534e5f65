"""The models of a run.

::

    endpoint.py    a server, and which of its models does what
    probe.py       what a server and its model can do, found out by trying
    measure.py     its context and how it counts tokens
    run.py         the models of a run, by what they are asked for
    unrecorded.py  models asked outside a run
    keys.py        keys and masks, in memory only
    prices.py      what replies cost
    effort.py      what a run will ask of its models, before it begins
"""
