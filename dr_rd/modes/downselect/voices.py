"""Built-in voices: voters who bring facts, and the characters of a game between participants."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from core.clock import RandomFor
from core.modes.downselect.state import Wish
from core.modes.downselect.voices import Choice, Look, Speech
from dr_rd.modes.downselect.panel import SEPARATES, TIE, Panel
from dr_rd.modes.downselect.scenario import Character, Topic

_MORE = 0.3
"""A voice that has said more than this share of a round's messages holds back."""


@dataclass(frozen=True)
class BuiltinVoter:
    """A voter of the panel; it speaks when it holds a fact that separates, and else not at all."""

    panel: Panel
    voter: str
    labels: Mapping[str, str]
    """Labels of the options by id."""
    whims: Mapping[str, int]

    async def wish(self, look: Look) -> Wish:
        """Speak only with an unsaid fact that separates the options left."""
        left, held = self._left(look), self.panel.held.get(self.voter, ())
        key = self.panel.unsaid(self.voter, look.told, left)
        if key:
            criterion = self.panel.criteria[key]
            why = f"holds “{criterion.title}”, which separates by {criterion.spread(left):.2f}"
            return Wish(should_respond=True, reason=why)
        if not held:
            return Wish(should_respond=False, reason="holds no fact of its own")
        unsaid = [k for k in held if k not in look.told]
        if not unsaid:
            return Wish(should_respond=False, reason="has said what it holds")
        spread = max(self.panel.criteria[k].spread(left) for k in unsaid)
        why = f"its fact separates by {spread:.2f}, less than {SEPARATES:.2f}"
        return Wish(should_respond=False, reason=why)

    async def speak(self, look: Look) -> Speech:
        """Say the fact, the weakest option first; answer who has just spoken the other way."""
        left = self._left(look)
        key = self.panel.unsaid(self.voter, look.told, left)
        return Speech(
            text=f"{self._answer(look, key, left)}{self.argument(key, left)}", told=(key,)
        )

    def argument(self, key: str, left: Sequence[str]) -> str:
        """Return what one criterion says of the options left, those of equal fact together."""
        facts = self.panel.criteria[key].facts
        groups: dict[tuple[float, str], list[str]] = {}
        for option in left:
            groups.setdefault((facts[option].value, facts[option].says), []).append(option)
        parts = []
        for (_, says), options in sorted(groups.items()):
            names = self._named(options) + (", each" if len(options) > 1 else "")
            source = facts[options[0]].source
            parts.append(f"{names}: {says}{f' [{source}]' if source else ''}.")
        return " ".join(parts)

    async def vote(self, look: Look, refused: str) -> Choice:
        """Drop the lowest score; name the fact that weighed most, and what changed its mind."""
        del refused
        left = self._left(look)
        scores = self.panel.scores(self.voter, look.told, left)
        ranking = self.panel.ranking(scores, self.whims)
        labelled = tuple(self.labels[o] for o in ranking)
        return Choice(
            vote=labelled[-1],
            reason=self._reason(look, scores, ranking),
            ranking=labelled,
            scores={self.labels[o]: round(s, 3) for o, s in scores.items()},
            changed=self._changed(look, ranking),
        )

    def _left(self, look: Look) -> list[str]:
        return sorted(o for o, label in self.labels.items() if label in look.options)

    def _named(self, options: Sequence[str]) -> str:
        letters = sorted(self.labels[o].removeprefix("Option ") for o in options)
        return (
            "Option " + letters[0]
            if len(letters) == 1
            else "Options " + " and ".join((", ".join(letters[:-1]), letters[-1]))
        )

    def _answer(self, look: Look, key: str, left: Sequence[str]) -> str:
        """Name who spoke last, if what it brought speaks for what this fact speaks against."""
        said = [k for k in look.told if k in self.panel.criteria]
        if not said or not look.last_speaker:
            return ""
        before, now = (self.panel.values[k] for k in (said[-1], key))
        best = [o for o in left if before[o] == max(before[x] for x in left)]
        worst = [o for o in left if now[o] == min(now[x] for x in left)]
        praised = [o for o in best if o in worst]
        if len(best) == len(left) or not praised:
            return ""
        return f"{look.last_speaker}'s fact speaks for {self._named(praised)}; this one does not. "

    def _reason(self, look: Look, scores: Mapping[str, float], ranking: Sequence[str]) -> str:
        last, rest = ranking[-1], ranking[:-1]
        nearest = rest[-1]
        if abs(scores[nearest] - scores[last]) < TIE:
            names = self._named([last, nearest])
            return f"{names} tie for it within {TIE}; its own order of the seed decides"
        known, weights = self.panel.known(self.voter, look.told), self.panel.voters[self.voter]
        gaps = {
            k: weights.weights.get(k, 0.0)
            * (sum(self.panel.values[k][o] for o in rest) / len(rest) - self.panel.values[k][last])
            for k in sorted(known & set(self.panel.values))
        }
        key = max(gaps, key=lambda k: gaps[k])
        criterion = self.panel.criteria[key]
        return (
            f"“{criterion.title}” ({self.panel.values[key][last]:.2f}, weight "
            f"{weights.weights[key]:.2f}): {criterion.facts[last].says}"
        )

    def _changed(self, look: Look, ranking: Sequence[str]) -> str:
        """Name the fact said since the last ballot that turned the ranking; "" if it stands."""
        ids = {label: o for o, label in self.labels.items()}
        before = [ids[b] for b in look.before if ids.get(b) in ranking]
        if not before or before == list(ranking):
            return ""
        own = self.panel.held.get(self.voter, ())
        since = [k for k in look.told if k not in look.told_before and k not in own]
        weights = self.panel.voters[self.voter].weights
        turned = {
            k: weights.get(k, 0.0)
            * (self.panel.values[k][ranking[0]] - self.panel.values[k][before[0]])
            for k in since
            if k in self.panel.values
        }
        if not turned:
            return ""
        key = max(turned, key=lambda k: turned[k])
        title = self.panel.criteria[key].title
        return f"“{title}” was said since; it weighs {weights.get(key, 0.0):.2f} here"


