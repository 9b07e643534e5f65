"""A seat in which a model speaks: asked in a typed form, its figures and amendments checked."""

import re
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from core.modes.panel import PanelState
from core.values import Frozen
from dr_rd.models.served.run import RunModels
from dr_rd.models.typed.ask import Question
from dr_rd.modes.panel.board import Board, added
from dr_rd.modes.panel.floor import lines_of
from dr_rd.modes.panel.scenario import SeatSpec
from dr_rd.prompts import delimiter, prompt

if TYPE_CHECKING:
    from dr_rd.modes.panel.voices import Table

_MOST = 2
"""Amendments that a model may add in a turn."""

_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


class Proposed(Frozen):
    """One change that a model proposes."""

    task: str
    field: Literal["steps", "acceptance", "stop_rules"]
    add: str = Field(min_length=10, max_length=400)
    title: str = Field(min_length=5, max_length=120)
    reason: str = Field(min_length=10, max_length=400)
    rests_on: tuple[str, ...] = Field(min_length=1, max_length=4)
    """Ids of the plan or the brief: tasks, limits, assumptions, amendments."""


class Said(Frozen):
    """A model's turn."""

    say: str = Field(min_length=1, max_length=900)
    amendments: tuple[Proposed, ...] = Field(default=(), max_length=_MOST)


async def model_turn(
    table: "Table",
    seat: SeatSpec,
    state: PanelState,
    board: Board,
    models: RunModels,
    computed: str,
) -> tuple[str, Board]:
    """Return what a model says in a seat, and the board with what it proposes.

    Args:
        table: The table.
        seat: The seat.
        state: What was said so far.
        board: What lies on the table.
        models: The run's models.
        computed: What the seat's own rules found, which the model is shown.

    Raises:
        TaskError: The model gives no turn that can be used.

    """
    at = table.floor(board)
    plan = "\n".join(
        f"{t.id} {t.title}\n"
        + "\n".join(f"- {line}" for line in lines_of(t, "steps", "acceptance"))
        for t in at.plan.tasks
    )
    limits = "\n".join(f"{i.id}: {i.text}" for i in at.items)
    amended = "\n".join(f"{a.id} by {a.by}: {a.title}" for a in board.standing)
    people = "\n".join(
        f"{c.id}, an assumption of {c.by or 'a person'}: {c.text}" for c in board.claimed
    )
    said = "\n".join(state.memory) + "\n" + "\n".join(state.ground_truth_log.lines())
    material = "\n\n".join(
        (table.material.brief.objective, limits, plan, amended, people, said, computed)
    )
    values = {
        "seat": seat.label or seat.id,
        "persona": seat.persona,
        "holds": seat.holds,
        "mark": delimiter(f"{state.round}/{seat.id}", material),
        "material": material,
    }
    asked = prompt("turn", values)
    known = {*(t.id for t in at.plan.tasks), *(i.id for i in at.items)}
    known |= {*(a.id for a in at.design.assumptions), *(a.id for a in board.amendments)}

    def check(turn: Said) -> None:
        strange = [n for n in _NUMBER.findall(turn.say) if n.rstrip(".,") not in material]
        if strange:
            raise ValueError(f"the figure {strange[0]} stands in nothing you were shown")
        for one in turn.amendments:
            at.plan_has(one.task)
            if wrong := [r for r in one.rests_on if r not in known]:
                raise ValueError(f"rests_on: {wrong[0]!r} is no id of the plan or the brief")
            if any(one.add.strip() == line for t in at.plan.tasks for line in lines_of(t)):
                raise ValueError(f"the plan already says {one.add!r}")

    question = Question(
        purpose="turn",
        system=asked.system,
        user=asked.user,
        task_id=f"{seat.id}-{state.round}",
    )
    turn = await models.model("work", seat.role).ask(question, Said, check=check)
    for one in turn.amendments:
        board = table.proposed(
            board,
            by=seat.id,
            title=one.title,
            reason=one.reason,
            changes=(added(one.task, one.field, one.add),),
            rests_on=one.rests_on,
        )
    return turn.say, board
