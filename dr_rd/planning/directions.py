"""The brief's directions, each looked at: what it can show, what it breaks, how it weighs."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pydantic import Field

from core.graph.state import GraphTask
from core.pluralize import amount, pluralize
from core.values import Frozen, unsaid
from dr_rd.brief import Brief
from dr_rd.checks import Ledger, LedgerItem, Prohibition, check
from dr_rd.files import read_yaml
from dr_rd.planning.library import Library
from dr_rd.planning.objections import Objector, load_objector
from dr_rd.planning.ruling import Ruling, rulings
from dr_rd.planning.signals import find_techniques, phrase, stems
from dr_rd.planning.techniques import Technique
from dr_rd.schedule.activities import NOTHING
from dr_rd.schedule.cpm import end_of

_COVERED = 0.25
"""Share of a criterion's content words that must be spoken to."""


class Caution(Frozen):
    """A known objection to a kind of direction, where the brief is of a certain kind."""

    direction: str
    """Pattern in the direction's words."""
    brief: str
    """Pattern in the brief's objective, limits and criteria."""
    why: str

    def applies(self, direction: str, brief: str) -> bool:
        """Whether the objection holds."""
        return all(
            re.search(pattern, text, re.IGNORECASE)
            for pattern, text in ((self.direction, direction), (self.brief, brief))
        )


class Kind(Frozen):
    """How what is compared comes about in a direction; `data/planning/directions.yaml`."""

    id: str
    pattern: str
    unless: str = ""
    """What shows that the pattern means something else; "" where nothing does."""
    shows: str = ""
    cannot: str = ""
    needs: str
    causal: bool = True
    """Whether it can tell an effect from what else sets the two sides apart."""
    question: str = ""
    """What settles a tie with a direction of another kind."""

    def holds(self, text: str) -> bool:
        """Whether a direction in these words is of the kind."""
        found = re.search(self.pattern, text, re.IGNORECASE)
        return bool(found) and not (self.unless and re.search(self.unless, text, re.IGNORECASE))


class Decision(Frozen):
    """How directions are weighed; `data/planning/decision.yaml`."""

    weights: Mapping[str, Mapping[str, float]]
    why: str
    criteria: Mapping[str, str]
    cautions: tuple[Caution, ...]
    kinds: tuple[Kind, ...] = ()
    complications: tuple[str, ...]
    objector: Objector


class Conflict(Frozen):
    """A ledger item that a direction breaks."""

    ledger_id: str
    reason: str
    hard: bool = True
    """Whether it is a constraint or a ban, which no merit makes good; else a criterion."""


class Outline(Frozen):
    """What the work would take if a direction were chosen: the library's expected values."""

    method: str
    tasks: int
    days: int
    """Working days on the critical path."""
    cost: int
    """Direct costs."""
    needs: tuple[str, ...] = ()
    """Titles of the tasks that get what the others need."""
    own: tuple[str, ...] = ()
    """What its own techniques ask for first, a step each."""

    def of_tasks(self, tasks: Sequence[GraphTask]) -> "Outline":
        """Return it with the days and costs of *tasks*: expected values, no percentiles."""
        network = {t.id: t.depends_on for t in tasks}
        expected = {t.id: (t.duration_days or NOTHING).mean for t in tasks}
        return self.model_copy(
            update={
                "tasks": len(tasks),
                "days": round(end_of(network, expected)),
                "cost": round(sum((t.cost or NOTHING).mean for t in tasks)),
            }
        )

    def like(self, other: "Outline | None") -> bool:
        """Whether the library expects the same work of both, but for what their techniques ask."""
        return other is not None and other.model_copy(update={"own": self.own}) == self


