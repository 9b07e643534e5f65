"""Typed facts of a brief's directions: what sets one apart from the others, and who says so."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from core.pluralize import joined
from dr_rd.checks import Ledger
from dr_rd.files import parse_yaml
from dr_rd.modes.directions import (
    DirectionPrices,
    criteria_of,
    criteria_spoken_to,
    own_techniques,
    techniques_of_all,
)
from dr_rd.modes.downselect.ledger import bearing
from dr_rd.modes.downselect.panel import UNKNOWN, Criterion, Fact
from dr_rd.modes.spec import Material
from dr_rd.planning.directions import Direction, assess, load_decision
from dr_rd.planning.risks import load_scale
from dr_rd.planning.signals import stems
from dr_rd.planning.techniques import Technique

_DIFFERS = 0.005
"""Share of the plan's cost from which a direction is called dearer or cheaper."""

_STEEP = 12
"""How fast exposed costs lower a value: a likely and grave risk, 4 % of the costs, halves it."""

_UNKNOWN = Fact(
    value=UNKNOWN,
    says="the library knows no technique of it, so that this is open",
    source="library",
    silence=True,
)

Facts = Mapping[str, Mapping[str, Fact]]
"""By criterion and option."""


@cache
def vocabulary() -> Mapping[str, Any]:
    """Return what `voters.yaml` says of criteria, roles and words."""
    found: dict[str, Any] = parse_yaml(
        files(__package__).joinpath("voters.yaml").read_text("utf-8")
    )
    return found


def directions_of(material: Material, texts: Sequence[str]) -> tuple[Direction, ...]:
    """Return *texts* looked at as directions of the brief."""
    brief = material.brief.model_copy(update={"plausible_directions": tuple(texts)})
    return assess(brief, {}, material.ledger, material.library, load_decision())


def direction_facts(
    material: Material, directions: Sequence[Direction], prices: DirectionPrices
) -> Facts:
    """Return the facts of *directions* that set them apart."""
    techniques = {d.id: own_techniques(material, d) for d in directions}
    known = {d.id for d in directions if d.techniques}
    found: dict[str, dict[str, Fact]] = {
        "limits": {d.id: _limits(d) for d in directions},
        "sound": {d.id: _sound(d) for d in directions},
        "criteria": {d.id: _criteria(d, material) for d in directions},
        "bearing": {d.id: _bearing(techniques[d.id], material.ledger) for d in directions},
        "risk": _risks(techniques),
        "burden": _counted(techniques, material, "hands_on", "step of hands-on work"),
        "permission": _permission(techniques, material),
    }
    for key in ("bearing", "risk", "burden", "permission"):
        found[key] = {o: f if o in known else _UNKNOWN for o, f in found[key].items()}
    if material.tasks:
        found["cost"] = _costs(directions, prices)
    if material.corpus.passages:
        found["evidence"] = {d.id: _evidence(d, material) for d in directions}
    return found


def separating(facts: Facts, holders: Mapping[str, str]) -> dict[str, Criterion]:
    """Return the criteria whose facts differ between options, each with who brings it."""
    criteria = {}
    for key, row in facts.items():
        if len({round(f.value, 3) for f in row.values()}) > 1:
            title = vocabulary()["criteria"].get(key, {}).get("title", key)
            criteria[key] = Criterion(title=title, holder=holders.get(key, ""), facts=row)
    return criteria


def _limits(direction: Direction) -> Fact:
    broken = direction.conflicts
    says = "; ".join(f"breaks {c.ledger_id}: {c.reason}" for c in broken)
    return Fact(
        value=0.5 if broken else 1.0,
        says=says or "its words strain no limit that code can check",
        source=", ".join(c.ledger_id for c in broken) or "ledger",
    )


def _sound(direction: Direction) -> Fact:
    value = direction.scores["sound"]
    says = direction.reasons.get("sound", "").rstrip(".")
    return Fact(value=value, says=_lowered(says), source="library: known objections")


def _criteria(direction: Direction, material: Material) -> Fact:
    """The share of the success criteria spoken to; of one that nothing speaks to, half is open."""
    items = criteria_of(material)
    if not items:
        return Fact(value=1.0, says="the brief names no success criterion", source="ledger")
    met = criteria_spoken_to(material, direction)
    spoken = [i.id for i in items if i.id in met]
    silent = [f"{i.id} (“{_short(i.text)}”)" for i in items if i.id not in spoken]
    if not silent:
        says = f"its words and techniques speak to {joined(spoken)}"
    else:
        says = f"nothing in its words or techniques speaks to {joined(silent)}"
    value = (len(spoken) + UNKNOWN * len(silent)) / len(items)
    return Fact(value=round(value, 3), says=says, source="ledger", silence=bool(silent))


def _bearing(techniques: Sequence[Technique], ledger: Ledger) -> Fact:
    for technique in techniques:
        found = bearing(ledger, technique.weakness, vocabulary()["generic"])
        if found:
            item, words = found
            says = (
                f"“{technique.weakness.rstrip('.')}”, which bears on {item.id} "
                f"(“{_short(item.text)}”) by the words {joined(words)}"
            )
            return Fact(value=0.5, says=says, source=f"library: {technique.title}")
    return Fact(
        value=1.0,
        says="no weakness that the library knows of it shares the words of a limit",
        source="library",
    )


