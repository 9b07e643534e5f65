"""The plan before it is approved: edited on one screen that says what each change comes to."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import streamlit as st
from pydantic import JsonValue

from core.errors import CallerError
from core.graph.state import GraphTask
from core.questions import Question
from core.runs import Snapshot
from dr_rd.brief import Brief
from dr_rd.report.preview import Preview
from dr_rd.ui import charts, ledger, lint, plan, session, tables, text
from dr_rd.ui.context import AppContext
from dr_rd.ui.session import Key, Note
from dr_rd.workbench import ResearchRun

Rows = Sequence[Mapping[str, Any]]

_DETAILS = ("deliverable", "acceptance")
"""What the side pane shows of a line, each as text."""

_LIKELY = 0.5
"""Chance of keeping a limit below which the plan as it stands misses it."""


@dataclass(frozen=True, slots=True)
class Editing:
    """A plan that is being edited."""

    plan: str
    """Which plan it is: another is made where that one was sent back."""
    base: Rows
    """What the table was drawn with; a person's changes come on top."""
    drawn: int = 0
    """How often the table was drawn anew, which its key tells."""
    details: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What was changed in the side pane, by task and column."""
    past: tuple[Rows, ...] = ()
    """The whole tables before each change, the last one last."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """An edited table as a plan, and what it comes to."""

    tasks: tuple[GraphTask, ...]
    seen: Preview


def draft_id(run_id: str) -> str:
    """Return the id of the draft that keeps a run's edited plan."""
    return f"plan-{run_id}"[:63]


def draw(context: AppContext, snapshot: Snapshot, question: Question) -> None:
    """Let a person change the plan and approve it; what is approved is what is executed."""
    st.header(question.text, anchor=False)
    for remark in context.service.remarks(context.service.store.find(snapshot.run_id)):
        st.warning(text.plain(remark))
    st.write(
        "Nothing runs before you approve, and the plan you approve is the plan that is executed. "
        "Change any cell, remove lines or add some: what the plan comes to follows."
    )

    @st.fragment(key="approval")
    def edited() -> None:
        _edited(context, snapshot, question)

    edited()


def _edited(context: AppContext, snapshot: Snapshot, question: Question) -> None:
    held = _editing(context, snapshot)
    above = st.container()
    left, right = st.columns([16, 5], gap="small")
    with left:
        shown = st.data_editor(
            list(held.base),
            num_rows="dynamic",
            key=_table_key(snapshot.run_id, held),
            hide_index=True,
            height="content",
            column_order=_ORDER,
            column_config=_columns(context, snapshot),
            alt="The plan's tasks",
        )
        below = st.container()  # not above: the table stays in its place while lines come and go
    rows = [{**row, **held.details.get(str(row.get("id")), {})} for row in shown]
    parts = _parts(context, snapshot, held)
    outlook = _outlook(context, snapshot, rows, parts)
    with above:
        _figures(outlook.seen)  # before all else that an edit leaves as it was
    with below:
        _findings(lint.findings(outlook.tasks, outlook.seen))
    _keep(context, snapshot, held, rows)  # on disk, which the cards do not wait for
    with right:
        _pane(snapshot, held, rows)
    _decisions(context, snapshot, question, rows)
    _pictures(outlook, parts.brief)


def _parts(context: AppContext, snapshot: Snapshot, held: Editing) -> ResearchRun:
    """Return what the run is made of: read once for a plan, not at each edit."""
    note, name = f"{Note.PARTS}-{snapshot.run_id}", held.plan
    kept = session.get(note)
    if kept is None or kept[0] != name:
        folder = context.service.store.find(snapshot.run_id)
        kept = name, context.service.parts(folder)
        session.put(note, kept)
    return cast(ResearchRun, kept[1])


def _editing(context: AppContext, snapshot: Snapshot) -> Editing:
    """Return what is being edited: this session's, or what an earlier one left on disk."""
    held = session.get(f"{Note.PLAN}-{snapshot.run_id}")
    if isinstance(held, Editing) and held.plan == _name(snapshot):
        return _redrawn(snapshot, held)
    rows: Rows = plan.to_rows(plan.seen(snapshot).tasks)
    try:
        kept = context.service.drafts.read(draft_id(snapshot.run_id)).brief
    except CallerError:
        kept = {}
    if isinstance(saved := kept.get("rows"), list) and kept.get("plan") == _name(snapshot):
        rows = [{**dict.fromkeys(rows[0]), **row} for row in saved if isinstance(row, dict)]
    found = Editing(_name(snapshot), rows)
    session.forget(f"{Note.PLAN}-rows-{snapshot.run_id}")
    session.put(f"{Note.PLAN}-{snapshot.run_id}", found)
    return found


