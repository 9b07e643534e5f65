"""What each task of a plan works on, in the words of the study."""

from collections.abc import Iterable, Mapping

from core.graph.state import GraphTask
from dr_rd.planning.design import Design
from dr_rd.planning.methods import Method, Topic
from dr_rd.planning.phrases import briefly

_SLOTS: Mapping[Topic, tuple[str, ...]] = {
    "population": ("sample", "units", "population"),
    "sample-size": ("sample", "units"),
    "selection": ("sample", "units", "source"),
    "ethics": ("sample", "units", "population"),
    "consent": ("sample", "units", "population"),
    "intervention": ("treatment", "artefact"),
    "comparator": ("comparator", "treatment"),
    "randomisation": ("sample", "units"),
    "blinding": ("outcome", "measure"),
    "outcome": ("outcome", "measure"),
    "measurement": ("measure", "outcome"),
    "performance": ("outcome", "artefact"),
    "confounding": ("outcome", "treatment"),
    "data-source": ("source", "outcome"),
    "analysis": ("outcome", "treatment"),
    "robustness": ("outcome", "treatment"),
    "uncertainty": ("outcome",),
    "equipment": ("measure", "treatment", "artefact"),
    "materials": ("treatment", "artefact"),
    "software": ("artefact", "source", "outcome"),
}
"""The parts of the question that work of a topic is on, the closest first."""


def worked_on(tasks: Iterable[GraphTask], design: Design, method: Method) -> dict[str, str]:
    """Return for each task what it works on where its title does not say it; "" where it does.

    A title that a person wrote says what it is to say.
    """
    planned = {t.title for t in design.tasks}
    named = {
        t.id: t.title not in planned
        or any(_short(v) in t.title.lower() for v in design.slots.values())
        for t in tasks
    }
    return {k: "" if named[k] else v for k, v in struck(tasks, design, method).items()}


def struck(tasks: Iterable[GraphTask], design: Design, method: Method) -> dict[str, str]:
    """Return for each task the thing of the study that it works on; "" where the brief names none."""
    packages = {f"{method.id}/{p.id}": p for p in method.packages}
    return {
        t.id: _object(packages[t.source].owns, design) if t.source in packages else ""
        for t in tasks
    }


def _object(topics: Iterable[Topic], design: Design) -> str:
    slots = design.slots
    wanted = [name for topic in topics for name in _SLOTS.get(topic, ())]
    return briefly(next((slots[name] for name in wanted if name in slots), ""))


def _short(text: str) -> str:
    return briefly(text).lower()
