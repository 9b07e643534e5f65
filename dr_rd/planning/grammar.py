"""The patterns by which an objective is taken apart."""

import re
from collections.abc import Mapping
from functools import cached_property

from pydantic import Field

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.planning.acts import Acts, load_acts


class QuestionForm(Frozen):
    """A form of question; the groups of its pattern are named like slots, or "act"."""

    pattern: str
    topic: str = ""
    """With slots in braces; "" where an act says it."""


class Grammar(Frozen):
    """The patterns an objective is taken apart with; `data/planning/frame.yaml`."""

    acts: Acts
    preambles: tuple[str, ...]
    forms: tuple[QuestionForm, ...]
    polar: str
    """How a question for yes or no begins."""
    polar_ends: str
    """Where its main clause ends."""
    states: str
    """Verbs that say what something is."""
    leads: tuple[str, ...]
    finite: tuple[str, ...]
    no_names: tuple[str, ...]
    things: tuple[str, ...]
    """Nouns of things that are made."""
    relations: tuple[str, ...]
    joint: str
    past: tuple[str, ...]
    directions: tuple[str, ...]
    makings: tuple[str, ...]
    valued: tuple[str, ...]
    clauses: Mapping[str, tuple[str, ...]]
    design_counts: tuple[str, ...]
    sampled: tuple[str, ...]
    items: tuple[str, ...]
    groups: tuple[str, ...]
    """Nouns of groups that are allocated as a whole, such as classes."""
    measure_lines: tuple[str, ...]
    source_lines: tuple[str, ...]
    unit_lines: tuple[str, ...]
    horizon_lines: tuple[str, ...] = Field(min_length=1)

    @cached_property
    def preamble(self) -> re.Pattern[str]:
        """An opening that only says that something is wanted."""
        return _pattern(rf"^\s*(?:{'|'.join(self.preambles)})\s*")

    @cached_property
    def questions(self) -> tuple[tuple[re.Pattern[str], QuestionForm], ...]:
        """The forms of questions, each with its pattern."""
        verbs = self.acts.any_verb
        return tuple((_pattern(f.pattern.replace("{verbs}", verbs)), f) for f in self.forms)

    def asks_of_effect(self, text: str) -> bool:
        """Whether *text* asks for yes or no, of what something does and not of what it is."""
        opening = self._polar.match(text)
        main = self._polar_end.split(text[opening.end() :], maxsplit=1)[0] if opening else ""
        return bool(opening) and not self._states.search(main)

    @cached_property
    def _polar(self) -> re.Pattern[str]:
        return _pattern(rf"^\s*{self.polar}")

    @cached_property
    def _polar_end(self) -> re.Pattern[str]:
        return _pattern(self.polar_ends)

    @cached_property
    def _states(self) -> re.Pattern[str]:
        return _pattern(self.states)

    @cached_property
    def subject(self) -> re.Pattern[str]:
        """What a sentence speaks of, up to a verb that says nothing of the plan."""
        return _pattern(rf"^(.+?)\s+(?:{'|'.join(self.finite)})(?![\w-])")

    @cached_property
    def nameless(self) -> re.Pattern[str]:
        """The beginning of what is the name of nothing."""
        return _pattern(rf"^(?:{'|'.join(self.no_names)})(?![\w-])")

    @cached_property
    def thing(self) -> re.Pattern[str]:
        """An idea that only names what is to be made: "an app that reminds of pills"."""
        nouns = "|".join(self.things)
        return _pattern(
            rf"^((?:an?\s|the\s)?(?:[\w'/-]+,?\s){{0,7}}?(?:{nouns})s?)"
            r"(?=\s(?:that|which|for|to|with|of|using|based|in|on|at|from|by)\b|\s*[,;:(]|$)"
        )

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """An opening that only says that something is to be found out."""
        return _pattern(rf"^\s*(?:{'|'.join(self.leads)})\s*")

    @cached_property
    def clause(self) -> re.Pattern[str]:
        """The start of any clause; the group that matched names it."""
        groups = (f"(?P<{name}>{'|'.join(texts)})" for name, texts in self.clauses.items())
        return _pattern(rf"(?<![\w-])(?:{'|'.join(groups)})(?![\w-])")

    @cached_property
    def relation(self) -> re.Pattern[str]:
        """The verb between what is varied and what it does."""
        no_verb = r"(?<!\bfor )(?<!\bof )(?<!\bat )(?<!\bwith )(?<!\bby )"  # "for lower costs"
        return _pattern(
            rf"(?<![\w-]){no_verb}(?:{'|'.join(self.relations)})(?![\w-]| (?:on|in|of)\b)"
        )

    @cached_property
    def effects(self) -> "Grammar":
        """The same where the effect of one thing is asked for: "of noise on sleep"."""
        own = {name: getattr(self, name) for name in type(self).model_fields}
        return Grammar.model_construct(**{**own, "relations": (*self.relations, self.joint)})

    @cached_property
    def been(self) -> re.Pattern[str]:
        """The verb between what was changed and what that did."""
        return _pattern(rf"(?<=\w\s)(?:{'|'.join(self.past)})(?![\w-])")

    @cached_property
    def making(self) -> re.Pattern[str]:
        """An objective that asks for something to be made."""
        more = (
            r"(?:(?:,\s[\w-]+)*,?\sand\s[\w-]+(?=\s(?:an?|the|its|our)\b))?"  # "and field-test a"
        )
        return _pattern(rf"^\s*(?:to )?(?:{'|'.join(self.makings)}){more}\s+")

    @cached_property
    def value(self) -> re.Pattern[str]:
        """A figure of something, such as the cost of a product; no verb joins the two."""
        return _pattern(rf"^(?:the )?((?:[\w-]+ ){{0,2}}(?:{'|'.join(self.valued)})) of ")

    @cached_property
    def direction(self) -> re.Pattern[str]:
        """Words of direction in front of an outcome."""
        return _pattern(rf"^(?:(?:{'|'.join(self.directions)})\s+)+")


def load_grammar() -> Grammar:
    """Read the patterns and the verbs."""
    return Grammar.model_validate({**read_yaml("planning", "frame.yaml"), "acts": load_acts()})


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