def _redrawn(snapshot: Snapshot, held: Editing) -> Editing:
    """Return *held* as its last whole table where its widget was forgotten on another page."""
    if _table_key(snapshot.run_id, held) in st.session_state or not held.past:
        return held
    last = session.get(f"{Note.PLAN}-rows-{snapshot.run_id}", held.base)
    found = replace(held, base=last, details={})
    session.put(f"{Note.PLAN}-{snapshot.run_id}", found)
    return found


def _name(snapshot: Snapshot) -> str:
    """Tell a plan from the one that is made after it was sent back."""
    made = "".join(task.model_dump_json() for task in plan.seen(snapshot).tasks)
    return hashlib.sha256(made.encode()).hexdigest()[:16]


def _table_key(run_id: str, held: Editing) -> str:
    return f"{Key.PLAN}-{run_id}" + (f"-{held.drawn}" if held.drawn else "")


def _pane(snapshot: Snapshot, held: Editing, rows: Rows) -> None:
    """Draw one line's long texts; what is changed in them is in the next table."""
    named = {str(row["id"]): row for row in rows if row.get("id")}
    with st.container(border=True):
        chosen = st.selectbox(
            "A task in full",
            list(named),
            format_func=lambda i: f"{i} {named[i].get('title') or ''}" if i in named else i,
            key=f"{Key.DETAIL}-{snapshot.run_id}-{held.plan}",
        )
        if chosen is None:
            return
        row = named[chosen]
        before = {t.id: t for t in plan.seen(snapshot).tasks}.get(chosen)
        st.markdown(f"**{text.plain(str(row.get('title') or ''))}**")
        labels = ("It delivers", "It is done when, one test per line")
        for column, label in zip(_DETAILS, labels, strict=True):
            key = f"{Key.DONE_WHEN}-{column}-{snapshot.run_id}-{chosen}-{held.drawn}"
            st.text_area(
                label,
                str(row.get(column) or ""),
                key=key,
                height="content",
                on_change=_change_detail,
                args=(snapshot.run_id, chosen, column, key),
            )
        if before and before.steps:
            with st.expander(f"Its {len(before.steps)} steps"):
                st.markdown(
                    "\n".join(f"{n}. {text.plain(s)}" for n, s in enumerate(before.steps, 1))
                )


def _change_detail(run_id: str, task_id: str, column: str, key: str) -> None:
    held = session.get(f"{Note.PLAN}-{run_id}")
    if not isinstance(held, Editing):  # the plan was decided on while the words were typed
        return
    own = {**held.details.get(task_id, {}), column: str(session.get(key) or "")}
    session.put(f"{Note.PLAN}-{run_id}", replace(held, details={**held.details, task_id: own}))


def _keep(context: AppContext, snapshot: Snapshot, held: Editing, rows: Rows) -> None:
    """Keep a table that has changed on disk, and the one before it for whoever undoes."""
    note = f"{Note.PLAN}-rows-{snapshot.run_id}"
    last = session.get(note)
    if last is None:
        session.put(note, rows)
        return
    if rows == last:
        return
    session.put(note, rows)
    current = session.get(f"{Note.PLAN}-{snapshot.run_id}")
    session.put(f"{Note.PLAN}-{snapshot.run_id}", replace(current, past=(*held.past, last)))
    _save(context, snapshot, rows)


def _save(context: AppContext, snapshot: Snapshot, rows: Rows) -> None:
    cells: list[JsonValue] = [
        {name: None if value != value else value for name, value in row.items()} for row in rows
    ]  # an empty number is not-a-number, which JSON has not
    kept: dict[str, JsonValue] = {"plan": _name(snapshot), "rows": cells}
    try:
        context.service.drafts.save(draft_id(snapshot.run_id), kept)
    except CallerError as mistake:
        st.warning(context.markdown(mistake))


def _undo(context: AppContext, snapshot: Snapshot) -> None:
    """Show the table before the last change again."""
    held = session.get(f"{Note.PLAN}-{snapshot.run_id}")
    if not isinstance(held, Editing) or not held.past:
        return
    back = held.past[-1]
    found = Editing(held.plan, back, held.drawn + 1, {}, held.past[:-1])
    session.put(f"{Note.PLAN}-{snapshot.run_id}", found)
    session.put(f"{Note.PLAN}-rows-{snapshot.run_id}", back)
    _save(context, snapshot, back)


