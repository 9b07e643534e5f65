"""From a brief to a plan: frame it, pick a method, write the tasks, scale the estimates.

::

    methods.py     what a method is made of; techniques.py what a technique is
    library.py     methods, techniques and roles, as data files
    choice.py      the method for the design family that a brief asks for
    signals.py     which techniques a brief speaks for, and by which words
    grammar.py     the patterns by which an objective is taken apart
    phrases.py     its noun phrases, as short as they can be said
    acts.py        objectives that ask outright for something to be done
    sampled.py     the units that the limits sample, and how many
    frame.py       the question taken apart
    directions.py  the brief's directions, weighed
    ruling.py      the actions that the brief's limits name, and what they rule out of the library
    wording.py     the library's sentences in the brief's terms, and what they assume
    draft.py       the method and the direction of one plan, and the work they call for
    steps.py       which steps of techniques go into which work package
    roles.py       who does a task that the library did not write
    waits.py       what waits for what once some of it is left out
    tasks.py       the tasks: one for each work package, or those that somebody gave
    doers.py       which task does the work of each package
    scaling.py     estimates scaled, and costs added up against a limit
    limits.py      the limits on money and time, and which of them cannot be kept
    placement.py   which package a figure of the brief belongs to
    estimates.py   what tasks last and cost
    frontier.py    what each number of units takes, and which is taken
    outlines.py    what the other directions would take
    ownership.py   which task answers for which ledger item
    sizing.py      which sample size is needed
    stated.py      the figures that a brief states for it
    usable.py      figures of a brief that no sample size can be computed with
    arguments.py   what a plan has for tools to be called with
    calls.py       which task calls which tool
    risks.py       the risks, and figures for their words
    gates.py       where the work is continued, changed or stopped
    design.py      the values: a plan before it is approved, with the reasons for it
    context.py     what tools are told of a plan
    rework.py      which tasks of a changed plan must be worked again
    builtin.py     all of it: a brief to a design
    repair/        a model's plan put right
    proposed.py    a model asked for a plan
"""
