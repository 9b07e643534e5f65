"""Evaluators that other packages bring along.

A package offers one in the entry-point group ``dr_rd.evaluators``. Its name is the criterion it
answers, its value a function without arguments that makes the evaluator::

    [project.entry-points."dr_rd.evaluators"]
    house_style = "acme.style:HouseStyle"

    class HouseStyle:
        api_version = 1
        version = "2"
        kind = "deterministic"            # or "model"

        def evaluate(self, view):         # view: a View, as a dict
            return {"score": 0.5, "rationale": "Two of four sections open with a verb.",
                    "fix_hint": "Open each section with a verb.", "quotes": ["Testing of …"]}

It may also return the bare number, or ``{"status": "not_applicable", "rationale": …}``. It is
looked for when a rubric names its criterion and not before, and it runs in a child process: it
can crash, print, hang or burn a processor, and costs its own score alone.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from math import ceil
from typing import Any

from pydantic import JsonValue, ValidationError

from core.errors import nearest
from core.scores import Criterion, Evaluator, Score
from core.values import Frozen
from dr_rd.confined import Ended, Late, Limits, answer
from dr_rd.evaluation import plugin_child
from dr_rd.evaluation.isolation import DEADLINE_S, asked_again, failed, filed, late
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.subject import Subject

GROUP = "dr_rd.evaluators"

_MEMORY = 4_000_000_000
"""Bytes of address space: libraries that compute reserve much and use little."""

_LOG = logging.getLogger(__name__)


class View(Frozen):
    """What an evaluator of another package is shown."""

    criterion: str
    text: str
    brief: Mapping[str, JsonValue] | None = None
    task: Mapping[str, JsonValue] | None = None
    """The task that the text answers; None for a whole proposal."""
    claims: tuple[Mapping[str, JsonValue], ...] = ()


class Ask(Frozen):
    """One criterion put to an evaluator of another package."""

    criterion: Criterion
    view: View


def ask(criterion: Criterion, subject: Subject) -> Ask:
    """Return what is put to whoever answers *criterion*."""
    return Ask(
        criterion=criterion,
        view=View(
            criterion=criterion.key,
            text=subject.text,
            brief=_json(subject.brief),
            task=_json(subject.task),
            claims=tuple(c.model_dump(mode="json") for c in subject.claims),
        ),
    )


def installed(key: str) -> Sequence[EntryPoint]:
    """Return the offers of installed packages to answer *key*."""
    return tuple(entry_points(group=GROUP, name=key))


@dataclass(frozen=True)
class Plugins:
    """The evaluators of other packages; of one that fails it warns once."""

    offers: Callable[[str], Sequence[EntryPoint]] = installed
    _reported: set[str] = field(default_factory=set)

    def score(self, asked: Ask) -> Score:
        """Return what the criterion's evaluator finds, or how it failed; it never raises."""
        score = self._plugin_score(asked)
        if score.failed and score.key not in self._reported:
            self._reported.add(score.key)
            _LOG.warning("evaluator %r gives no score: %s", score.key, score.rationale)
        return score

    def _plugin_score(self, asked: Ask) -> Score:
        key = asked.criterion.key
        offers = self.offers(key)
        if len(offers) == 1:
            return asked_again(lambda: _once(asked, offers[0]))
        if offers:
            names = " and ".join(sorted(_by(offer).id for offer in offers))
            return failed(key, f"{names} both offer it; uninstall all but one")
        hint = nearest(key, METRICS)
        return failed(key, f"no installed package offers it in {GROUP!r}{hint}")


def _once(asked: Ask, offer: EntryPoint) -> Score:
    criterion, by = asked.criterion, _by(offer)
    seconds = criterion.timeout_s or DEADLINE_S
    question = {"place": offer.value, "view": asked.view.model_dump(mode="json")}
    limits = Limits(seconds=ceil(seconds), memory=_MEMORY, wall=seconds)
    try:
        reply = _decoded(answer(plugin_child.__name__, json.dumps(question).encode(), limits))
    except ValueError:
        return failed(criterion.key, f"{by.id}: its answer cannot be read", by)
    except Late:
        return late(criterion.key, seconds, by)
    except Ended as ended:
        return failed(criterion.key, f"{by.id}: {ended.raised or ended}", by)
    if "failed" in reply:
        return failed(criterion.key, f"{by.id}: {reply['failed']}", by)
    return _parsed_score(criterion, reply, Subject(text=asked.view.text), by)


def _decoded(raw: bytes) -> Any:  # noqa: ANN401 - whatever the evaluator gave
    """Read a reply; ValueError where it is no JSON, or holds half characters, which no file takes."""
    reply = json.loads(raw)
    json.dumps(reply, ensure_ascii=False).encode()
    return reply


def _parsed_score(
    criterion: Criterion, reply: Mapping[str, Any], subject: Subject, by: Evaluator
) -> Score:
    found = reply["found"]
    try:
        version = reply["version"] or by.version
        by = Evaluator(id=by.id, version=version, kind=reply["kind"])
        if isinstance(found, Mapping):
            found = Score.model_validate({"key": criterion.key, **found, "by": by})
    except (ValidationError, TypeError) as error:
        return failed(
            criterion.key, f"{by.id}: it answered {str(found)[:200]} ({_fault(error)})", by
        )
    score = filed(criterion, found, subject, by)
    return score if not score.failed else failed(score.key, f"{by.id}: {score.rationale}", by)


def _fault(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return str(error)
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))} {first['msg']}".strip()


def _by(offer: EntryPoint) -> Evaluator:
    dist = offer.dist
    return Evaluator(id=dist.name if dist else offer.value, version=dist.version if dist else "")


def _json(value: Frozen | None) -> Mapping[str, JsonValue] | None:
    return value.model_dump(mode="json") if value else None
