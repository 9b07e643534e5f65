"""What kind of question a brief asks, and where: it decides where no words speak for a method."""

from collections.abc import Mapping, Sequence

from dr_rd.files import read_yaml
from dr_rd.planning.frame import Frame
from dr_rd.planning.library import Library, Place, Question
from dr_rd.planning.signals import Match, phrase

Places = Mapping[Place, Sequence[str]]
"""Words that say where work takes place; `data/planning/places.yaml`."""

FITTING = 2.0
"""Points below which a method is the best of a bad lot: less than one telling phrase."""

_KIND = 1.5
"""Points for a method that answers the kind of question asked: half of a telling phrase."""

_ACT, _LATER = 2.0, 0.5
"""Points for a method that answers what is asked for outright, and fewer for each after the first."""

_USUAL = 0.45
"""Points for the method that is usual for its kind of question; less than a place named once."""

_PLACE, _MOST_PLACES = 0.5, 3
"""Points for each word of a method's place, and how many words are counted."""


def load_places() -> Places:
    """Read the words."""
    places: Places = read_yaml("planning", "places.yaml")
    return places


def kind_of(frame: Frame) -> Question:
    """Return what a question asks for, as its parts tell."""
    if frame.kind:
        return frame.kind
    return "effect" if frame.treatment and frame.outcome else "description"


def reshaped(
    ranking: Sequence[Match], library: Library, frame: Frame, text: str, places: Places
) -> tuple[Match, ...]:
    """Rank methods by what is asked for and the place as well, where words tell too little."""
    if ranking[0].score >= FITTING:
        return tuple(ranking)
    found = (_shaped(m, library, frame, text, places) for m in ranking)
    return tuple(sorted(found, key=lambda m: (-m.score, m.id)))


def _shaped(match: Match, library: Library, frame: Frame, text: str, places: Places) -> Match:
    method, kind = library.method(match.id), kind_of(frame)
    there = [w for w in places[method.place] if phrase(w).search(text)][:_MOST_PLACES]
    answers = match.id in frame.methods
    # what is made or changed is nothing at a desk unless some word or the act says so
    apart = method.place == "desk" and kind != "description" and not there and not answers
    # what stands on a bench is described by trying it
    tried = kind == "description" and method.question == "effect" and method.place == "bench"
    fits = (method.question == kind and not apart) or (tried and bool(there))
    asked = _ACT - _LATER * frame.methods.index(match.id) if answers else 0.0
    points = (_KIND + _USUAL * method.usual) * fits + asked + _PLACE * len(there)
    update = {
        "score": round(match.score + points, 3),
        "strong": (*match.strong, *([frame.telling] if answers else [])),
        "weak": (*match.weak, *there),
        "kind": kind if fits else "",
    }
    return match.model_copy(update=update)
