"""The sets of rules that come with the workbench: pure functions of a position, no engine.

::

    doudizhu/   a card game of three with hidden hands
"""
