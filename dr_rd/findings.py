"""What a run came to, in a form in which runs of several modes can be laid side by side."""

from core.values import Frozen


class Measure(Frozen):
    """A figure of a run."""

    name: str
    """The same in every mode that gives it, such as "cost at the plan's confidence"."""
    value: float
    unit: str = ""


class Finding(Frozen):
    """A thing that a run found and that a reader could act on."""

    key: str
    """What it is about, such as "C04" or "risk R1"; whoever finds the same names the same."""
    text: str
    """The finding in a sentence."""


class RunFindings(Frozen):
    """What a run came to."""

    measures: tuple[Measure, ...] = ()
    findings: tuple[Finding, ...] = ()


def chosen_finding(direction: str, text: str) -> Finding:
    """Return the finding that a direction is to be taken, which every mode names alike."""
    return Finding(key=f"direction {direction}", text=text)
