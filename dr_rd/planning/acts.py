"""An objective that asks outright for something to be done: "reduce the energy use of pools"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from core.values import Frozen
from dr_rd.files import read_yaml

_NO_OBJECT = r"(?!(?:of|in|on|and|or|for|by|with|is|are|was|were|has|have|at|to)\b)"
"""What does not follow a verb that asks for something to be done."""

_AFTER_NOUNLIKE = (
    r"(?=(?:the|an?|our|their|its|this|these|those|all|each|every|how|why|what|which|whether|if|to"
    r"|\d+|two|three|four|five|six|\w+[^s\W]s)\b)"
)
"""What follows a word that is as often a noun where it is a verb."""

_PASSIVE = (
    r"^(?P<object>.+?)\s+(?:(?:can|could|may|might|will|would|should|must)\s+(?:\w+ly\s+)?be|(?:is|are|was|were)\sto\sbe)"
    r"\s+(?:\w+ly\s+)?(?P<verb>{})(?![\w-])\s*(?P<rest>.*)$"
)


@dataclass(frozen=True, slots=True)
class Act:
    """What is to be done, and to what."""

    verb: str
    object: str
    changes: bool
    """Whether what it is done to is what will be measured."""
    gerund: str
    """The act as the name of some work: "reducing the energy use of pools"."""


class Acts(Frozen):
    """The verbs; `data/planning/acts.yaml`."""

    changing: tuple[str, ...]
    """Verbs of which what they are done to is what will be measured."""
    other: tuple[str, ...]
    nouns_too: tuple[str, ...]
    doubled: tuple[str, ...]
    irregular: Mapping[str, str]

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        """All verbs."""
        return tuple(dict.fromkeys((*self.changing, *self.other)))

    @cached_property
    def participles(self) -> dict[str, str]:
        """The verb of each participle."""
        return {self._past(v): v for v in self.verbs} | dict(self.irregular)

    @cached_property
    def any_verb(self) -> str:
        """A pattern of every verb."""
        return _either(self.verbs)

    @cached_property
    def next_act(self) -> re.Pattern[str]:
        """Where a second act begins: "and work out what it costs"."""
        return re.compile(
            rf",?\s(?:and|then|so as to)\s(?:to\s)?(?:{self.any_verb}|see|check|find out|learn|determine)(?!\S)",
            re.IGNORECASE,
        )

    @cached_property
    def _imperative(self) -> re.Pattern[str]:
        sure = [v for v in self.verbs if v not in self.nouns_too]
        return re.compile(
            rf"^\s*(?:to\s)?(?:\w+ly\s)?(?P<verb>{_either(sure)}|(?:{_either(self.nouns_too)})(?=\s+{_AFTER_NOUNLIKE}))"
            rf"(?:(?:,\s[\w-]+)*,?\sand\s(?:{self.any_verb}))?\s+(?P<object>{_NO_OBJECT}\S.*)$",
            re.IGNORECASE | re.DOTALL,
        )

    @cached_property
    def _gerund(self) -> re.Pattern[str]:
        verbs = _either([self.doing(v) for v in self.verbs])
        return re.compile(rf"^\s*(?P<verb>{verbs})\s+(?P<object>\S.*)$", re.I | re.DOTALL)

    @cached_property
    def _verbs(self) -> dict[str, str]:
        return {self.doing(v): v for v in self.verbs}

    def named(self, text: str) -> Act | None:
        """Return the act that *text* is the name of: "replacing diesel"; None where it is none."""
        found = self._gerund.match(text)
        if not found:
            return None
        return self._made(self._verbs[found["verb"].lower()], found["object"], found["object"])

    @cached_property
    def _passive(self) -> re.Pattern[str]:
        pattern = _PASSIVE.format(_either(self.participles))
        return re.compile(pattern, re.IGNORECASE | re.DOTALL)

    @cached_property
    def _certain(self) -> re.Pattern[str]:
        return re.compile(rf"^\s*(?P<verb>{self.any_verb})\s+(?P<object>\S.*)$", re.I | re.DOTALL)

    def act(self, text: str, *, certain: bool = False) -> Act | None:
        """Return what *text* asks for outright, or says that can be done; None where it does neither.

        Where it is *certain* that it begins with a verb, one that is as often a noun will do.
        """
        if certain and (found := self._certain.match(text)):
            return self._made(found["verb"].lower(), found["object"], found["object"])
        if found := self._imperative.match(text):
            verb = found["verb"].lower()
            return self._made(verb, found["object"], found["object"])
        if found := self._passive.match(text):
            verb = self.participles[found["verb"].lower()]
            return self._made(verb, found["object"], f"{found['object']} {found['rest']}")
        return None

    def _made(self, verb: str, thing: str, rest: str) -> Act:
        rest, thing = (self.next_act.split(t, maxsplit=1)[0] for t in (rest, thing))
        rest = re.sub(r"^(?:their|its|our|my)\s+", "", rest.strip(), flags=re.IGNORECASE)
        return Act(verb, thing, verb in self.changing, f"{self.doing(verb)} {rest}")

    def doing(self, verb: str) -> str:
        """Return the gerund: "cutting", "scaling up"."""
        first, *rest = verb.split()
        return " ".join([f"{self._stem(first)}ing", *rest])

    def _past(self, verb: str) -> str:
        first, *rest = verb.split()
        stem = re.sub(r"(?<=[^aeiou])y$", "i", self._stem(first))
        return " ".join([f"{stem}ed", *rest])

    def _stem(self, word: str) -> str:
        if word in self.doubled:
            return word + word[-1]
        return word[:-1] if re.search(r"[^eoy]e$", word) else word


def load_acts() -> Acts:
    """Read the verbs."""
    return Acts.model_validate(read_yaml("planning", "acts.yaml"))


def _either(words: Mapping[str, str] | tuple[str, ...] | list[str]) -> str:
    longest = sorted(words, key=lambda w: (-len(w), w))
    return "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in longest)
