"""What the limits of a brief rule out of the library, and ask for: by declared actions alone."""

from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from core.graph.state import GraphTask
from core.values import Frozen, unsaid
from dr_rd.actions import Reader, Vocabulary
from dr_rd.checks import Ledger
from dr_rd.planning.methods import Method


class Ruling(Frozen):
    """An action that an item of the ledger names."""

    ledger_id: str
    action: str
    does: str
    """The action as a clause without its subject: "enrols people"."""
    covers: tuple[str, ...]
    """The ids of that action and of those that are kinds of it."""
    banned: bool
    """Whether the item rules it out; else it asks for it."""
    whole: bool
    """Whether the item means all of it; else a part, which no step says whether it is."""


class Declared(Frozen):
    """A step of a plan that takes actions, as the library says."""

    task_id: str
    text: str
    actions: tuple[str, ...]


class LeftOut(Frozen):
    """What a plan goes without because a limit of the brief rules out what it does."""

    text: str
    ledger_id: str
    does: str = Field(default="", exclude_if=unsaid)
    """What it does that is ruled out: "enrols people"; "" in plans of earlier releases."""


def rulings(ledger: Ledger, reader: Reader) -> tuple[Ruling, ...]:
    """Return the actions that the items of a ledger name, in their order."""
    return tuple(
        Ruling(
            ledger_id=item.id,
            action=found.action,
            does=reader.vocabulary.by_id[found.action].does,
            covers=_covered(found.action, reader.vocabulary),
            banned=found.banned,
            whole=found.whole,
        )
        for item in ledger.items
        for found in reader.named(item.text, ban=item.kind == "ban")
    )


def _covered(action: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    return tuple(a.id for a in vocabulary.actions if action in vocabulary.wider(a.id))


def ruled_out(text: str, actions: Iterable[str], by: Iterable[Ruling]) -> LeftOut | None:
    """Return that a *text* which takes *actions* is left out, and why; None where nothing bars it."""
    taken = set(actions)
    found = next((r for r in by if r.banned and r.whole and taken & set(r.covers)), None)
    return LeftOut(text=text, ledger_id=found.ledger_id, does=found.does) if found else None


def contradicted(
    method: Method, tasks: Sequence[GraphTask], by: Sequence[Ruling]
) -> tuple[Declared, ...]:
    """Return the tasks that are nothing without an action that is ruled out, each with its title."""
    found = ((t, method.by_id.get(t.source.removeprefix(f"{method.id}/"))) for t in tasks)
    return tuple(
        Declared(task_id=task.id, text=task.title, actions=package.actions)
        for task, package in found
        if package and ruled_out(task.title, package.actions, by)
    )


def objections(declared: Iterable[Declared], by: Sequence[Ruling]) -> Iterator[str]:
    """Say of each task that is for what a limit rules out that both cannot stand."""
    for task in declared:
        if barred := ruled_out(task.text, task.actions, by):
            yield (
                f"{barred.ledger_id} rules out what {task.task_id} (“{task.text}”) is for: it "
                f"{barred.does}. Lift that limit, or prescribe tasks that do without"
            )