def _outlook(context: AppContext, snapshot: Snapshot, rows: Rows, parts: ResearchRun) -> Outlook:
    try:
        tasks = plan.to_tasks(rows, plan.seen(snapshot).tasks, context.service.roles)
        return Outlook(tasks, parts.preview(tasks))
    except CallerError as mistake:
        return Outlook((), Preview(problem=context.service.readable(str(mistake))))


def _figures(seen: Preview) -> None:
    """Say how long the plan takes, what it costs, and with what chance it keeps its limits."""
    chances = {
        name: value for name, value in seen.chances.items() if isinstance(value, int | float)
    }
    with st.container(horizontal=True, key=Key.FIGURES):
        _total("Working days, P50 / P80", seen.days, seen.limit_days, chances.get("deadline"))
        if seen.guess:
            _guessed(seen, seen.guess)
        else:
            unit = f"Cost in {seen.currency}, P50 / P80" if seen.currency else "Cost, P50 / P80"
            _total(unit, seen.cost, seen.limit_cost, chances.get("budget"))
        if seen.ledger:
            broken = sum(v.verdict == "violated" for v in seen.ledger)
            missed = [k for k, v in chances.items() if k != "both" and v < _LIKELY]
            colour: tables.Colour = "red" if broken else "orange" if missed else "green"
            odds = f"; by the odds the {' and the '.join(missed)} is missed" if missed else ""
            _card(
                "Limits broken",
                f"{broken} of {len(seen.ledger)}",
                colour,
                f"by the plan's words{odds}",
            )


def _total(
    label: str, found: Mapping[str, float], limit: float | None, chance: float | None
) -> None:
    if not found:
        _card(label, "–", "gray", "the table gives none")
        return
    value = f"{found.get('P50', 0):,.0f} / {found.get('P80', 0):,.0f}"
    if limit is None:
        _card(label, value, "gray", "no limit is set")
        return
    late = found.get("P50", 0) > limit
    colour: tables.Colour = "red" if late else "orange" if found.get("P80", 0) > limit else "green"
    kept = "" if chance is None else f", kept with a chance of {_share(chance)}"
    _card(label, value, colour, f"limit {limit:,.0f}{kept}")


def _share(chance: float) -> str:
    """Write a chance; no simulation makes one certain."""
    if chance >= 0.995:
        return "nearly 100 %"
    return "below 1 %" if chance < 0.01 else f"{round(100 * chance)} %"


def _guessed(seen: Preview, guess: tuple[float, float]) -> None:
    """Say what is priced and what is guessed; a guess says nothing of the limit."""
    low, high = guess
    bound = seen.limit_cost
    limit = "no limit is set" if bound is None else f"limit {bound:,.0f}"
    colour: tables.Colour = "gray"
    if bound is not None and seen.known + high > bound:
        colour = "red" if seen.known > bound else "orange"
    priced = f"{seen.known:,.0f} priced, {low:,.0f} to {high:,.0f} guessed"
    _card(
        f"Cost in {seen.currency}" if seen.currency else "Cost",
        f"{seen.known + low:,.0f} to {seen.known + high:,.0f}",
        colour,
        f"{priced if seen.known else 'all of it guessed by the library'}; {limit}",
    )


def _card(label: str, value: str, colour: tables.Colour, said: str) -> None:
    with st.container(border=True, width=330):
        st.markdown(  # one element: each is told to the browser by itself, and holds the rest up
            f":small[{text.plain(label)}]\n### :{colour}[{text.plain(value)}]\n{text.plain(said)}"
        )


def _findings(found: Sequence[lint.Finding]) -> None:
    if not found:
        return
    marks = {True: ":red[**✗**]", False: ":orange[**!**]"}
    lines = (f"- {marks[f.grave]} {text.plain(f.text[:1].upper() + f.text[1:])}" for f in found)
    with st.container(key="findings"):
        st.markdown("\n".join(lines))


def _decisions(context: AppContext, snapshot: Snapshot, question: Question, rows: Rows) -> None:
    held = session.get(f"{Note.PLAN}-{snapshot.run_id}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Decided by", "analyst", key=Key.APPROVER, width=200)
        pressed = st.button("Approve and start the work", type="primary", key=Key.APPROVE)
        st.button(
            f"Undo ({len(held.past)})" if held.past else "Undo",
            key=Key.UNDO,
            disabled=not held.past,
            on_click=_undo,
            args=(context, snapshot),
        )
    with st.expander("Send it back, or stop"):
        if snapshot.options.served is None:
            st.write(
                "Without a model, a note becomes one more limit of the brief and the tasks stay "
                "much as they are: to change a task, change it in the table."
            )
        note = st.text_area(
            "What the planner is to change, or why you stop",
            key=Key.SEND_BACK_NOTE,
            help="A plan that is sent back is made anew with your note as one more limit.",
        )
        with st.container(horizontal=True):
            back = st.button("Send the plan back", key=Key.SEND_BACK, disabled=not note.strip())
            stop = st.button("Stop the run here", key=Key.STOP)
    if pressed:
        _decide(context, snapshot, question, partial(_approved, context, snapshot, rows))
    elif back or stop:
        verdict = "send_back" if back else "stop"
        _decide(context, snapshot, question, lambda: {"verdict": verdict, "note": note.strip()})


