"""Which task answers for which ledger item."""

from collections.abc import Iterable, Mapping, Sequence

from core.graph.state import Acceptance, GraphTask
from dr_rd.checks import Ledger, LedgerItem, Limit, Period
from dr_rd.files import read_yaml
from dr_rd.planning.doers import Doers, task_text
from dr_rd.planning.methods import Package
from dr_rd.planning.signals import phrases_in, stems
from dr_rd.quantity import DATE, is_money

Topics = Mapping[str, Sequence[str]]
"""Each topic with the words that show it."""

_FIRST, _STEP, _WORDS = 2.0, 0.2, 0.25
"""Points for a package's first topic, less for each later one, and for each word shared."""


class Candidate:
    """A task that could own an item: its topics, strongest first, and its words."""

    def __init__(self, key: str, owns: Sequence[str], text: str) -> None:
        self.key = key
        self._points = {t: _FIRST - _STEP * n for n, t in enumerate(owns)}
        self._stems = stems(text)

    def points(self, topics: Mapping[str, int], words: frozenset[str]) -> float:
        """How much this task has to do with an item of those topics and words."""
        shared = sum(self._points[t] * hits for t, hits in topics.items() if t in self._points)
        return shared + _WORDS * len(words & self._stems)


def load_topics() -> Topics:
    """Read the topics and their words."""
    topics: dict[str, list[str]] = read_yaml("planning", "topics.yaml")
    return topics


def owned(
    tasks: Sequence[GraphTask],
    ledger: Ledger,
    packages: Iterable[Package],
    by: Doers,
    topics: Topics,
) -> tuple[tuple[GraphTask, ...], tuple[str, ...]]:
    """Return *tasks* with what each promises of the items it owns, and the items nobody owns.

    A task that says itself which items its tests answer owns those; the others go to who does,
    *by*, the work of the *packages* that have most to do with them.
    """
    said = {i: t.id for t in reversed(tasks) for a in t.acceptance for i in a.ledger_ids}
    rest = [i for i in ledger.items if i.id not in said]
    found = {**said, **owners(rest, _candidates(tasks, packages, by), topics)}
    unowned = tuple(i.id for i in ledger.items if i.id not in found)
    return tuple(_with_items(t, ledger, found) for t in tasks), unowned


def _candidates(
    tasks: Iterable[GraphTask], packages: Iterable[Package], by: Doers
) -> list[Candidate]:
    """Each task with the topics of the packages whose work it does."""
    topics: dict[str, dict[str, None]] = {t.id: {} for t in tasks}
    for package in packages:
        topics[by[package.id]] |= dict.fromkeys(package.owns)
    return [Candidate(t.id, tuple(topics[t.id]), task_text(t)) for t in tasks]


def _with_items(task: GraphTask, ledger: Ledger, owned_by: Mapping[str, str]) -> GraphTask:
    mine = [i for i in ledger.items if owned_by.get(i.id) == task.id]
    added = tuple(Acceptance(text=_promise(i), ledger_ids=(i.id,)) for i in mine)
    return task.model_copy(update={"acceptance": task.acceptance + added})


def _promise(item: LedgerItem) -> str:
    """What a task promises of an item it owns."""
    if item.kind == "ban":
        return f"{item.id} stays out of the work: “{item.text}”"
    return f"{item.id} is met: “{item.text}”"


def topics_of(item: LedgerItem, topics: Topics) -> dict[str, int]:
    """Topics of *item*, each with the number of its words that were found.

    A ban is always about scope: whoever guards the scope keeps it out.
    """
    found = {t: len(tuple(phrases_in(words, item.text))) for t, words in topics.items()}
    if item.kind == "ban":
        found["scope"] = found.get("scope", 0) + 2
    else:
        found.pop("scope", None)
    return {t: hits for t, hits in found.items() if hits} or _topic_of_figures(item)


def _topic_of_figures(item: LedgerItem) -> dict[str, int]:
    """What a limit whose words tell nothing is about, by what its figure measures: "30 kEUR"."""
    if any(isinstance(check, Period) for check in item.checks):
        return {"schedule": 1}
    limits = [check for check in item.checks if isinstance(check, Limit)]
    return {_measured(limits[0]): 1} if limits else {}


def _measured(limit: Limit) -> str:
    """The topic of what a figure is a figure of: money, time, a count, or anything else."""
    if is_money(limit.quantity.unit):
        return "budget"
    if limit.whole or limit.quantity.noun == DATE:
        return "schedule"
    return "measurement" if limit.quantity.unit else "sample-size"


def owners(
    items: Iterable[LedgerItem], candidates: Sequence[Candidate], topics: Topics
) -> dict[str, str]:
    """Each item's owner by key; items that nobody has anything to do with are left out."""
    found: dict[str, str] = {}
    for item in items:
        about, words = topics_of(item, topics), stems(item.text)
        scored = [(c.points(about, words), -n, c) for n, c in enumerate(candidates)]
        best, _, owner = max(scored, key=lambda s: (s[0], s[1]))
        if best > 0:
            found[item.id] = owner.key
    return found