class Direction(Frozen):
    """One direction, assessed."""

    id: str
    """"O1" for the brief's first."""
    text: str
    given: bool
    """False if the library proposed it because the brief names none."""
    techniques: tuple[str, ...] = ()
    """Titles of the techniques it uses, as far as the library knows them."""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    scores: Mapping[str, float]
    """0..1 by criterion."""
    reasons: Mapping[str, str] = Field(default={}, exclude_if=unsaid)
    """Why, a clause for each."""
    kinds: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """Ids of what its words say of how the comparison comes about."""
    needs: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """What it cannot do without, a clause each."""
    question: str = Field(default="", exclude_if=unsaid)
    """What would settle whether it is to be taken, where others score the same."""
    outline: Outline | None = Field(default=None, exclude_if=unsaid)
    """None if it is excluded, or the brief says what the tasks are."""

    @property
    def excluded(self) -> str:
        """Why it may not be recommended; "" if it may."""
        return "; ".join(f"breaks {c.ledger_id}: {c.reason}" for c in self.barred)

    @property
    def barred(self) -> tuple[Conflict, ...]:
        """What it breaks, so that it may not be recommended."""
        return tuple(c for c in self.conflicts if c.hard)


def load_decision() -> Decision:
    """Read how directions are weighed."""
    held = {
        **read_yaml("planning", "decision.yaml"),
        **read_yaml("planning", "directions.yaml"),
        "objector": load_objector(),
    }
    return Decision.model_validate(held)


def assess(
    brief: Brief,
    proposed: Mapping[str, float],
    ledger: Ledger,
    library: Library,
    decision: Decision,
) -> tuple[Direction, ...]:
    """Assess the brief's directions, or the *proposed* ones where it names none.

    Of these it is told how well they fit the brief, as a share of the first.
    """
    common = find_techniques(brief.objective, library)
    limits = rulings(ledger, library.reader)

    def looked_at(number: int, text: str) -> Direction:
        return _assess(f"O{number}", text, brief, ledger, limits, library, common, decision)

    if brief.plausible_directions:
        return tuple(looked_at(n, text) for n, text in enumerate(brief.plausible_directions, 1))
    return tuple(
        _as_method(looked_at(n, text), fit) for n, (text, fit) in enumerate(proposed.items(), 1)
    )


def _as_method(direction: Direction, fit: float) -> Direction:
    """A direction that is a method of the library: it fits the brief more or less."""
    best_of = "better than any other" if fit == 1 else f"{fit:g} times as well as the first [plan]"
    return direction.model_copy(
        update={
            "scores": {**direction.scores, "asked": fit},
            "reasons": {**direction.reasons, "asked": f"by the brief's words it fits {best_of}"},
        }
    )


def tied(directions: Sequence[Direction], weights: Mapping[str, float]) -> list[Direction]:
    """Return the directions that the first is not told from; none where it is first alone.

    Those that it is no better than on method, and those whose whole score lies as near as scores of
    words may: whose words are nearer to the brief's decides which is planned, and settles nothing.
    Of methods that the library proposes, how well each fits is no such overlap.
    """
    first = best(directions, weights)
    on_method = {k: w for k, w in weights.items() if k != "asked" or not first.given}
    even = [
        d
        for d in directions
        if not d.excluded
        and any(
            weighted(d.scores, by) >= weighted(first.scores, by) - _LEVEL
            for by in (on_method, weights)
        )
    ]
    return even if len(even) > 1 and not first.excluded else []


_LEVEL = 0.005
"""Of a score, what tells nothing apart: a word more that a direction shares with its brief."""


def settling_question(first: Sequence[Direction]) -> str:
    """Return the question that settles a tie; "" where there is none."""
    if not first:
        return ""
    named = " and ".join(d.id for d in first)
    kinds = {d.kinds for d in first}
    asked = next((d for d in first if d.question), None) if len(kinds) > 1 else None
    if asked is not None:
        return f"{named} stand level; for {asked.id}: {asked.question}"
    wanted = " or ".join(
        f"“{own}” ({d.id})" for d, own in zip(first, _own_words(first), strict=True)
    )
    return f"{named} stand level: which is wanted, {wanted}"


_MOST_WORDS = 6
"""Of a direction that are shown to tell it from another."""


