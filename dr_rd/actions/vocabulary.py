"""The actions that steps, packages, techniques and tools declare; `data/actions.yaml`."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from pydantic import Field, model_validator

from core.errors import unknown
from core.values import Frozen
from dr_rd.files import read_yaml

_MOST = 60
"""Actions of the vocabulary: more than a person who annotates a step can keep in mind."""


class Nouns(Frozen):
    """A group of nouns that an action may be done to, in the singular."""

    generic: tuple[str, ...] = ()
    """Those that stand for every member: "animal"."""
    words: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    """Endings of further members, in the form in which they are written: "ers"."""
    excluded: tuple[str, ...] = Field(default=(), alias="except")
    """Words with such an ending that are no members."""


class Action(Frozen):
    """Something that a step does."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    does: str
    """A clause without its subject: "enrols people"."""
    of: str = ""
    """The wider action that this one is a kind of; "" for none."""
    verbs: tuple[str, ...] = ()
    nominals: tuple[str, ...] = ()
    """Nouns of those verbs: "purchase", of something."""
    anything: tuple[str, ...] = ()
    """Objects that stand for whatever the action is done to, so that the whole of it is named."""
    objects: tuple[str, ...] = ()
    """Objects of a part of it; "$people" is a group of nouns."""
    names: tuple[str, ...] = ()
    """Noun phrases for the whole action."""
    kinds: tuple[str, ...] = ()
    """Noun phrases for a part of it."""
    free: tuple[str, ...] = ()
    """Modifiers that do not narrow it: "human", of participants."""
    patterns: tuple[str, ...] = ()
    """Regular expressions of a clause in small letters that names the whole action."""
    pattern_forbids: bool = False
    """Whether such a clause rules the action out: "existing data only"."""
    any_tail: bool = False
    """Whether words behind the object never narrow it."""
    strict: bool = False
    """Whether a name with any other modifier is something else: "domain randomisation"."""
    bare: bool = False
    """Whether its verbs need no object."""


class Vocabulary(Frozen):
    """All actions, and the words that limits name them by."""

    nouns: Mapping[str, Nouns]
    irregular: Mapping[str, tuple[str, ...]]
    """Past forms of verbs that do not end in -ed."""
    actions: tuple[Action, ...] = Field(min_length=1, max_length=_MOST)

    @cached_property
    def by_id(self) -> Mapping[str, Action]:
        """Actions by their id."""
        return {a.id: a for a in self.actions}

    @model_validator(mode="after")
    def _coherent(self) -> "Vocabulary":
        if len(self.by_id) != len(self.actions):
            raise ValueError("an action id is used twice")
        groups = {o[1:] for a in self.actions for o in a.objects if o.startswith("$")}
        if missing := groups - set(self.nouns):
            raise ValueError(
                f"no group of nouns {sorted(missing)}; there are {sorted(self.nouns)}"
            )
        for name in (a.of for a in self.actions if a.of):
            if fault := self.fault(name):
                raise ValueError(fault)
        return self

    def fault(self, action_id: str) -> str:
        """Return what is wrong with an id that somebody declared; "" where it is an action's."""
        return "" if action_id in self.by_id else str(unknown("action", action_id, [*self.by_id]))

    def wider(self, action_id: str) -> tuple[str, ...]:
        """Return an action and those that it is a kind of, the narrowest first."""
        of = self.by_id[action_id].of
        return (action_id, *(self.wider(of) if of else ()))

    def all_of(self, declared: Iterable[str]) -> frozenset[str]:
        """Return the *declared* actions with the wider ones that they are kinds of."""
        return frozenset(w for a in declared for w in self.wider(a))


def load_vocabulary() -> Vocabulary:
    """Read the actions."""
    return Vocabulary.model_validate(read_yaml("actions.yaml"))
