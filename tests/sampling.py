"""Which cases of a test `make test` tries: `sampled` leaves the others to `make test-exhaustive`.

`@pytest.mark.sampled(step, first)` takes each *step*-th case, from the one numbered *first* on;
`@pytest.mark.sampled` as many as it takes to have each value of each parameter once. Either is a
rule, never chance: the same cases are tried until somebody adds one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

import pytest

Case = Mapping[str, int]
"""Which value a case takes, by parameter."""


@pytest.hookimpl(tryfirst=True)  # before what has the mark is taken away
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as exhaustive what the samples leave out; what has that mark already is no case."""
    marked = [
        (item, mark)
        for item in items
        if (mark := item.get_closest_marker("sampled"))
        and not item.get_closest_marker("exhaustive")
    ]
    marked.sort(key=lambda case: (_name(case[0]), [*case[0].callspec.indices.values()]))
    for _, group in groupby(marked, key=lambda case: _name(case[0])):
        cases = [*group]
        values = [{k: id(v) for k, v in item.callspec.params.items()} for item, _ in cases]
        mark = cases[0][1]
        kept = stepped(len(cases), *mark.args) if mark.args else covering(values)
        for number, (item, _) in enumerate(cases):
            if number not in kept:
                item.add_marker(pytest.mark.exhaustive)


def stepped(count: int, step: int, first: int = 0) -> set[int]:
    """Return each *step*-th of so many numbers."""
    return {*range(first, count, step)}


def covering(cases: Sequence[Case]) -> set[int]:
    """Return the places of few cases that have all values of all parameters between them.

    Of those that add most that is new, the one is taken whose values were taken least.
    """
    kept, uses = set[int](), Counter[tuple[str, int]]()

    def worth(place: int) -> tuple[int, int, int]:
        values = [uses[value] for value in cases[place].items()]
        return values.count(0), -sum(values), -place

    while any(not uses[value] for case in cases for value in case.items()):
        best = max((n for n in range(len(cases)) if n not in kept), key=worth)
        kept.add(best)
        uses.update(cases[best].items())
    return kept


def _name(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]
