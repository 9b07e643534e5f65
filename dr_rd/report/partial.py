"""What a run has come to so far, where it has stopped before its end: holes are labelled."""

from core.graph.state import Answer, GraphState, how_far
from dr_rd.brief import Brief
from dr_rd.checks import Ledger
from dr_rd.report.proposal import Synthesizer
from dr_rd.templates import render


def unfinished(compose: Synthesizer, state: GraphState, standing: str) -> str:
    """Return the proposal as far as its tasks are answered, under a notice that says so.

    Args:
        compose: What composes the whole proposal; no writer is asked.
        state: The run, with the plan and the answers there are.
        standing: Where the run is, in a sentence without its full stop.

    """
    missing = {t.id: _hole(t.id) for t in state.tasks if t.id not in state.answers}
    whole = compose.body(state.model_copy(update={"answers": {**state.answers, **missing}}))
    title, _, rest = whole.partition("\n")
    notice = render(
        "unfinished.md.j2",
        {"standing": standing, "far": how_far(state.tasks, state.answers), "missing": [*missing]},
    )
    return f"{title}\n\n{notice}{rest}"


def _hole(task_id: str) -> Answer:
    return Answer(
        task_id=task_id,
        content="",
        status="not_run",
        reason="the run has not come to it yet",
        attempts=0,
    )


def before_planning(brief: Brief, ledger: Ledger, standing: str) -> str:
    """Return what is known of a run that has no plan yet: what was asked, and its limits."""
    return render("unplanned.md.j2", {"brief": brief, "ledger": ledger, "standing": standing})