def _risks(techniques: Mapping[str, Sequence[Technique]]) -> dict[str, Fact]:
    """The risks that an option's techniques bring and not every option's do."""
    scale = load_scale()
    risks = {key: {t.risk.text: t.risk for t in ts if t.risk} for key, ts in techniques.items()}
    shared = set.intersection(*map(set, risks.values())) if risks else set()
    found = {}
    for key, own in risks.items():
        exposed = {
            text: scale.likelihood[r.likelihood] * scale.impact[r.impact].mode
            for text, r in own.items()
            if text not in shared
        }
        if not exposed:
            says = "the library knows no risk of its techniques that the others do not have too"
            found[key] = Fact(value=1.0, says=says, source="library: risks")
            continue
        whole, worst = sum(exposed.values()), own[max(exposed, key=lambda t: exposed[t])]
        sign = "" if "{" in worst.sign else f"; early sign: {_lowered(worst.sign.rstrip('.'))}"
        says = (
            f"it puts {whole:.1%} of the direct costs at risk, most by "
            f"“{worst.text.rstrip('.')}” (likelihood {worst.likelihood}, impact {worst.impact}{sign})"
        )
        value = round(max(0.0, 1 - _STEEP * whole), 3)
        found[key] = Fact(value=value, says=says, source=_titles(techniques[key]))
    return found


def _counted(
    techniques: Mapping[str, Sequence[Technique]], material: Material, kind: str, noun: str
) -> dict[str, Fact]:
    wanted = set(vocabulary()[kind]) - _taken_anyway(material)
    steps = {
        key: [s.text for t in ts for s in t.steps if wanted & set(s.actions)]
        for key, ts in techniques.items()
    }
    least = min((len(s) for s in steps.values()), default=0)
    found = {}
    for key, own in steps.items():
        plural = noun if len(own) == 1 else noun.replace("step", "steps", 1)
        first = next((s for s in own if "{" not in s), "")
        such = f", such as “{_short(first, 110)}”" if first else ""
        says = f"its techniques add {len(own) or 'no'} {plural}{such}"
        value = round((2 + least) / (2 + len(own)), 3)
        found[key] = Fact(value=value, says=says, source=_titles(techniques[key]))
    return found


def _taken_anyway(material: Material) -> set[str]:
    """Return the actions that the work takes whichever option is chosen.

    They are those of the method's own steps, and those that the brief or its objective asks for.
    """
    method = material.library.method(material.design.method_id)
    own = {
        a for p in method.packages for a in (*p.actions, *(x for s in p.steps for x in s.actions))
    }
    asked = {a for r in material.design.rulings if not r.banned for a in r.covers}
    common = {
        a
        for t in techniques_of_all(material)
        for a in (*t.actions, *(x for s in t.steps for x in s.actions))
    }
    return own | asked | common


def _permission(
    techniques: Mapping[str, Sequence[Technique]], material: Material
) -> dict[str, Fact]:
    wanted = set(vocabulary()["permitted"]) - _taken_anyway(material)
    by_id = material.library.vocabulary.by_id
    acts = {
        key: sorted(
            {a for t in ts for a in (*t.actions, *(x for s in t.steps for x in s.actions))}
            & wanted
        )
        for key, ts in techniques.items()
    }
    least = min((len(a) for a in acts.values()), default=0)
    found = {}
    for key, own in acts.items():
        says = (
            f"it {joined([by_id[a].does for a in own])}, which somebody must permit"
            if own
            else "its techniques declare nothing that somebody must permit"
        )
        value = round((2 + least) / (2 + len(own)), 3)
        found[key] = Fact(value=value, says=says, source=_titles(techniques[key]))
    return found


def _evidence(direction: Direction, material: Material) -> Fact:
    """The share of a direction's content words that one passage of the documents holds."""
    wanted = stems(" ".join([direction.text, *direction.techniques]))
    held = [(len(wanted & stems(p.text)), p) for p in material.corpus.passages]
    most, passage = max(held, key=lambda h: (h[0], h[1].id))
    share = most / len(wanted) if wanted else 0.0
    says = f"passage {passage.id} holds {most} of its {len(wanted)} content words"
    return Fact(value=round(share, 3), says=says, source=passage.id)


def _titles(techniques: Iterable[Technique]) -> str:
    return "library: " + (", ".join(t.title for t in techniques) or "no technique of it is known")


def _short(text: str, longest: int = 70) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= longest else flat[:longest].rsplit(" ", 1)[0] + " …"


_NAME = re.compile(r"^(?:[A-Z][a-z]*[A-Z]|[A-Z]{2}|[A-Z]\d)")


def _lowered(text: str) -> str:
    """Begin a clause with a small letter, unless it begins with a name."""
    return text if _NAME.match(text) else text[:1].lower() + text[1:]


def _costs(directions: Sequence[Direction], prices: DirectionPrices) -> dict[str, Fact]:
    """What the whole work costs, common work included, were each direction chosen."""
    priced = {d.id: prices.of(d.id, d.text) for d in directions}
    least = min((p.cost for p in priced.values()), default=0.0)
    facts = {}
    for key, p in priced.items():
        why = ""
        if p.words:
            why = (
                f"its words “{p.words}” ask for {p.rounds:g} rounds of sampling where the plan "
                f"has {p.planned}: "
            )
        elif abs(p.dearer - 1) >= _DIFFERS:
            than = "dearer" if p.dearer > 1 else "cheaper"
            why = f"its own tasks make the work {abs(p.dearer - 1):.0%} {than} than the plan's: "
        says = f"{why}{prices.words(p)}, common work included"
        facts[key] = Fact(
            value=round(least / p.cost, 3) if p.cost else 1.0, says=says, source="plan"
        )
    return facts
