"""Who decides where no person does: the rule set's built-in player, or a model in its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from pydantic import Field

from core.clock import RandomFor
from core.errors import TaskError
from core.modes.referee.state import Refused, Said
from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.models.served.run import RunModels
from dr_rd.models.typed.ask import Question
from dr_rd.prompts import delimiter
from dr_rd.referee import AnyRules

_MOST_TOKENS = 2_000
_LONGEST = 400
"""Characters of a decision; more is no decision."""


class Decision(Frozen):
    """What a model replies."""

    decision: str = Field(max_length=_LONGEST)
    """The move, in the grammar that the rules give."""


@dataclass(frozen=True, slots=True)
class Players:
    """The players of one run that are no people."""

    rules: AnyRules
    chance: RandomFor
    models: RunModels | None
    seed: str
    """Where the lines that part material from what is asked come from."""

    async def decide(
        self, position: Frozen, player: str, number: int, refused: Sequence[Refused]
    ) -> Said:
        """Return what *player* decides in the turn of that number."""
        if self.models and self.models.does("work", player):
            return await self._by_model(self.models, position, player, number, refused)
        chance = self.chance(f"turn/{number}/{player}/{len(refused)}")
        return Said(text=self._built_in(position, refused, chance))

    def _built_in(self, position: Frozen, refused: Sequence[Refused], chance: Random) -> str:
        before = [(r.move, r.ruling) for r in refused if r.move]
        if before:
            return self.rules.choose_again(position, before, chance).text
        return self.rules.choose(position, chance).text

    async def _by_model(
        self,
        models: RunModels,
        position: Frozen,
        player: str,
        number: int,
        refused: Sequence[Refused],
    ) -> Said:
        """Ask the player's model; it sees the player's view and why it was refused, no more."""
        words = read_yaml("referee", "prompt.yaml")
        seen = self.rules.describe(position, player)
        told = "\n".join(f"- {r.text!r}: {r.ruling.reason}" for r in refused)
        mark = delimiter(f"{self.seed}/{number}/{len(refused)}", f"{seen}\n{told}")
        user = words["user"].format(player=player, mark=mark, seen=seen)
        if told:
            user += words["again"].format(mark=mark, told=told)
        asked = Question(
            purpose="decide",
            system=words["system"].format(title=self.rules.title, mark=mark),
            user=user,
            attempt=len(refused) + 1,
            max_tokens=_MOST_TOKENS,
        )
        try:
            reply = await models.model("work", player).ask(asked, Decision)
        except TaskError:
            # the log says that there was no decision; why is in the record of the call
            return Said(text="", marks=("failed",))
        return Said(text=" ".join(reply.decision.split()), marks=("model",))