@dataclass(frozen=True)
class CharacterVoice:
    """A character of a game between participants, without a model."""

    character: Character
    topics: Sequence[Topic]
    chance: RandomFor
    player: str

    async def wish(self, look: Look) -> Wish:
        """Speak when asked to break a silence, or as often as the character does."""
        fresh = self._lines(look)
        if not fresh:
            return Wish(should_respond=False, reason="everything on the topic has been said")
        if look.proactive:
            return Wish(should_respond=True, reason=f"nobody has spoken for {look.quiet_s:.0f} s")
        if look.share > _MORE:
            why = f"has said {look.share:.0%} of the round's messages"
            return Wish(should_respond=False, reason=why)
        drawn = self._drawn(look, "wish").random()
        speaks = drawn < self.character.talkative
        return Wish(should_respond=speaks, reason="has something to say" if speaks else "listens")

    async def speak(self, look: Look) -> Speech:
        """Say a line of the topic that nobody has said, in the character's way."""
        draw, fresh = self._drawn(look, "speak"), self._lines(look)
        line = draw.choice(fresh or self._topic(look).lines)
        return Speech(text=draw.choice(self.character.says).replace("{line}", line))

    async def vote(self, look: Look, refused: str) -> Choice:
        """Vote against whoever shows most of the signs that the character suspects."""
        del refused
        signs = {label: self._signs(look, label) for label in look.targets}
        whims = list(look.targets)
        self._drawn(look, "vote").shuffle(whims)
        found = {
            label: sum(self.character.suspects.get(k, 0.0) * v for k, v in own.items())
            for label, own in signs.items()
        }
        order = sorted(look.targets, key=lambda t: (found[t], whims.index(t)))
        worst = order[-1]
        weights = self.character.suspects
        sign = max(signs[worst], key=lambda k: weights.get(k, 0.0) * signs[worst][k])
        return Choice(
            vote=worst,
            reason=_WHY[sign],
            ranking=tuple(order),
            scores={label: round(-value, 3) for label, value in found.items()},
        )

    def _topic(self, look: Look) -> Topic:
        return next((t for t in self.topics if t.topic == look.topic), self.topics[0])

    def _lines(self, look: Look) -> list[str]:
        said = " ".join(line.text for line in look.all_lines)
        return [line for line in self._topic(look).lines if line not in said]

    def _drawn(self, look: Look, what: str) -> Random:
        return self.chance(
            f"{what}/{self.player}/{look.round}/{len(look.all_lines)}/{look.quiet_s}"
        )

    def _signs(self, look: Look, label: str) -> dict[str, float]:
        """Return 0..1 for each sign that somebody gives by what it wrote in this round."""
        lines = look.all_lines[-look.this_round :] if look.this_round else ()
        own = [line.text for line in lines if line.by == label]
        words = [len(text.split()) for text in own]
        others = [len(line.text.split()) for line in lines if line.by != label]
        usual = sum(others) / len(others) if others else 0.0
        mean = sum(words) / len(words) if words else 0.0
        topic = _content(" ".join((look.topic, *self._topic(look).lines)))
        ours = _content(" ".join(own))
        return {
            "silent": 0.0 if own else 1.0,
            "long": 1.0 if own and usual and mean > 1.5 * usual else 0.0,
            "short": 1.0 if own and usual and mean < 0.5 * usual else 0.0,
            "off_topic": 1.0 - len(ours & topic) / len(ours) if ours else 0.0,
            "repeats": 1.0 if len(set(own)) < len(own) else 0.0,
        }


_WHY = {
    "silent": "said nothing in this round",
    "long": "wrote half as much again as the others",
    "short": "wrote less than half as much as the others",
    "off_topic": "used words that are not of the topic",
    "repeats": "said the same thing twice",
}
_WORD = re.compile(r"[a-z]{4,}")


def _content(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
