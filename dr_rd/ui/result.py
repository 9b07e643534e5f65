"""What a run that has ended came to: proposal, answers, limits, plan, trace."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from core.graph.state import Answer, GraphTask, ToolResult
from core.modes import modes
from core.pluralize import pluralize
from core.runs import Snapshot
from core.scores import Scorecard
from core.settings import Served
from core.store import VIEW, RunFolder
from core.trace import ENDED, graph_trace
from dr_rd.brief import Brief
from dr_rd.checks import LedgerVerdict
from dr_rd.evaluation.claims import Judged, tally, unborne
from dr_rd.models.address import endpoint_of
from dr_rd.outcome import chance, decision_rows, verdict
from dr_rd.quantity import days_in
from dr_rd.report import typeset
from dr_rd.report.bundle import exported
from dr_rd.report.charts import task_dates
from dr_rd.ui import charts, ledger, plan, proposal, records, rework, tables, text
from dr_rd.ui.context import AppContext
from dr_rd.ui.session import Key
from dr_rd.ui.settings import flag_label
from dr_rd.ui.views import find_view

_VERDICTS: Mapping[str, tables.Colour] = {"pass": "green", "fail": "red", "inconclusive": "orange"}


def draw(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Draw what a run that has ended came to."""
    card, written = context.service.scorecard(folder), folder.read_text("proposal.md")
    verdicts = _verdicts(context, folder.run_id, written)
    _cards(decision_rows(written), verdicts)
    _figures(context, snapshot, card)
    _draw_claims_summary(_judged_claims(context, folder.run_id, written))
    downloads(context, folder, snapshot)
    names = ("Proposal", "Answers", "Limits", "Plan", "Trace", "Settings")
    shown = st.tabs(names, key=Key.TABS, on_change="rerun", bind="query-params")
    parts: tuple[Callable[[], None], ...] = (
        partial(proposal.draw, written),
        partial(_answers, context, folder, snapshot),
        partial(_limits, verdicts, card),
        partial(pictures, context, snapshot),
        partial(_trace, context, snapshot),
        partial(settings, snapshot),
    )
    for tab, part in zip(shown, parts, strict=True):
        if tab.open:
            with tab:
                part()


