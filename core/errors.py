"""The error tree: who must act decides the class.

::

    CallerError   the caller's mistake: shown as one sentence, exit code 2
    TaskError     a model's or tool's mistake: recorded, the task fails, its siblings go on
    Stopped       a person, a signal or a cap ended the run: resumable, exit code 4
      Waiting     the run needs a person's answer before it can go on

Anything else is our bug and crashes loudly.
"""

from collections.abc import Iterable
from difflib import get_close_matches

PARAGRAPH = 1_200
"""Characters of the longest message: what others said, and how much, may stand in it."""


class CallerError(Exception):
    """What the caller gave cannot be used; the message names it, the choices and the remedy."""


class TaskError(Exception):
    """A task's agent or tool could not do its work; the message says why, in a paragraph."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= PARAGRAPH else clipped(message, PARAGRAPH))


class Stopped(Exception):
    """The run stopped before its end and can be resumed; the message says who stopped it."""


class Waiting(Stopped):
    """The run cannot go on before a person answers; the message says what is asked."""


def clipped(text: str, most: int) -> str:
    """Return what others said on one line, cut after *most* characters, for use in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the known word nearest to *word*, or ""."""
    found = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""


def unknown(what: str, word: str, known: Iterable[str]) -> CallerError:
    """Build the one sentence for a *word* that is none of the *known* ones."""
    names = sorted(known)
    hint = nearest(word, names)
    return CallerError(f"unknown {what} {word!r}{hint or '.'} Choose from: {', '.join(names)}")