def _own_words(directions: Sequence[Direction]) -> list[str]:
    """Return of each direction the words from the first to the last in which it differs from the others."""
    texts = [d.text.split() for d in directions]
    shortest = min(map(len, texts))
    begin = next((n for n in range(shortest) if len({t[n].lower() for t in texts}) > 1), 0)
    most = shortest - begin
    ends = range(1, most)
    end = next((n - 1 for n in ends if len({t[-n].lower() for t in texts}) > 1), 0)
    own = [t[begin : len(t) - end][:_MOST_WORDS] for t in texts]
    return [" ".join(words).strip(" ,;(") for words in own]


def best(directions: Sequence[Direction], weights: Mapping[str, float]) -> Direction:
    """Return the direction of the greatest weighted score; ties go to the first.

    One that is excluded is returned only where all are: the work then waits for a new direction.
    """
    open_ = [d for d in directions if not d.excluded]
    return max(open_ or directions, key=lambda d: weighted(d.scores, weights))


def weighted(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Weighted mean of *scores*."""
    return round(sum(weights[k] * scores[k] for k in weights) / sum(weights.values()), 4)


def _assess(
    key: str,
    text: str,
    brief: Brief,
    ledger: Ledger,
    limits: Sequence[Ruling],
    library: Library,
    common: Sequence[Technique],
    decision: Decision,
) -> Direction:
    techniques = find_techniques(text, library)
    given = bool(brief.plausible_directions)
    verdicts = check(ledger, text) if given else ()  # the library's own words break nothing
    ruled = tuple(_ruled_out(text, limits, library)) if given else ()
    named = tuple(
        Conflict(ledger_id=v.id, reason=v.reason, hard=v.kind != "criterion")
        for v in verdicts
        if v.verdict == "violated" and _names_what_is_barred(ledger.item(v.id), text)
    )
    held = decision.objector.against(text, brief, ledger) if given else ()
    typed = tuple(Conflict(ledger_id=o.breaks, reason=o.why) for o in held if o.breaks)
    conflicts = tuple({c.ledger_id: c for c in (*typed, *named, *ruled)}.values())
    kinds = [k for k in decision.kinds if given and k.holds(text)]
    met = {v.text for v in verdicts if v.verdict == "met"}
    asked = "\n".join([brief.objective, *brief.hard_constraints, *brief.success_criteria])
    objections = [f"{o.why[:1].upper()}{o.why[1:]}." for o in held if not o.breaks]
    objections += [c.why for c in decision.cautions if c.applies(text, asked)]
    objections += [k.cannot for k in kinds if not k.causal and k.cannot not in objections]
    asked_for = set(_complications(asked, decision.complications))
    added = [w for w in _complications(text, decision.complications) if w not in asked_for]
    share = _share_asked(text, asked) if given else 1.0
    spoken = speaks_to(text, common, brief.success_criteria, met)
    return Direction(
        id=key,
        text=text,
        given=given,
        techniques=tuple(t.title for t in techniques),
        strengths=(*(k.shows for k in kinds if k.shows), *(t.strength for t in techniques)),
        weaknesses=(
            *objections,
            *(k.cannot for k in kinds if k.causal and k.cannot),
            *(t.weakness for t in techniques),
        ),
        kinds=tuple(k.id for k in kinds),
        needs=tuple(k.needs for k in kinds),
        question=next((k.question for k in kinds if k.question), ""),
        conflicts=conflicts,
        scores={
            "limits": _limits(len(conflicts), ledger),
            "sound": round(1 / (1 + 3 * len(objections)), 3),
            "criteria": round(sum(spoken) / len(spoken), 3) if spoken else 0.5,
            "simplicity": round(1 / (1 + len(added) / 3), 3),
            "asked": share,
        },
        reasons={
            "limits": _why_limits(conflicts, ledger, given=given),
            "sound": objections[0]
            if objections
            else "nothing that the library knows speaks against it",
            "criteria": _why_criteria(spoken),
            "simplicity": f"it names {_joined_names(f'“{word}”' for word in added)}"
            if added
            else "it names no complication",
            "asked": f"of its own words the brief's lines use {share:.0%}".replace("%", " %"),
        },
    )


def _share_asked(text: str, asked: str) -> float:
    """Return the share of a direction's content words that the brief asks for in its own."""
    words = stems(text)
    return round(len(words & stems(asked)) / len(words), 3) if words else 0.0


def _names_what_is_barred(item: LedgerItem, text: str) -> bool:
    """Whether *text* takes in a thing that an item bars by its name.

    What it breaks by a figure, or by what the item's words leave out, follows from other words.
    """
    barring = tuple(c for c in item.checks if isinstance(c, Prohibition))
    alone = Ledger(items=(item.model_copy(update={"checks": barring}),))
    return bool(barring) and check(alone, text)[0].verdict == "violated"


def _ruled_out(text: str, limits: Iterable[Ruling], library: Library) -> Iterator[Conflict]:
    """Those of *limits* that rule out an action which the direction names."""
    named = {found.action for found in library.reader.named(text, ban=False) if not found.banned}
    for ruling in limits:
        if ruling.banned and ruling.whole and named & set(ruling.covers):
            yield Conflict(
                ledger_id=ruling.ledger_id, reason=f"it {ruling.does}, which that rules out"
            )


def sized(
    directions: Sequence[Direction],
    needs: Mapping[str, float],
    allowed: float | None,
    units: str,
) -> tuple[Direction, ...]:
    """Return *directions* with how many units each *needs*, held against how many are *allowed*.

    One that needs more than there may be cannot show what is asked; it is not excluded, because it
    may still be bought as an estimate.
    """
    return tuple(
        _with_size(d, needs[d.id], allowed, units) if d.id in needs else d for d in directions
    )


def _with_size(
    direction: Direction, needed: float, allowed: float | None, units: str
) -> Direction:
    if allowed is None or needed <= allowed or direction.scores["sound"] < 1:
        return direction
    why = (
        f"for the effect asked for it needs {amount(needed)} {units} in all, and the limits allow "
        f"{amount(allowed)} [plan]"
    )
    return direction.model_copy(
        update={
            "scores": {**direction.scores, "sound": _TOO_SMALL},
            "reasons": {**direction.reasons, "sound": why},
            "weaknesses": (f"{why[:1].upper()}{why[1:]}.", *direction.weaknesses),
        }
    )


_TOO_SMALL = 0.6
"""What is left of soundness where a direction needs more units than the limits allow."""


def _why_limits(broken: Sequence[Conflict], ledger: Ledger, *, given: bool) -> str:
    if broken:
        return f"it breaks {_joined_names(c.ledger_id for c in broken)}, which halves the score at least"
    if not any(i.checkable for i in ledger.items):
        return "the brief sets no limit that code can check"
    if not given:
        return "what a limit rules out of the library's steps is left out of it"
    return "its words name nothing that a limit rules out"


def _why_criteria(spoken: Sequence[bool]) -> str:
    if not spoken:
        return "the brief names no success criterion, so that none sets directions apart"
    if not any(spoken):
        return "its words and its techniques speak to no success criterion"
    return f"it speaks to {sum(spoken)} of {pluralize(len(spoken), 'success criterion', 'success criteria')} [plan]"


def _joined_names(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _limits(broken: int, ledger: Ledger) -> float:
    """One broken limit already costs half: it must be repaired before the direction is usable."""
    checkable = sum(i.checkable for i in ledger.items) or 1
    return round(max(0.0, 1 - broken / checkable) / (2 if broken else 1), 3)


def speaks_to(
    text: str, techniques: Sequence[Technique], criteria: Sequence[str], met: Collection[str]
) -> list[bool]:
    """Return of each success criterion whether a direction speaks to it, by its words or its work.

    Its work are its own techniques and those that the objective names, which every direction
    takes on; *met* are the criteria that its words meet by themselves.
    """
    said = stems(" ".join([text, *(s.text for t in techniques for s in t.steps)]))
    wanted = {c: stems(c) for c in criteria}
    return [c in met or len(w & said) >= max(1, _COVERED * len(w)) for c, w in wanted.items()]


def _complications(text: str, complications: Sequence[str]) -> list[str]:
    """The complications that a direction names, each as often as it does."""
    return [word for word in complications for _ in phrase(word).findall(text)]