def draw_of_mode(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Draw what a run without a plan of tasks came to: as its mode's page does, or as its text."""
    written = folder.read_text(modes()[snapshot.options.mode].result_files[0])
    view = find_view(snapshot.options.mode)
    downloads(context, folder, snapshot)
    shown = st.tabs(_OF_MODE, key=Key.TABS, on_change="rerun", bind="query-params")
    parts: tuple[Callable[[], None], ...] = (
        partial(view.ended, context, folder, snapshot)
        if view
        else partial(proposal.draw, written),
        partial(proposal.draw, written),
        partial(_trace, context, snapshot),
        partial(settings, snapshot),
    )
    for tab, part in zip(shown, parts, strict=True):
        if tab.open:
            with tab:
                part()


_OF_MODE = ("Result", "Text", "Trace", "Settings")


@st.cache_data(max_entries=64, show_spinner=False)
def _verdicts(_context: AppContext, run_id: str, written: str) -> tuple[LedgerVerdict, ...]:
    """Hold a proposal against its brief once, not whenever another tab is opened."""
    del written  # a part of the key only
    return _context.service.verdicts(_context.service.store.find(run_id))


@st.cache_data(max_entries=64, show_spinner=False)
def _judged_claims(_context: AppContext, run_id: str, written: str) -> tuple[Judged, ...]:
    """Hold the claims of a run's answers against what they cite, once."""
    del written  # a part of the key only
    return _context.service.claims(_context.service.store.find(run_id))


def _draw_claims_summary(judged: Sequence[Judged]) -> None:
    """Say how many claims are borne out, and name those that are not."""
    found = tally(judged)
    if not found.checked and not found.assumptions:
        return
    said = f"{found.told}."
    faults = unborne(judged)
    if not faults:
        st.caption(said)
        return
    named = (
        f"- {j.place}, {j.claim.source}, {j.verdict}: {text.plain(j.claim.text)} "
        f"({text.plain(j.reason)})"
        for j in faults
    )
    st.warning("\n".join((said + " Not borne out:", "", *named)))


_DECIDING = ("Recommendation", "Time", "Money", "Limits")
"""Rows of the first page that are cards, in their order."""


def _cards(rows: Mapping[str, str], verdicts: Sequence[LedgerVerdict]) -> None:
    """Draw what a reader decides by, in the words of the first page."""
    shown = [name for name in _DECIDING if name in rows]
    if not shown:
        return
    for name, column in zip(shown, st.columns(len(shown)), strict=True):
        with column, st.container(border=True, height="stretch"):
            colour = _colour(name, rows[name], verdicts)
            st.markdown(f":{colour}-badge[{name}]")
            st.markdown(text.safe_markdown(rows[name]))


def _colour(name: str, said: str, verdicts: Sequence[LedgerVerdict]) -> tables.Colour:
    """Return the colour of a card: red where it speaks against the plan, orange for a doubt."""
    if name == "Limits":
        found = {v.verdict for v in verdicts}
        return "red" if "violated" in found else "orange" if found & _OPEN else "green"
    if name == "Recommendation":
        return _FUND.get(verdict(said), "red")
    odds = chance(said)
    if odds is None:
        return "gray"
    _, kept = odds
    return "green" if kept >= _LIKELY else "orange" if kept >= _EVEN else "red"


_OPEN = frozenset({"unclear", "not_shown", "not_checkable"})
"""Verdicts of limits that nothing in the text decides."""
_FUND: Mapping[str, tables.Colour] = {"Fund": "green", "Fund if": "orange"}
_LIKELY, _EVEN = 80, 50
"""Chances, in percent, from which a limit is likely kept, and as likely as not."""


def _figures(context: AppContext, snapshot: Snapshot, card: Scorecard | None) -> None:
    """Say in one line how far the run came and how it was judged."""
    answers = plan.seen(snapshot).answers.values()
    total = len(plan.seen(snapshot).tasks)
    said = [f"{sum(a.usable for a in answers)} of {total} tasks answered"]
    if found := charts.totals(answers, context.service.tools):
        said += [f"{label}: {value}" for label, value in lasts(found).items()]
    said.append(f"score of the proposal: {_score(card.overall) if card else 'not judged'}")
    said.append(f"worked for {tables.seconds(snapshot.events):.1f} s")
    st.caption(text.plain("; ".join(said)))
    if card and card.blockers:
        st.error("The proposal fails: " + text.plain("; ".join(card.blockers)) + ".")
    if snapshot.reason:
        st.warning(context.markdown(snapshot.reason))


def lasts(totals: Mapping[str, Any]) -> dict[str, str]:
    """How long the work takes: half of the time, and as surely as the risk posture asks."""
    days, asked = totals["days"], totals.get("planned", {}).get("percentile", "P80")
    shares = list(dict.fromkeys(("P50", asked)))
    return {f"Working days, {' / '.join(shares)}": " / ".join(str(days[s]) for s in shares)}


def downloads(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    """Offer the result or what there is of it, everything, the trace and the plan, each on click."""
    get = partial(st.download_button, on_click="ignore")
    run, files = snapshot.run_id, modes()[snapshot.options.mode].result_files
    name = files[0].removesuffix(".md")
    parts = context.service.workbench.parts(folder)
    ended = snapshot.status in ENDED
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown("Download:", width="content")
        for kind, (label, key, media) in _EXPORTS.items():
            if kind == "pdf" and not typeset.is_installed():
                continue
            get(
                label.format(name=name),
                partial(exported, folder, parts, kind),
                f"{run}.{kind}" if kind == "zip" else f"{run}-{name}.{kind}",
                media,
                key=key,
                type="primary" if kind == "html" and ended else "secondary",
            )
        get(
            "Trace",
            partial(trace_file, folder, snapshot),
            VIEW,
            "application/json",
            key=Key.GET_TRACE,
        )
        for kind in _plan_kinds(snapshot):
            label, key, media = _PLAN[kind]
            made = partial(exported, folder, parts, kind)
            get(label, made, f"{run}-plan.{kind}", media, key=key)
    if not typeset.is_installed():
        st.caption(text.plain(typeset.MISSING))


def _plan_kinds(snapshot: Snapshot) -> tuple[str, ...]:
    """The formats in which the plan can be had: a calendar only where the schedule has dates."""
    seen = plan.seen(snapshot)
    if not seen.tasks:
        return ()
    return ("csv", "xlsx", "ics") if task_dates(seen.answers.values()) else ("csv", "xlsx")


_OFFICE = "application/vnd.openxmlformats-officedocument"
_EXPORTS: Mapping[str, tuple[str, Key, str]] = {
    "html": ("The {name} as a web page", Key.GET_PAGE, "text/html"),
    "docx": ("Word", Key.GET_WORD, f"{_OFFICE}.wordprocessingml.document"),
    "pdf": ("PDF", Key.GET_PDF, "application/pdf"),
    "md": ("Markdown", Key.GET_PROPOSAL, "text/markdown"),
    "zip": ("Everything", Key.GET_BUNDLE, "application/zip"),
}
"""What can be had of a run, by format: the label, the button's key, the media type."""
_PLAN: Mapping[str, tuple[str, Key, str]] = {
    "csv": ("Plan as a table", Key.GET_PLAN, "text/csv"),
    "xlsx": ("Plan as a workbook", Key.GET_WORKBOOK, f"{_OFFICE}.spreadsheetml.sheet"),
    "ics": ("Dates for a calendar", Key.GET_DATES, "text/calendar"),
}
"""The same of its plan."""


def first_day(brief: Brief) -> date | None:
    """Return the day that a brief's work starts on; None where it says none."""
    return next(iter(days_in(brief.start)), None)


def trace_file(folder: RunFolder, snapshot: Snapshot) -> bytes:
    """Return graph_trace.json, made from the events where the run has none yet."""
    if folder.has(VIEW):
        return folder.read_text(VIEW).encode()
    made = graph_trace(
        snapshot.events,
        run_id=snapshot.run_id,
        project_id=folder.project_id,
        mode=snapshot.options.mode,
    )
    return json.dumps(made, indent=2, ensure_ascii=False).encode()


def _answers(context: AppContext, folder: RunFolder, snapshot: Snapshot) -> None:
    tasks = {t.id: t for t in plan.seen(snapshot).tasks if t.id in plan.seen(snapshot).answers}
    chosen = st.selectbox(
        "Task",
        list(tasks),
        format_func=lambda i: f"{i}  {tasks[i].title}",
        key=Key.ANSWER,
    )
    if chosen is None:
        return
    answer = plan.seen(snapshot).answers[chosen]
    _card(answer)
    if not answer.usable or answer.reason:
        st.warning(text.plain(f"{answer.status.replace('_', ' ')}: {answer.reason}"))
    st.markdown(text.safe_markdown(text.under(answer.content)))
    _claims(answer, context, folder)
    _unknowns(answer)
    _attempts(answer, snapshot)
    rework.draw_task(context, folder.run_id, answer)


def _card(answer: Answer) -> None:
    card = answer.evaluation
    if card is None:
        st.caption("Not judged: evaluators were off, or the task gave no answer.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(card.verdict, color=_VERDICTS[card.verdict])
        st.caption(
            f"overall {_score(card.overall)} between {card.low:.2f} and {card.high:.2f}, "
            f"threshold {card.threshold:.2f}, {card.coverage:.0%} measured, "
            f"{tables.tries(answer)}"
        )
    _scores(card)


def _scores(card: Scorecard) -> None:
    st.dataframe(
        tables.scores(card),
        hide_index=True,
        column_config={
            "metric": "Metric",
            "score": st.column_config.ProgressColumn(
                "Score", min_value=0, max_value=1, format="%.2f"
            ),
            "status": "Status",
            "reason": st.column_config.TextColumn("Reason", width="large"),
        },
        alt="Each metric with its reason",
    )


def _claims(answer: Answer, context: AppContext, folder: RunFolder) -> None:
    lines = tables.claims(answer, context.service.corpus(folder))
    st.subheader("What it states and what that rests on", anchor=False)
    if not lines:
        st.caption("It makes no claim that needs a source.")
        return
    records.draw(lines, "Claims with their sources")


def _unknowns(answer: Answer) -> None:
    untold = [u for u in answer.unknowns if u not in answer.content]
    if untold:
        st.subheader("What it does not know either", anchor=False)
        st.markdown("\n".join(f"- {text.plain(u)}" for u in untold))


def _attempts(answer: Answer, snapshot: Snapshot) -> None:
    tries = tables.attempts(answer.task_id, snapshot.events)
    with st.expander(f"How it was judged, try by try ({len(tries)})"):
        for judged in tries:
            verdict = judged.verdict.replace("_", " ")
            went = "sent back" if judged.retry else "settled"
            st.markdown(
                f"**Try {judged.attempt}**: {verdict}, {_score(judged.score)}, {went}.  \n"
                f"{text.plain(judged.rationale) or 'Nothing to object to.'}"
            )


def _limits(verdicts: Sequence[LedgerVerdict], card: Scorecard | None) -> None:
    st.header("The proposal against the brief", anchor=False)
    ledger.draw(verdicts)
    st.header("The proposal's scorecard", anchor=False)
    if card:
        _scores(card)
    else:
        st.caption("Not judged: evaluators were off.")


def pictures(context: AppContext, snapshot: Snapshot) -> None:
    """Draw the plan as a calendar, how sure its totals are, and its tasks as a network."""
    brief = context.service.brief(context.service.store.find(snapshot.run_id))
    palette = charts.DARK if st.context.theme.type == "dark" else charts.LIGHT
    tasks, answers = plan.seen(snapshot).tasks, plan.seen(snapshot).answers.values()
    call = charts.schedule_call(answers, context.service.tools)
    bars, path = _bars(context, snapshot.run_id, tasks, call)
    if bars:
        begun = call.args.get("start") if call else None
        first = date.fromisoformat(str(begun)) if begun else first_day(brief)
        st.header("Calendar", anchor=False)
        st.caption("Critical path: " + " → ".join(path))
        st.vega_lite_chart(
            spec=charts.gantt(bars, palette, first, brief.closed_days),
            width="stretch",
            height=140 + 24 * len(bars),
            alt="When each task takes place",
        )
    if call:
        st.header("How sure the totals are", anchor=False)
        left, right = st.columns(2)
        drawn = partial(charts.percentiles, palette=palette)
        days = drawn(call.output["days"], "working days", limit=call.args.get("limit_days"))
        cost = drawn(call.output["cost"], "cost", limit=call.args.get("limit_cost"))
        left.altair_chart(days, height=260, alt="Working days by percentile")
        right.altair_chart(cost, height=260, alt="Cost by percentile")
    st.header("How the tasks hang together", anchor=False)
    st.graphviz_chart(charts.graph(tasks, palette, path), alt="The tasks and their order")


def _bars(
    context: AppContext, run_id: str, tasks: Sequence[GraphTask], call: ToolResult | None
) -> tuple[Sequence[charts.Bar], Sequence[str]]:
    """Return when each task takes place, and the critical path.

    As a task of the run computed it; before one has, as the plan that waits for approval shows it.
    """
    if not tasks:
        return (), ()
    if call:
        times, path = call.output["times"], call.output["critical_path"]
    else:
        seen = context.service.preview(run_id, tasks)
        times, path = seen.times, seen.critical_path
    return charts.scheduled(tasks, times, path), path


def _trace(context: AppContext, snapshot: Snapshot) -> None:
    st.header("What happened", anchor=False)
    st.dataframe(
        tables.trace(snapshot.events),
        hide_index=True,
        column_config={
            "n": st.column_config.NumberColumn("#", width=60),
            "time": "Time, UTC",
            "event": "Event",
            "step": "Step",
            "task": "Task",
            "seconds": st.column_config.TextColumn("Seconds", width=80),
            "details": st.column_config.TextColumn("Details", width="large"),
        },
        height=560,
        alt="The events of the run in order",
    )
    st.caption(
        f"{pluralize(snapshot.count, 'event')}, each linked to the one before by its hash. "
        f"Check them with: dr-rd verify {context.service.readable(str(snapshot.run_dir))}"
    )
    if calls := tables.calls(snapshot.events):
        st.header("Tool calls", anchor=False)
        st.dataframe(
            calls,
            hide_index=True,
            column_config={
                "id": "Id",
                "tool": "Tool",
                "task": "Task",
                "role": "Role",
                "ms": st.column_config.NumberColumn("Milliseconds"),
                "result": st.column_config.TextColumn("Result", width="large"),
            },
            alt="The tool calls of the run",
        )


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def settings(snapshot: Snapshot) -> None:
    """Show what was chosen for the run; it cannot be changed any more."""
    options = snapshot.options
    chosen = {
        "mode": modes()[options.mode].label,
        "seed": options.seed,
        "documents": ", ".join(p.name for p in options.docs) or "none",
        "repository": options.repo.name if options.repo else "none",
        **_models(options.served),
        **{flag_label(n): v for n, v in options.flags.model_dump(mode="json").items()},
    }
    st.table(
        [{"Setting": k, "Chosen": _value_text(v)} for k, v in chosen.items()],
        hide_index=True,
        border="horizontal",
        width="content",
    )


def _models(served: Served | None) -> dict[str, str]:
    """Which models were asked, by purpose where there are several."""
    if served is None:
        return {"models": "none, the method library alone"}
    names = {use.name for use in served.models.values()}
    each = [f"{purpose} {use.name}" for purpose, use in served.models.items()]
    told = ", ".join(names if len(names) == 1 else each)
    return {"models": f"{told} at {endpoint_of(served.base_url)}"}


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (json.dumps(value) if value else "all alike") if isinstance(value, dict) else str(value)
