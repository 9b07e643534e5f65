"""A voice that a model lends to a seat: typed, checked, and built in where the model is not heard."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from core.modes.downselect.state import Wish
from core.modes.downselect.voices import Choice, Look, Speech
from core.values import Frozen
from dr_rd.models.typed.ask import Model, Question
from dr_rd.modes.downselect.voices import BuiltinVoter, CharacterVoice
from dr_rd.prompts import delimiter, prompt, undelimited

_LONGEST = 700
"""Characters of a model's message."""
_FIRST = 2
"""Messages of a round before which a voice is held to the topic."""
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")

_WISH = "Decide whether you speak now. Speak only to say something that nobody has said."
_SPEAK = (
    "Say one thing in at most three sentences, and name the id of the fact that you rest it on."
)
_VOTE = (
    "Vote for whom or what to drop. Rank all from the one to keep first to the one to drop, give a "
    "reason that names a fact by its id, and change your last ranking only for a fact that was "
    "said since."
)


class Decided(Frozen):
    """A model's decision to speak."""

    should_respond: bool
    reason: str = Field(max_length=500)


class Said(Frozen):
    """A model's message."""

    text: str = Field(min_length=1, max_length=_LONGEST)
    fact: str = ""
    """The id of the fact it rests on; "" in a talk without facts."""


class Voted(Frozen):
    """A model's ballot."""

    vote: str
    reason: str = Field(max_length=500)
    ranking: tuple[str, ...] = ()
    fact: str = ""


@dataclass(frozen=True)
class ModelVoice:
    """A seat's voice on a server.

    It knows what the built-in voice of the seat knows, and no more; what it says is held to that.
    """

    model: Model
    persona: str
    builtin: BuiltinVoter | CharacterVoice
    mark_seed: str

    async def wish(self, look: Look) -> Wish:
        """Ask whether it speaks; raises TaskError where that cannot be read."""
        found = await self.model.ask(self._question("wish", _WISH, look), Decided)
        return Wish(should_respond=found.should_respond, reason=found.reason)

    async def speak(self, look: Look) -> Speech:
        """Ask what it says; raises TaskError where it rests on no fact that it knows."""
        known = self._facts(look)

        def check(said: Said) -> None:
            if known and said.fact not in known:
                raise ValueError(f"fact: name one of {', '.join(known)}")
            shown = " ".join((*known.values(), *look.options.values(), *_lines(look)))
            strange = [f for f in _FIGURE.findall(said.text) if f not in shown]
            if strange:
                raise ValueError(f"text: the figure {strange[0]} stands nowhere in what you know")

        said = await self.model.ask(self._question("speak", _SPEAK, look), Said, check=check)
        text = undelimited(" ".join(said.text.split()))
        return Speech(text=text, told=(said.fact.split("/")[0],) if said.fact in known else ())

    async def vote(self, look: Look, refused: str) -> Choice:
        """Ask for its ballot; raises TaskError where no fact stands behind it."""
        known = self._facts(look)
        asked = f"{_VOTE} Your last ballot was refused: {refused}." if refused else _VOTE

        def check(voted: Voted) -> None:
            if voted.vote not in look.targets:
                raise ValueError(f"vote: name one of {', '.join(look.targets)}")
            if known and voted.fact not in known:
                raise ValueError(f"fact: name one of {', '.join(known)}")
            before = [b for b in look.before if b in look.options]
            since = {k for k in look.told if k not in look.told_before}
            turned = bool(before and voted.ranking) and voted.ranking[0] != before[0]
            if known and turned and voted.fact.split("/")[0] not in since:
                raise ValueError("fact: you change your mind, so name a fact that was said since")

        found = await self.model.ask(self._question("vote", asked, look), Voted, check=check)
        before = [b for b in look.before if b in look.options]
        turned = bool(before and found.ranking) and found.ranking[0] != before[0]
        ranking = tuple(r for r in found.ranking if r in look.targets)
        return Choice(
            vote=found.vote,
            reason=found.reason,
            ranking=(*(r for r in ranking if r != found.vote), found.vote) if ranking else (),
            changed=known.get(found.fact, "") if turned else "",
        )

    def _question(self, purpose: str, asked: str, look: Look) -> Question:
        facts, chat = self._facts(look), _lines(look)
        options = [f"{label}: {text}" for label, text in look.options.items()]
        mark = delimiter(self.mark_seed, "\n".join((*options, *facts.values(), *chat)))
        filled = prompt(
            "downselect",
            {
                "asked": asked,
                "chat": chat,
                "facts": [f"({key}) {text}" for key, text in facts.items()],
                "first": look.this_round < _FIRST,
                "mark": mark,
                "options": options,
                "persona": self.persona,
                "targets": ", ".join(look.targets) if purpose == "vote" else "",
                "topic": look.topic,
                "you": look.you,
            },
        )
        return Question(purpose=purpose, system=filled.system, user=filled.user)

    def _facts(self, look: Look) -> dict[str, str]:
        """Return what the seat knows of the options left, by the id of each fact."""
        if not isinstance(self.builtin, BuiltinVoter):
            return {}
        panel, labels = self.builtin.panel, self.builtin.labels
        known = panel.known(self.builtin.voter, look.told)
        return {
            f"{key}/{labels[o].removeprefix('Option ')}": (
                f"{labels[o]}, {panel.criteria[key].title}: {fact.says}"
            )
            for key in panel.criteria
            if key in known
            for o, fact in panel.criteria[key].facts.items()
            if labels[o] in look.options
        }


def _lines(look: Look) -> Sequence[str]:
    return [f"[{line.by}{' (you)' if line.mine else ''}]: {line.text}" for line in look.lines]
