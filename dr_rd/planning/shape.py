"""What kind of question a brief asks, and where: it decides where no words speak for a method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.planning.frame import Frame
from dr_rd.planning.library import Library, Method, Question, Setting
from dr_rd.planning.signals import Match, phrase, phrases_in


class Places(Frozen):
    """Words that say where work takes place; `data/planning/places.yaml`."""

    words: Mapping[Setting, tuple[str, ...]]
    none: tuple[str, ...]
    """Names that hold a word of a place and are of none: "wind farm"."""

    def without(self, text: str) -> str:
        """Return *text* without the names that are of no place."""
        for name in phrases_in(self.none, text):
            text = phrase(name).sub(" ", text)
        return text


FITTING = 2.2
"""Points below which a method is the best of a bad lot: more than two weak phrases."""

_KIND = 1.5
"""Points for a method that answers the kind of question asked: half of a telling phrase."""

_ACT, _LATER = 2.0, 0.5
"""Points for a method that answers what is asked for outright, and fewer for each after the first."""

_USUAL = 0.2
"""Points for the method that is usual for its kind of question; less than a place named once."""

_PLACE, _OF_LIMITS, _MOST_PLACES = 0.5, 0.25, 3
"""Points for a word of a method's place in the objective, or elsewhere, and how many are counted."""

_SETTING = 0.3
"""Points for a method that a word tells from others of its kind and place; less than a place."""


@dataclass(frozen=True, slots=True)
class BriefText:
    """What a brief says: its objective decides, the rest only supports."""

    objective: str
    besides: str


def load_places() -> Places:
    """Read the words."""
    return Places.model_validate(read_yaml("planning", "places.yaml"))


def kind_of(frame: Frame) -> Question:
    """Return what a question asks for, as its parts tell."""
    if frame.kind:
        return frame.kind
    return "effect" if frame.treatment and frame.outcome else "description"


def reshaped(
    ranking: Sequence[Match], library: Library, frame: Frame, said: BriefText, places: Places
) -> tuple[Match, ...]:
    """Rank methods by what is asked for and the place as well, where words tell too little."""
    if ranking[0].score >= FITTING:
        return tuple(ranking)
    told = BriefText(places.without(said.objective), places.without(said.besides))
    there = {place: _there(words, told) for place, words in places.words.items()}
    found = (_shaped(m, library.method(m.id), frame, there, said) for m in ranking)
    return tuple(sorted(found, key=lambda m: (-m.score, m.id)))


def _there(words: Sequence[str], said: BriefText) -> Mapping[str, float]:
    """The words of a place that a brief holds, each with its points; the objective's first."""
    asked = dict.fromkeys(phrases_in(words, said.objective), _PLACE)
    found = asked | {w: _OF_LIMITS for w in phrases_in(words, said.besides) if w not in asked}
    return dict(islice(found.items(), _MOST_PLACES))


def _shaped(
    match: Match,
    method: Method,
    frame: Frame,
    there: Mapping[Setting, Mapping[str, float]],
    said: BriefText,
) -> Match:
    kind, at = kind_of(frame), there[method.place]
    answers = match.id in frame.methods
    # what is made or changed is nothing at a desk unless some word or the act says so
    apart = method.place == "desk" and kind != "description" and not at and not answers
    # what stands on a bench is described by trying it
    tried = kind == "description" and method.question == "effect" and method.place == "bench"
    fits = (method.question == kind and not apart) or (tried and bool(at))
    tells = [*phrases_in(method.settings, said.objective)][:1] if fits or answers else []
    asked = _ACT - _LATER * frame.methods.index(match.id) if answers else 0.0
    points = (_KIND + _USUAL * method.usual) * fits + asked + sum(at.values())
    update = {
        "score": round(match.score + points + _SETTING * len(tells), 3),
        "strong": (*match.strong, *([frame.telling] if answers else [])),
        "weak": tuple(dict.fromkeys((*match.weak, *at, *tells))),
        "kind": kind if fits else "",
    }
    return match.model_copy(update=update)
