"""How ballots are counted: who is out, Borda points, and who beats whom."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from core.clock import RandomFor
from core.modes.downselect.state import Ballot, Closed


def borda(rankings: Iterable[Sequence[str]], left: Sequence[str]) -> dict[str, int]:
    """Return the points of each of *left*: for every ranking, how many it is put before."""
    points = dict.fromkeys(left, 0)
    for ranking in rankings:
        order = [key for key in ranking if key in points]
        for place, key in enumerate(order):
            points[key] += len(order) - 1 - place
    return points


def close_round(
    number: int, ballots: Sequence[Ballot], left: Sequence[str], chance: RandomFor
) -> Closed:
    """Return what a round's ballots take out of *left*.

    Most ballots is out. Of those that tie, the one with the lower Borda sum of the same ballots;
    of those that tie still, one that the seed draws. Without any ballot all of them tie.
    """
    drops = Counter(b.target for b in ballots)
    points = borda((b.ranking for b in ballots), left)
    most = max(drops.values(), default=0)
    tied = [key for key in left if drops[key] == most]
    lowest = min(points[key] for key in tied)
    last = [key for key in tied if points[key] == lowest]
    if len(tied) == 1:
        out, rule = tied[0], "most ballots"
    elif len(last) == 1:
        out, rule = last[0], "lower Borda sum"
    else:
        out, rule = chance(f"tie/{number}").choice(sorted(last)), "drawn by the seed"
    return Closed.model_validate(
        {
            "round": number,
            "out": out,
            "drops": {key: drops[key] for key in left},
            "borda": points,
            "rule": rule,
        }
    )


def pairwise(
    rankings: Sequence[Sequence[str]], options: Sequence[str]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return for each pair how many rankings put the first before the second, and the reverse."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for one, other in combinations(options, 2):
        both = [r for r in rankings if one in r and other in r]
        ahead = sum(r.index(one) < r.index(other) for r in both)
        found[one, other] = (ahead, len(both) - ahead)
    return found


def condorcet(
    pairs: Mapping[tuple[str, str], tuple[int, int]], options: Sequence[str]
) -> str | None:
    """Return the one that beats every other, one against one; None if none does."""
    wins = Counter[str]()
    for (one, other), (ahead, behind) in pairs.items():
        if ahead != behind:
            wins[one if ahead > behind else other] += 1
    return next((key for key in options if wins[key] == len(options) - 1), None)
