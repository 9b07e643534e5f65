"""One run: watched while it works, asked for approval, and read when it is done."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.errors import CallerError
from core.graph.state import Answer
from core.modes import MODES
from core.runs import Snapshot
from core.scores import Scorecard
from core.store import VIEW, RunFolder
from core.trace import graph_trace
from dr_rd.report.bundle import exported
from dr_rd.ui import charts, plan, session, tables, text
from dr_rd.ui.desk import Desk, the_desk
from dr_rd.ui.session import Key

ENDED = ("finished", "holes", "failed_gate")

_VERDICTS: Mapping[str, tables.Colour] = {"pass": "green", "fail": "red", "inconclusive": "orange"}
_PAUSED = {"paused": "Paused", "interrupted": "Interrupted"}


def draw(pages: Mapping[str, Any]) -> None:
    """Draw the run that the address names."""
    desk, run_id = the_desk(), st.query_params.get("run", "")
    if not run_id:
        st.title("No run chosen")
        st.write("A run has its own address. Choose one from the list, or start a new one.")
        _links(pages)
        return
    try:
        snapshot = desk.service.snapshot(run_id)
    except CallerError as mistake:
        st.title("Run not found")
        st.error(text.plain(str(mistake)))
        _links(pages)
        return
    folder = desk.store.find(run_id)
    _header(desk, folder, snapshot)
    if snapshot.status in ENDED:
        _result(desk, folder, snapshot)
    else:
        _watch(desk, snapshot)
        _going(desk, snapshot)


def _links(pages: Mapping[str, Any]) -> None:
    with st.container(horizontal=True):
        st.page_link(pages["runs"], label="All runs")
        st.page_link(pages["new"], label="New plan")


def _header(desk: Desk, folder: RunFolder, snapshot: Snapshot) -> None:
    brief = desk.brief(folder)
    label, colour = tables.STATES[snapshot.status]
    st.title(text.plain(folder.project_id.replace("-", " ").capitalize()), anchor=False)
    st.write(text.plain(brief.objective))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(label, color=colour)
        st.caption(f"{MODES[snapshot.options.mode].label} · run {snapshot.run_id}")
        if snapshot.status == "running":
            _act(Key.CANCEL, "Cancel", partial(desk.service.cancel, snapshot.run_id))
        elif snapshot.status in _PAUSED:
            _act(Key.RESUME, "Resume", partial(desk.service.resume, snapshot.run_id))
    if snapshot.status in _PAUSED:
        reason = f": {snapshot.reason}" if snapshot.reason else ""
        st.warning(
            f"{_PAUSED[snapshot.status]}{text.plain(reason)}. What is finished is kept; "
            "Resume goes on from there."
        )


def _act(key: Key, label: str, action: Callable[[], None]) -> None:
    if st.button(label, key=key):
        try:
            action()
        except CallerError as mistake:  # somebody else was faster
            st.toast(text.plain(str(mistake)))
        else:
            st.rerun()


def _settings(snapshot: Snapshot) -> None:
    """Show what was chosen for the run; it cannot be changed any more."""
    options = snapshot.options
    chosen = {
        "mode": MODES[options.mode].label,
        "seed": options.seed,
        "documents": ", ".join(p.name for p in options.docs) or "none",
        **options.flags.model_dump(mode="json", exclude={"AUTOGEN_ENABLED"}),
    }
    st.table(
        [{"Setting": k, "Chosen": _said(v)} for k, v in chosen.items()],
        hide_index=True,
        border="horizontal",
        width="content",
    )


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value) if isinstance(value, dict) else str(value)


# --- before the end


def _watch(desk: Desk, drawn: Snapshot) -> None:
    """Show progress every second; when the state changes, the whole page is drawn anew."""

    @st.fragment(run_every=1.0, key="live")
    def live() -> None:
        now = desk.service.snapshot(drawn.run_id)
        if (now.status, bool(now.plan)) != (drawn.status, bool(drawn.plan)):
            st.rerun()
        if now.status != "waiting":
            _progress(now)

    live()


def _progress(snapshot: Snapshot) -> None:
    lines, done = tables.progress(snapshot.plan, snapshot.events), len(snapshot.answers)
    total = len(snapshot.plan)
    told = f"{done} of {total} tasks answered" if total else "Planning …"
    if total and done == total and snapshot.status == "running":
        told = "All tasks answered; composing the proposal …"
    st.progress(done / total if total else 0.0, text=told)
    if lines:
        st.dataframe(
            lines,
            hide_index=True,
            column_config={
                "id": st.column_config.TextColumn("Id", width="small"),
                "task": st.column_config.TextColumn("Task", width="large"),
                "state": "State",
                "tries": st.column_config.TextColumn("Tries", width="small"),
                "score": st.column_config.ProgressColumn(
                    "Score", min_value=0, max_value=1, format="%.2f"
                ),
            },
            height="content",
            alt="Each task with its state",
        )


def _going(desk: Desk, snapshot: Snapshot) -> None:
    if snapshot.status == "waiting":
        _approval(desk, snapshot)
    if snapshot.plan:
        st.header("How the tasks hang together", anchor=False)
        _pictures(snapshot)
    with st.expander("Chosen for this run"):
        _settings(snapshot)


def _approval(desk: Desk, snapshot: Snapshot) -> None:
    """Let a person change the plan and approve it; what is approved is what is executed."""
    st.header(snapshot.question, anchor=False)
    st.write(
        "Change any cell, remove lines or add some. Nothing runs before you approve, and the "
        "plan you approve is the plan that is executed."
    )
    rows = st.data_editor(
        plan.to_rows(snapshot.plan),
        num_rows="dynamic",
        key=f"{Key.PLAN}-{snapshot.run_id}",
        hide_index=True,
        height="content",
        column_order=_ORDER,
        column_config=_columns(desk, snapshot),
        alt="The plan's tasks",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        session.propose(Key.APPROVER, "analyst")
        st.text_input("Approved by", key=Key.APPROVER, width=220)
        pressed = st.button("Approve and start the work", type="primary", key=Key.APPROVE)
    if pressed:
        _approve(desk, snapshot, rows)


def _approve(desk: Desk, snapshot: Snapshot, rows: Any) -> None:  # noqa: ANN401 - the editor's
    by = str(session.get(Key.APPROVER) or "").strip() or "analyst"
    try:
        tasks = plan.to_tasks(rows, snapshot.plan, desk.roles)
        desk.service.answer(snapshot.run_id, by=by, tasks=tasks)
    except CallerError as mistake:
        st.error(text.plain(str(mistake)))
    else:
        st.rerun()


_ORDER = (
    *("id", "title", "role", "depends_on", "days_low", "days_mode", "days_high"),
    *("cost_low", "cost_mode", "cost_high", "deliverable"),
)


def _columns(desk: Desk, snapshot: Snapshot) -> dict[str, Any]:
    roles = sorted({*desk.roles, *(t.role for t in snapshot.plan)})
    number = partial(st.column_config.NumberColumn, min_value=0, width=72)
    return {
        "id": st.column_config.TextColumn("Id", width=60, help="Left empty, it gets a number."),
        "title": st.column_config.TextColumn("Title", width=300),
        "role": st.column_config.SelectboxColumn("Role", options=roles, width=170),
        "depends_on": st.column_config.TextColumn("After", width=120, help="Ids, by commas."),
        "deliverable": st.column_config.TextColumn("Deliverable", width=260),
        "days_low": number("Days low", width=96),
        "days_mode": number("likely"),
        "days_high": number("high"),
        "cost_low": number("Cost low", width=96),
        "cost_mode": number("likely"),
        "cost_high": number("high"),
    }


# --- after the end


def _result(desk: Desk, folder: RunFolder, snapshot: Snapshot) -> None:
    card = desk.scorecard(folder)
    _figures(snapshot, card)
    _downloads(folder, snapshot)
    names = ("Proposal", "Answers", "Limits", "Plan", "Trace", "Settings")
    shown = st.tabs(names, key=Key.TABS, on_change="rerun", bind="query-params")
    parts: tuple[Callable[[], None], ...] = (
        partial(_proposal, folder),
        partial(_answers, desk, folder, snapshot),
        partial(_limits, desk, folder, card),
        partial(_pictures, snapshot),
        partial(_trace, snapshot),
        partial(_settings, snapshot),
    )
    for tab, part in zip(shown, parts, strict=True):
        if tab.open:
            with tab:
                part()


def _proposal(folder: RunFolder) -> None:
    st.markdown(text.shown(text.lowered(folder.read_text("proposal.md"))))


def _figures(snapshot: Snapshot, card: Scorecard) -> None:
    answered = sum(a.usable for a in snapshot.answers.values())
    totals = charts.totals(snapshot.answers.values())
    figures = {"Tasks answered": f"{answered} of {len(snapshot.plan)}"}
    if totals:
        figures["Working days, P50 / P80"] = f"{totals['days']['P50']} / {totals['days']['P80']}"
    figures["Score of the proposal"] = _score(card.overall)
    figures["Share measured"] = f"{card.coverage:.0%}"
    figures["Worked for"] = f"{tables.seconds(snapshot.events):.1f} s"
    with st.container(horizontal=True):
        for label, value in figures.items():
            st.metric(label, value, border=True)
    if card.blockers:
        st.error("The proposal fails: " + text.plain("; ".join(card.blockers)) + ".")
    if snapshot.reason:
        st.warning(text.plain(snapshot.reason))


def _downloads(folder: RunFolder, snapshot: Snapshot) -> None:
    get = partial(st.download_button, on_click="ignore")
    run = snapshot.run_id
    with st.container(horizontal=True):
        get(
            "Download the proposal",
            partial(exported, folder, "md"),
            f"{run}-proposal.md",
            "text/markdown",
            key=Key.GET_PROPOSAL,
            type="primary",
        )
        get(
            "Download everything",
            partial(exported, folder, "zip"),
            f"{run}.zip",
            "application/zip",
            key=Key.GET_BUNDLE,
        )
        get(
            "Download the trace",
            partial(trace_file, folder, snapshot),
            VIEW,
            "application/json",
            key=Key.GET_TRACE,
        )


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


def _answers(desk: Desk, folder: RunFolder, snapshot: Snapshot) -> None:
    tasks = {t.id: t for t in snapshot.plan if t.id in snapshot.answers}
    chosen = st.selectbox(
        "Task",
        list(tasks),
        format_func=lambda i: f"{i}  {tasks[i].title}",
        key=Key.ANSWER,
    )
    if chosen is None:
        return
    answer = snapshot.answers[chosen]
    _card(answer)
    if not answer.usable or answer.reason:
        st.warning(text.plain(f"{answer.status.replace('_', ' ')}: {answer.reason}"))
    st.markdown(text.shown(answer.content))
    _claims(answer, desk, folder)
    _unknowns(answer)
    _attempts(answer, snapshot)


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
            f"{answer.attempts} {'try' if answer.attempts == 1 else 'tries'}"
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


def _claims(answer: Answer, desk: Desk, folder: RunFolder) -> None:
    lines = tables.claims(answer, desk.corpus(folder))
    st.subheader("What it states and what that rests on", anchor=False)
    if not lines:
        st.caption("It makes no claim that needs a source.")
        return
    st.dataframe(
        lines,
        hide_index=True,
        column_config={
            "kind": st.column_config.TextColumn("Kind", width="small"),
            "claim": st.column_config.TextColumn("Claim", width="large"),
            "source": st.column_config.TextColumn("Source", width="small"),
            "passage": st.column_config.TextColumn("Passage", width="large"),
        },
        alt="Claims with their sources",
    )


def _unknowns(answer: Answer) -> None:
    if answer.unknowns:
        st.subheader("What it does not know", anchor=False)
        st.markdown("\n".join(f"- {text.plain(u)}" for u in answer.unknowns))


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


def _limits(desk: Desk, folder: RunFolder, card: Scorecard) -> None:
    st.subheader("The proposal against the brief", anchor=False)
    lines = tables.ledger(desk.verdicts(folder))
    if lines:
        st.dataframe(
            lines,
            hide_index=True,
            column_config={
                "id": st.column_config.TextColumn("Id", width="small"),
                "kind": st.column_config.TextColumn("Kind", width="small"),
                "item": st.column_config.TextColumn("As the brief puts it", width="large"),
                "verdict": "Verdict",
                "why": st.column_config.TextColumn("Why", width="large"),
            },
            alt="Each limit with its verdict",
        )
    else:
        st.caption("The brief sets no limits.")
    st.subheader("The proposal's scorecard", anchor=False)
    _scores(card)


def _pictures(snapshot: Snapshot) -> None:
    palette = charts.DARK if st.context.theme.type == "dark" else charts.LIGHT
    bars = charts.calendar(snapshot.plan)
    path = " → ".join(charts.critical(bars))
    st.caption(f"Critical path: {path}" if path else "Without estimates there is no calendar.")
    st.graphviz_chart(charts.graph(snapshot.plan, palette), alt="The tasks and their order")
    if bars:
        st.subheader("Calendar", anchor=False)
        st.altair_chart(
            charts.gantt(bars, palette),
            height=70 + 24 * len(bars),
            alt="When each task takes place",
        )
    totals = charts.totals(snapshot.answers.values())
    if totals:
        st.subheader("How sure the totals are", anchor=False)
        left, right = st.columns(2)
        days = charts.percentiles(totals["days"], "working days", palette)
        cost = charts.percentiles(totals["cost"], "cost", palette)
        left.altair_chart(days, height=260, alt="Working days by percentile")
        right.altair_chart(cost, height=260, alt="Cost by percentile")


def _trace(snapshot: Snapshot) -> None:
    st.dataframe(
        tables.trace(snapshot.events),
        hide_index=True,
        column_config={
            "n": st.column_config.NumberColumn("#", width="small"),
            "seconds": st.column_config.NumberColumn("Seconds", format="%.3f", width="small"),
            "details": st.column_config.TextColumn("Details", width="large"),
        },
        height=560,
        alt="The events of the run in order",
    )
    st.caption(
        f"{snapshot.count} events, each linked to the one before by its hash. "
        f"Check them with: dr-rd verify {snapshot.run_dir}"
    )


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"
