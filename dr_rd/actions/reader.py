"""Which actions the words of a limit name: fewer than they may mean, and none that they do not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.values import Frozen
from dr_rd.actions.grammar import (
    Segment,
    Words,
    auxiliary,
    bare,
    ends,
    items,
    lemma,
    lemmas,
    narrows,
    noun_phrase,
    segments,
    stops,
)
from dr_rd.actions.vocabulary import Action, Nouns, Vocabulary

_KEPT = 1024
"""Readings that are kept: a plan's making asks the same of its limits many times."""
_PARTICLES = frozenset("out up in down on off".split())


class Named(Frozen):
    """An action that a limit names."""

    action: str
    banned: bool
    """Whether it is ruled out; else it is asked for."""
    whole: bool
    """Whether all of it is meant: "any interviews", and not only "interviews with planners".

    Of an action that is asked for: whether the limit asks for nothing else.
    """


class Reader:
    """Reads limits with one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._forms = {a.id: _forms(a, vocabulary) for a in vocabulary.actions}
        self._objects = {a.id: _objects(a, vocabulary) for a in vocabulary.actions}
        self._names = {a.id: _names(a) for a in vocabulary.actions}
        self._signs = {a.id: self._words_of(a) for a in vocabulary.actions}
        self._patterns = {a.id: [re.compile(p) for p in a.patterns] for a in vocabulary.actions}
        self._kept = lru_cache(_KEPT)(self._named)

    def named(self, text: str, *, ban: bool) -> tuple[Named, ...]:
        """Return the actions that a limit names, each once; *ban*: whether it is a ban as a whole."""
        return self._kept(text, ban)

    def _named(self, text: str, ban: bool) -> tuple[Named, ...]:  # noqa: FBT001 - as it is kept
        found: dict[tuple[str, bool], bool] = {}
        parts = list(segments(text, ban=ban))
        for segment in parts:
            signs = frozenset((*segment.words, *map(lemma, segment.words)))
            for action in self.vocabulary.actions:
                for banned, whole in self._in(action, segment, signs):
                    all_of_it = whole and (banned or len(parts) == 1)
                    key = (action.id, banned)
                    found[key] = found.get(key, False) or all_of_it
        kept = {k: w for k, w in found.items() if not any(self._narrower(o, k) for o in found)}
        return tuple(Named(action=a, banned=b, whole=w) for (a, b), w in kept.items())

    def _words_of(self, action: Action) -> frozenset[str]:
        """The words of which a limit holds one at least that names an action."""
        verbs = {f.words[0] for f in self._forms[action.id]}
        names = {known[-1] for known, _ in self._names[action.id]}
        return frozenset(verbs | names | {n.split()[0] for n in action.nominals})

    def _narrower(self, other: tuple[str, bool], key: tuple[str, bool]) -> bool:
        """Whether another reading of the same limit says more exactly what is meant."""
        return other[1] == key[1] and key[0] in self.vocabulary.wider(other[0])[1:]

    def _in(
        self, action: Action, segment: Segment, signs: frozenset[str]
    ) -> Iterator[tuple[bool, bool]]:
        """Whether what a segment says of an action rules it out, and names all of it."""
        for pattern in self._patterns[action.id]:
            if pattern.search(segment.text):
                banned = action.pattern_forbids or segment.banned
                yield banned, banned and not segment.partly
        if self._signs[action.id].isdisjoint(signs):
            return
        if not segment.banned:  # whoever asks for more than the action does not ask for the action
            action = action.model_copy(update={"any_tail": False})
        verb: Words = ()
        for item in items(segment.words):
            partly = segment.partly or (not segment.banned and item != segment.words)
            named = (self._called(action, bare(item)), self._nominal(action, item))
            for whole in (self._done(action, item), *named):
                if whole is not None:
                    yield segment.banned, whole and not partly
            verb = verb or self._verb(action, item)
            if verb and self._object(action, item) is not None:
                yield segment.banned, False

    # --- by a verb

    def _verb(self, action: Action, words: Words) -> Words:
        """The verb of an action that words begin with, so that further items may go without."""
        forms = (f.words for f in self._forms[action.id] if not f.past)
        return next((f for f in forms if words[: len(f)] == f), ())

    def _done(self, action: Action, words: Words) -> bool | None:
        """Whether all of an action is named by a verb; None where none of it is."""
        found = (self._by(action, words, form) for form in self._forms[action.id])
        return next((f for f in found if f is not None), None)

    def _by(self, action: Action, words: Words, form: "_Form") -> bool | None:
        """Whether words are a verb with its object: before its past form, behind the others."""
        verb, size = form.words, len(form.words)
        if words[:size] == verb and not form.past:
            rest = words[size:]
            if action.bare and ends(rest):
                return not rest
            return self._object(action, rest)
        if size == 2 and verb[1] in _PARTICLES and words[:1] == verb[:1] and verb[1] in words[1:]:
            end = words.index(verb[1])
            return self._object(action, (*words[1:end], *words[end + 1 :]))
        at = _index(words, verb)
        if at is None:
            return None
        before = words[:at]
        if form.past and any(map(auxiliary, before)):  # "records are pseudonymised"
            tail = () if action.any_tail else words[at + size :]
            found = self._object(action, _last(before))
            if found is not None:
                return found and not narrows((), (), tail)
        if form.past or any(stops(w) for w in before if not auxiliary(w)):
            return None
        found = self._object(action, words[at + size :])  # "annotators label every document"
        return found if found is not None and len(before) <= _SUBJECT else None

    def _object(self, action: Action, words: Words) -> bool | None:
        """Whether a noun phrase at the start of words stands for all that an action is done to."""
        phrase, tail = noun_phrase(words)
        if not phrase:
            return None
        stems = tuple(map(lemma, phrase))
        best: tuple[int, bool] | None = None
        for known, all_of_it in self._objects[action.id]:
            size = len(known)
            if stems[-size:] == known and (best is None or size > best[0]):
                best = (size, all_of_it)
        if best is None:
            grouped = (self.vocabulary.nouns[o[1:]] for o in action.objects if o[0] == "$")
            return False if any(_member(phrase[-1], g) for g in grouped) else None
        size, all_of_it = best
        tail = () if action.any_tail else tail
        return all_of_it and not narrows(phrase[:-size], action.free, tail)

    # --- by a name

    def _called(self, action: Action, words: Words) -> bool | None:
        """Whether all of an action is named by a noun phrase; None where none of it is."""
        stems = tuple(map(lemma, words))
        for known, all_of_it in self._names[action.id]:
            for at in range(min(_MODIFIERS, len(words)) + 1):
                if any(stops(w) for w in words[:at]):
                    break
                end = at + len(known)
                if stems[at:end] == known and ends(words[end:]):
                    tail = () if action.any_tail else words[end:]
                    part = narrows(words[:at], action.free, tail)
                    other = narrows(words[:at], action.free, ())
                    return None if other and action.strict else all_of_it and not part
        return None

    def _nominal(self, action: Action, words: Words) -> bool | None:
        """Whether words are the noun of a verb with its object: "purchase of", "data collection"."""
        for noun in action.nominals:
            known = tuple(noun.split())
            at = _index(words, known)
            if at is None or any(stops(w) for w in words[:at]):
                continue
            rest = words[at + len(known) :]
            if rest[:1] == ("of",) and (found := self._object(action, rest[1:])) is not None:
                return found
            if at and ends(rest) and (found := self._object(action, words[:at])) is not None:
                return found and (action.any_tail or not narrows((), (), rest))
        return None


_SUBJECT = 4
"""Words that a subject before an active verb has at most."""

_MODIFIERS = 4
"""Words that may stand before a name."""


def _last(words: Words) -> Words:
    """The noun phrase of a subject that stands last before the verb: of "data and code are" the code."""
    phrase = tuple(w for w in words if not auxiliary(w))
    at = max((n for n, w in enumerate(phrase) if w in ("and", "or", ",")), default=-1)
    return phrase[at + 1 :]


def _index(words: Words, part: Words) -> int | None:
    ends_at = len(words) - len(part) + 1
    return next((n for n in range(ends_at) if words[n : n + len(part)] == part), None)


def _member(word: str, group: Nouns) -> bool:
    return bool(group.endings) and word.endswith(group.endings) and word not in group.excluded


def _names(action: Action) -> tuple[tuple[Words, bool], ...]:
    """The names of an action in the singular, each with whether it stands for all of it."""
    found = [(name, True) for name in action.names] + [(kind, False) for kind in action.kinds]
    return tuple((lemmas(name), all_of_it) for name, all_of_it in found)


def _objects(action: Action, vocabulary: Vocabulary) -> tuple[tuple[Words, bool], ...]:
    """The objects of an action in the singular, each with whether it stands for all of them."""
    found = [(o, True) for o in action.anything]
    for each in action.objects:
        if each.startswith("$"):
            group = vocabulary.nouns[each[1:]]
            found += [(o, True) for o in group.generic] + [(o, False) for o in group.words]
        else:
            found.append((each, False))
    return tuple((lemmas(o), all_of_it) for o, all_of_it in found)


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of a verb."""

    words: Words
    past: bool


def _forms(action: Action, vocabulary: Vocabulary) -> tuple[_Form, ...]:
    """The forms of an action's verbs."""
    irregular = vocabulary.irregular
    return tuple(f for v in action.verbs for f in _inflected(v, irregular.get(v, ())))


def _inflected(verb: str, irregular: Sequence[str]) -> Iterator[_Form]:
    """The forms of a verb; of several words the verb is the first, or the last behind -ly."""
    words = verb.split()
    at = next((n for n, w in enumerate(words) if not w.endswith("ly")), 0)
    stem = words[at]
    twice = bool(irregular) and irregular[0].split()[0].startswith(stem + stem[-1])
    short = stem + stem[-1] if twice else re.sub(r"(?<=[^eo])e$", "", stem)
    past = re.sub(r"(?<=[^aeiou])y$", "i", short)
    for made, gone in (
        (stem, False),
        (f"{stem}s", False),
        (f"{short}ing", False),
        (f"{past}ed", True),
    ):
        yield _Form((*words[:at], made, *words[at + 1 :]), past=gone)
    yield from (_Form(tuple(form.split()), past=True) for form in irregular)
