"""How ballots are counted: who is out, Borda points, and who beats whom."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from core.clock import RandomFor
from core.modes.downselect.state import Ballot, Closed, Rule


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

    The rule is that of `dropped`.
    """
    drops = Counter(b.target for b in ballots)
    points = borda((b.ranking for b in ballots), left)
    out, rule = dropped(drops, points, left, chance, number)
    return Closed.model_validate(
        {
            "round": number,
            "out": out,
            "drops": {key: drops[key] for key in left},
            "borda": points,
            "rule": rule,
        }
    )


def dropped(
    drops: Mapping[str, int],
    points: Mapping[str, int],
    left: Sequence[str],
    chance: RandomFor,
    number: int,
) -> tuple[str, Rule]:
    """Return what is out, and by which part of the rule.

    Most ballots is out. Of those that tie, the one with the lower Borda sum of the same ballots;
    of those that tie still, one that the seed draws. Without any ballot all of them tie.
    """
    most = max(drops.get(key, 0) for key in left)
    tied = [key for key in left if drops.get(key, 0) == most]
    if len(tied) == 1:
        return tied[0], "most ballots"
    lowest = min(points[key] for key in tied)
    last = sorted(key for key in tied if points[key] == lowest)
    if len(last) == 1:
        return last[0], "lower Borda sum"
    return chance(f"tie/{number}").choice(last), "drawn by the seed"


def pairwise(
    grades: Sequence[Mapping[str, int]], options: Sequence[str]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return for each pair how many voters grade the first above the second, and the reverse.

    Equal grades count for neither, so that what nobody sets apart beats nobody.
    """
    return {
        (one, other): (
            sum(grade[one] > grade[other] for grade in grades),
            sum(grade[other] > grade[one] for grade in grades),
        )
        for one, other in combinations(options, 2)
    }


def points_of(
    pairs: Mapping[tuple[str, str], tuple[int, int]], options: Sequence[str]
) -> dict[str, int]:
    """Return each option's Borda points: over all voters, how many it is put before."""
    points = dict.fromkeys(options, 0)
    for (one, other), (ahead, behind) in pairs.items():
        points[one] += ahead
        points[other] += behind
    return points


def condorcet(
    pairs: Mapping[tuple[str, str], tuple[int, int]], options: Sequence[str]
) -> str | None:
    """Return the one that beats every other, one against one; None if none does."""
    wins = Counter[str]()
    for (one, other), (ahead, behind) in pairs.items():
        if ahead != behind:
            wins[one if ahead > behind else other] += 1
    return next((key for key in options if wins[key] == len(options) - 1), None)
