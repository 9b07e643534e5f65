"""The error tree: who must act decides the class.

::

    CallerError   the caller's mistake: shown as one sentence, exit code 2
    TaskError     a model's or tool's mistake: recorded, the task fails, its siblings go on
    Stopped       a person, a signal or a cap ended the run: resumable, exit code 4
      Waiting     the run needs a person's answer before it can go on

Anything else is our bug and crashes loudly.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

PARAGRAPH = 1_200
"""Characters of the longest message: what others said, and how much, may stand in it."""

_TELLING = 3
"""Letters of a name from which on its beginning tells it."""


class CallerError(Exception):
    """What the caller gave cannot be used; the message names it, the choices and the remedy."""


class TaskError(Exception):
    """A task's agent or tool could not do its work; the message says why, in a paragraph."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= PARAGRAPH else clipped(message, PARAGRAPH))


class RefusedCall(TaskError):
    """A tool call was not made: its tool is not open, its limit is reached, or its arguments are wrong."""


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
    found = closest(word, known)
    return f"; did you mean {found!r}?" if found else ""


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most like *word*, or that it begins; "" where none is."""
    names = list(known)
    begun = [n for n in names if len(word) >= _TELLING and n.startswith(word)]
    return next(iter(get_close_matches(word, names, n=1, cutoff=0.6) or begun), "")


def unknown(what: str, word: str, known: Iterable[str]) -> CallerError:
    """Build the one sentence for a *word* that is none of the *known* ones."""
    names = sorted(known)
    hint = nearest(word, names)
    return CallerError(f"unknown {what} {word!r}{hint or '.'} Choose from: {', '.join(names)}")


def all_unknown(what: str, words: Mapping[str, str], known: Iterable[str]) -> CallerError:
    """Build the one sentence for several *words*, each as it is named, none of the *known* ones.

    Whoever typed them learns of all at once.
    """
    names = sorted(known)
    hints = {named: nearest(word, names).removeprefix("; ") for named, word in words.items()}
    told = ", ".join(f"{named} ({hint})" if hint else named for named, hint in hints.items())
    return CallerError(f"unknown {what}: {told}. Choose from: {', '.join(names)}")
