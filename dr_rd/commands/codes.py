"""The exit codes of the command line."""

FINISHED = 0
"""Complete."""
BUG = 1
"""A fault of the program; Python itself gives this code."""
MISTAKE = 2
"""What the caller gave cannot be used."""
FAILED = 3
"""Ended, with holes, a failed gate, something unsound, or a design that the brief left open."""
UNHEARD = 141
"""Whoever read the result has gone; so a shell shows the end of a program by SIGPIPE."""
STOPPED = 4
"""Stopped by a person, a cap or a signal; a run can be resumed."""
