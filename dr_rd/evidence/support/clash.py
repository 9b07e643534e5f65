"""Which figure of a claim a passage gives another value, and which it does not give."""

from collections.abc import Sequence, Set

from dr_rd.evidence.support.clauses import nearer, placed
from dr_rd.evidence.support.content import LETTER, told_by
from dr_rd.evidence.support.figures import Figure, comparable, fit, same_noun
from dr_rd.evidence.support.source import PassageFigure, SourcePassage
from dr_rd.quantity import DATE


def clash(text: str, wanted: Set[str], at: int, source: SourcePassage) -> tuple[str, str]:
    """Say which number of the claim the passage gives another value, and which it lacks."""
    mine = list(placed(text, source.tongue))
    spare = [
        g
        for g in source.given
        if not any(comparable(f, g.figure) and fit(f, g.figure) == "same" for f, _ in mine)
    ]
    for figure, around in mine:
        local = around if len(mine) > 1 and around else wanted | told_by(text, source.tongue)
        if found := _number(figure, local, at, source, spare):
            return found
    return "", ""


def _number(
    figure: Figure,
    wanted: Set[str],
    at: int,
    source: SourcePassage,
    spare: Sequence[PassageFigure],
) -> tuple[str, str] | None:
    alike = [g for g in source.given if comparable(figure, g.figure)]
    same = [g for g in alike if fit(figure, g.figure) == "same"]
    rivals = [g for g in spare if g in alike and fit(figure, g.figure) == "apart"]
    if same:
        rival = next((r for r in rivals if all(_rather(wanted, r, s) for s in same)), None)
        if rival:
            return _against(figure, rival), ""
        twin = any(r.near == s.near and _twins(r, s) for r in rivals for s in same)
        if twin:
            return "", f"the passage gives two values beside {figure.text}"
        other = all(_of_another(wanted, s.near) for s in same)
        return (f"the passage gives {figure.text} for another one", "") if other else None
    near = any(g.sentence == at and fit(figure, g.figure) == "overlap" for g in alike)
    for rival in () if near else rivals:
        if rival.sentence == at and _of_one_thing(figure, rival, wanted):
            return _against(figure, rival), ""
    return "", f"the passage does not give {figure.text} there"


def _twins(a: PassageFigure, b: PassageFigure) -> bool:
    """Whether both stand in one sentence and measure one kind of thing."""
    first, second = a.figure.quantity, b.figure.quantity
    return a.sentence == b.sentence and bool(first.unit and first.unit == second.unit)


def _of_another(wanted: Set[str], near: Set[str]) -> bool:
    """Whether one names A and the other B."""
    letters = [{w for w in words if LETTER.match(f" {w}", 1)} for words in (wanted, near)]
    return all(letters) and not letters[0] & letters[1]


def _against(figure: Figure, rival: PassageFigure) -> str:
    return f"the claim says {figure.text}, the passage {rival.figure.text}"


def _of_one_thing(figure: Figure, rival: PassageFigure, wanted: Set[str]) -> bool:
    if figure.quantity.unit or figure.quantity.noun == DATE:
        return True
    named = figure.quantity.noun and rival.figure.quantity.noun
    alike = same_noun(figure, rival.figure)
    return alike if named else len(wanted & rival.near) >= 1


def _rather(wanted: Set[str], a: PassageFigure, b: PassageFigure) -> bool:
    """Whether *wanted* speaks of what stands around *a* and not around *b*."""
    return nearer(wanted, a.near, b.near)