def _approved(context: AppContext, snapshot: Snapshot, rows: Rows) -> JsonValue:
    tasks = plan.to_tasks(rows, plan.seen(snapshot).tasks, context.service.roles)
    return {"verdict": "approve", "tasks": [task.model_dump(mode="json") for task in tasks]}


def _decide(
    context: AppContext, snapshot: Snapshot, question: Question, answer: Callable[[], JsonValue]
) -> None:
    by = str(session.get(Key.APPROVER) or "").strip() or "analyst"
    try:
        context.service.runs.answer(snapshot.run_id, question.id, answer(), by=by)
    except CallerError as mistake:
        st.error(context.markdown(mistake))
        return
    context.service.drafts.delete(draft_id(snapshot.run_id))
    for note in (Note.PLAN, f"{Note.PLAN}-rows", Note.PARTS):
        session.forget(f"{note}-{snapshot.run_id}")
    st.rerun()


def _pictures(outlook: Outlook, brief: Brief) -> None:
    """Draw the one picture that is open of what the table holds now: charts take a while."""
    if outlook.seen.problem:
        return
    drawn: Mapping[str, Callable[[], None]] = {
        "Calendar": partial(_calendar, outlook, brief),
        "Odds": partial(_odds, outlook.seen),
        "Limits": partial(ledger.draw, outlook.seen.ledger),
        "Network": partial(_network, outlook),
    }
    tabs = st.tabs(list(drawn), key=Key.PICTURE, on_change="rerun")
    for tab, draw_open in zip(tabs, drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw_open()


def _palette() -> charts.Palette:
    return charts.DARK if st.context.theme.type == "dark" else charts.LIGHT


def _calendar(outlook: Outlook, brief: Brief) -> None:
    seen = outlook.seen
    bars = charts.scheduled(outlook.tasks, seen.times, seen.critical_path)
    if not bars:
        st.caption("Without estimates there is no calendar.")
        return
    st.caption("Critical path: " + " → ".join(seen.critical_path))
    drawn = charts.gantt(bars, _palette(), seen.start, brief.closed_days)
    st.vega_lite_chart(
        spec=drawn,
        width="stretch",
        height=120 + 24 * len(bars),
        alt="When each task takes place",
    )


def _odds(seen: Preview) -> None:
    left, right = st.columns(2)
    if seen.days:
        days = charts.percentiles(seen.days, "working days", _palette(), seen.limit_days)
        left.altair_chart(days, height=260, alt="Working days by percentile")
    if seen.cost:
        title = f"cost, {seen.currency}"
        cost = charts.percentiles(seen.cost, title, _palette(), seen.limit_cost)
        right.altair_chart(cost, height=260, alt="Cost by percentile")


def _network(outlook: Outlook) -> None:
    drawn = charts.graph(outlook.tasks, _palette(), outlook.seen.critical_path)
    st.graphviz_chart(drawn, alt="The tasks and their order")


_ORDER = (
    *("id", "title", "role", "depends_on", "days_low", "days_mode", "days_high"),
    *("cost_low", "cost_mode", "cost_high"),
)


def _columns(context: AppContext, snapshot: Snapshot) -> dict[str, Any]:
    tasks = plan.seen(snapshot).tasks
    roles = sorted({*context.service.roles, *(t.role for t in tasks)})
    number = partial(st.column_config.NumberColumn, min_value=0, width=58)
    return {
        "id": st.column_config.TextColumn("Id", width=44, help="Left empty, it gets a number."),
        "title": st.column_config.TextColumn("Title", width=180),
        "role": st.column_config.SelectboxColumn("Role", options=roles, width=132),
        "depends_on": st.column_config.MultiselectColumn(
            "After",
            width=104,
            options=[t.id for t in tasks],
            accept_new_options=True,
            color="gray",
        ),
        "days_low": number("Days, low", width=84),
        "days_mode": number("likely", help="Days, most likely"),
        "days_high": number("high", help="Days, at most"),
        "cost_low": number("Cost, low", width=84),
        "cost_mode": number("likely", help="Cost, most likely"),
        "cost_high": number("high", help="Cost, at most"),
    }
