"""What the stages work with: the material, the plan and the forms, and the stages themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from core.graph.state import GraphTask, plan_digest
from core.modes.delivery import Config, DeliveryKit, Stage
from dr_rd.modes.delivery.amendments import Amendment, accepted
from dr_rd.modes.delivery.forms import Form, test_text
from dr_rd.modes.delivery.wording import Rarity, stems
from dr_rd.modes.spec import Material
from dr_rd.report.preview import Preview

COMMITS = "“"
"""A plan's line that takes a limit upon itself quotes it, and so tests nothing."""


@dataclass(frozen=True)
class Bench:
    """One run's material, as its stages use it."""

    config: Config
    stages: Mapping[str, Stage]
    material: Material

    @cached_property
    def amendments(self) -> tuple[Amendment, ...]:
        """What the analyst accepted in the runs built on."""
        return accepted(self.material.inputs.runs)

    @cached_property
    def common(self) -> frozenset[str]:
        """Stems of the brief's objective: they tell no limit from another."""
        return stems(self.material.brief.objective)

    @cached_property
    def unit(self) -> str:
        """What is sampled, one of it."""
        return self.material.design.slots.get("unit", "") or "record"

    @property
    def at(self) -> str:
        """The confidence that limits are held to, such as P70."""
        return f"P{self.material.design.scaling.percentile * 100:.0f}"

    def preview(self, tasks: Sequence[GraphTask]) -> Preview:
        """Return what a plan comes to; a plan seen before is not computed again."""
        key = plan_digest(tuple(tasks))
        if key not in self._seen:
            self._seen[key] = self.material.preview(tasks)
        return self._seen[key]

    @cached_property
    def _seen(self) -> dict[str, Preview]:
        return {}

    def rarity(self, tasks: Sequence[GraphTask]) -> Rarity:
        """Return how much each word tells in a plan."""
        return Rarity(line for task in tasks for line in lines(task))

    def test(
        self, form: Form, kind: str, text: str, task: GraphTask, tasks: Sequence[GraphTask]
    ) -> str:
        """Return the test of a form for a limit, on what *task* hands over."""
        more = {"unit": self.unit, "percentile": self.at, "end": tasks[-1].id}
        return test_text(form, kind, text, task, common=self.common, more=more)


def bench_of(kit: DeliveryKit) -> Bench:
    """Return the bench that a stage works at."""
    return cast(Bench, kit.content)


def own_lines(task: GraphTask) -> tuple[str, ...]:
    """Return a task's acceptance lines that test something, not those that quote a limit."""
    return tuple(a.text for a in task.acceptance if not (a.ledger_ids and COMMITS in a.text))


def lines(task: GraphTask) -> tuple[str, ...]:
    """Return everything that a task says itself, a line each."""
    told = (task.title, task.description, *task.steps, task.deliverable, *own_lines(task))
    return tuple(line for line in told if line)


def upstream(tasks: Sequence[GraphTask]) -> Mapping[str, frozenset[str]]:
    """Return, for each task, itself and all that it waits for."""
    found: dict[str, frozenset[str]] = {}
    needs = {task.id: task.depends_on for task in tasks}

    def of(name: str) -> frozenset[str]:
        if name not in found:
            found[name] = frozenset({name}).union(*(of(n) for n in needs[name]))
        return found[name]

    return {task.id: of(task.id) for task in tasks}
