"""The table of a down-select: its options, its voters and what is known, from whatever was given."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from core.clock import RandomFor
from core.modes.downselect.nodes import Opening, Report
from core.modes.downselect.state import Game, Option, Player
from core.modes.downselect.voices import Voice
from dr_rd.modes.directions import DirectionPrices
from dr_rd.modes.downselect.facts import (
    Facts,
    direction_facts,
    directions_of,
    separating,
    vocabulary,
)
from dr_rd.modes.downselect.model import ModelVoice
from dr_rd.modes.downselect.panel import Criterion, Panel, Voter, balanced
from dr_rd.modes.downselect.report import reported
from dr_rd.modes.downselect.runs import option_text, run_breaks, run_facts
from dr_rd.modes.downselect.scenario import Scenario
from dr_rd.modes.downselect.screens import Screened, screen
from dr_rd.modes.downselect.voices import BuiltinVoter, CharacterVoice
from dr_rd.modes.past import PastRun
from dr_rd.modes.spec import Material
from dr_rd.planning.directions import weighted

_FEWEST, _WEIGHS = 3, 2
"""Voters at any table, and criteria that one must weigh to be more than an echo."""
_SEATS = 6
"""Built-in voters at a table, besides those who must sit there to bring a fact."""


class ResearchTable:
    """What the workbench says in a down-select.

    Args:
        material: The run's brief, plan and library.
        scenario: Its options, voters or characters; None takes the brief's directions.
        chance: The run's sources of chance, by name.

    """

    def __init__(self, material: Material, scenario: Scenario | None, chance: RandomFor) -> None:
        self._material, self._chance = material, chance
        self._prices = DirectionPrices(material)
        self.scenario = scenario or Scenario(title="Directions of the brief")

    @cached_property
    def opening(self) -> Opening:
        """What the game begins with."""
        given = self.scenario
        people = tuple(
            Player(id=f"person-{n}", role="human", name=p.name)
            for n, p in enumerate(given.people, 1)
        )
        if given.vote_for == "players":
            voices = tuple(
                Player(id=f"voice-{n}", role="ai", personality=c.name, name=c.name)
                for n, c in enumerate(given.characters, 1)
            )
            topics = tuple(t.topic for t in given.topics)
            return Opening(
                rules=given.rules,
                players=(*people, *voices),
                topics=topics,
                within_s=given.answer_within_s,
            )
        voices = tuple(
            Player(id=v.id, role="ai", personality=v.id, name=v.title)
            for v in self.panel.voters.values()
        )
        options = tuple(Option(id=key, text=text) for key, text in self.panel.options.items())
        return Opening(
            rules=given.rules,
            players=(*people, *voices),
            options=options,
            within_s=given.answer_within_s,
        )

    def voice_of(self, player: Player, labels: Mapping[str, str]) -> Voice:
        """Return the voice of a seat: a model's where the run has one, or a built-in one."""
        builtin = self._builtin(player, labels)
        models = self._material.models
        if models is None or not models.does("work"):
            return builtin
        return ModelVoice(
            models.model("work", player.personality),
            self._persona(player),
            builtin,
            mark_seed=f"{self._material.options.seed}/{player.id}",
        )

    def _builtin(self, player: Player, labels: Mapping[str, str]) -> BuiltinVoter | CharacterVoice:
        if self.scenario.vote_for == "players":
            character = next(c for c in self.scenario.characters if c.name == player.personality)
            return CharacterVoice(character, self.scenario.topics, self._chance, player.id)
        whims = self.panel.whims(player.id, self._chance)
        return BuiltinVoter(self.panel, player.id, labels, whims)

    def _persona(self, player: Player) -> str:
        role = next((r for r in self._material.library.roles if r.id == player.personality), None)
        return f"{role.title}: {role.text}" if role else player.personality

    def report(self, game: Game) -> Report:
        """Say what a game that is over came to."""
        panel = self.panel if self.scenario.vote_for == "options" else None
        return reported(
            game,
            panel,
            title=self._title,
            screened=self.screened,
            seed=self._material.options.seed,
            admitted=self.admitted,
            questions=self._questions,
            matrix=self._matrix,
        )

    @property
    def _matrix(self) -> Mapping[str, float]:
        """What the plan's own decision gives its directions; empty for other options."""
        if self.scenario.options or self._runs or self.scenario.vote_for == "players":
            return {}
        design = self._material.design
        return {d.id: weighted(d.scores, design.weights) for d in design.directions}

    @property
    def _title(self) -> str:
        given = self.scenario
        return given.objective or (
            self._material.brief.objective if not given.options else given.title
        )

    @cached_property
    def panel(self) -> Panel:
        """Who weighs what, over the options that passed the screen."""
        out = {s.id for s in self.screened}
        return self._panel({k: t for k, t in self._texts.items() if k not in out})

    def admitted(self, option: str) -> Panel:
        """Return the panel with one option that was screened out."""
        out = {s.id for s in self.screened} - {option}
        return self._panel({k: t for k, t in self._texts.items() if k not in out})

    @cached_property
    def screened(self) -> tuple[Screened, ...]:
        """The options that break a hard limit."""
        given = self.scenario
        if given.options:
            return tuple(
                Screened(id=o.id, text=o.text, ledger_ids=(), why=o.breaks)
                for o in given.options
                if o.breaks
            )
        if self._runs:
            broken = run_breaks(self._material, self._runs)
            return tuple(
                Screened(
                    id=key,
                    text=self._texts[key],
                    ledger_ids=tuple(b.split(" ", 1)[0] for b in breaks),
                    why="; ".join(breaks),
                )
                for key, breaks in broken.items()
                if breaks
            )
        if given.vote_for == "players":
            return ()
        return screen(self._material, list(self._texts.items()), self._prices)

    @cached_property
    def _runs(self) -> Mapping[str, PastRun]:
        runs = self._material.inputs.runs
        return {f"R{n}": run for n, run in enumerate(runs, 1)} if len(runs) > 1 else {}

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """The text of every option by its id, those that break a limit among them."""
        if self.scenario.options:
            return {o.id: o.text for o in self.scenario.options}
        if self._runs:
            return {k: option_text(r) for k, r in self._runs.items()}
        return {d.id: d.text for d in self._material.design.directions}

    def _facts(self, texts: Mapping[str, str]) -> Facts:
        """Return what is known of options; those with facts of their own have these alone."""
        given = {o.id: o.facts for o in self.scenario.options if o.facts}
        if self._runs:
            return run_facts(self._material, {k: self._runs[k] for k in texts})
        if given:
            keys = dict.fromkeys(k for facts in given.values() for k in facts)
            return {k: {o: given[o][k] for o in texts} for k in keys}
        directions = directions_of(self._material, list(texts.values()))
        named = [d.model_copy(update={"id": k}) for k, d in zip(texts, directions, strict=True)]
        return direction_facts(self._material, named, self._prices)

    def _panel(self, texts: Mapping[str, str]) -> Panel:
        criteria = separating(self._facts(texts), {})
        voters = self._voters(criteria)
        holders = self._holders(criteria, [v.id for v in voters])
        titles = self.scenario.criteria
        held = {
            key: c.model_copy(
                update={"holder": holders.get(key, ""), "title": titles.get(key, c.title)}
            )
            for key, c in criteria.items()
        }
        return Panel(options=texts, criteria=held, voters={v.id: v for v in voters})

    def _voters(self, criteria: Mapping[str, Criterion]) -> list[Voter]:
        """Return who votes: the scenario's, or the plan's roles and those who bring a fact."""
        known, keys = {r.id: r.title for r in self._material.library.roles}, list(criteria)
        weights: Mapping[str, Mapping[str, float]] = vocabulary()["roles"]
        if self.scenario.voters:
            return [
                Voter(
                    id=f"{v.role}-{n}"
                    if v.role in [x.role for x in self.scenario.voters[: n - 1]]
                    else v.role,
                    title=known.get(v.role, v.role),
                    weights=balanced(v.weights or weights.get(v.role, {}), keys),
                )
                for n, v in enumerate(self.scenario.voters, 1)
            ]
        planned = list(dict.fromkeys(t.role for t in self._material.tasks if t.role in weights))
        bring = self._holders(criteria, planned, seat=True).values()
        weigh = {r: sum(bool(weights[r].get(k)) for k in keys) for r in planned}
        able = [r for r in planned if weigh[r] >= _WEIGHS]
        spare = sorted((r for r in planned if r not in able), key=lambda r: -weigh[r])
        roles = list(dict.fromkeys((*bring, *able)))[: max(_SEATS, len(set(bring)))]
        roles += [r for r in spare if r not in roles][: max(0, _FEWEST - len(roles))]
        return [
            Voter(id=r, title=known.get(r, r), weights=balanced(weights[r], keys)) for r in roles
        ]

    def _holders(
        self, criteria: Mapping[str, Criterion], seats: Sequence[str], *, seat: bool = False
    ) -> dict[str, str]:
        """Return who brings each criterion's facts: whoever at the table is nearest to it.

        With *seat* somebody who is not at the table yet may be.
        """
        found: dict[str, str] = {}
        for key in criteria:
            given = [v.role for v in self.scenario.voters if key in v.holds]
            wanted: Sequence[str] = given or vocabulary()["criteria"].get(key, {}).get(
                "holders", []
            )
            there = [role for role in wanted if role in seats]
            if there:
                free = [role for role in there if role not in found.values()]
                found[key] = (free or there)[0]
            elif wanted and seat:
                found[key] = wanted[0]
        return found

    def _questions(self, option: str) -> tuple[str, ...]:
        """Return what only the analyst can answer of an option's techniques."""
        if self._runs or option not in self._texts:
            return ()
        (direction,) = directions_of(self._material, [self._texts[option]])
        named = [t for t in self._material.library.techniques if t.title in direction.techniques]
        return tuple(
            f"{t.question} [library: {t.title}]"
            for t in named
            if t.question and "{" not in t.question
        )
