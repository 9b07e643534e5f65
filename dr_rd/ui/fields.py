"""The form's fields: what was understood of a brief, each corrected, added or dropped in place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any

import streamlit as st

from core.errors import CallerError
from dr_rd.families import GENERIC
from dr_rd.planning.choice import Choice
from dr_rd.study import Statistics
from dr_rd.tools.sample_size import needed
from dr_rd.ui import session, text
from dr_rd.ui.form import (
    ClosedRow,
    Faults,
    FigureRow,
    Form,
    LimitRow,
    PersonRow,
    statistics_of,
)
from dr_rd.ui.session import Key, Note

_LINES: Mapping[str, Key] = {
    "objective": Key.OBJECTIVE,
    "budget": Key.BUDGET,
    "start": Key.BEGIN,
    "deadline": Key.DEADLINE,
    "covers": Key.COVERS,
    "risk": Key.RISK,
    "directions": Key.DIRECTIONS,
    "project": Key.PROJECT,
    "family": Key.FAMILY,
    "unit": Key.UNIT,
    "treatment": Key.TREATMENT,
    "comparator": Key.COMPARATOR,
    "outcome": Key.OUTCOME,
    "measure": Key.MEASURE,
    "place": Key.PLACE,
    "data": Key.DATA,
    "pace": Key.PACE,
    "waits": Key.WAITS,
    "prices": Key.PRICES,
}
"""Fields of a form that are one widget each."""

_TABLES: Mapping[str, Any] = {
    "limits": LimitRow,
    "people": PersonRow,
    "closed": ClosedRow,
    "figures": FigureRow,
}
"""Fields of a form that are lists, with what a row of each holds."""

_KINDS = {"constraint": "must hold", "criterion": "succeeds when", "ban": "not allowed"}
_COVERS = {"unsaid": "not said", "direct": "no, direct costs only", "all": "yes, all costs"}


def put_form(form: Form) -> None:
    """Fill the widgets with *form*; only before they are drawn."""
    lines = {key: getattr(form, name) for name, key in _LINES.items()}
    lines[Key.FAMILY] = form.family or None
    held = {key: (session.get(key), value) for key, value in lines.items()}
    changed = {key: (before, value) for key, (before, value) in held.items() if before != value}
    session.put(Note.FILLED, (True, changed))
    for key, value in lines.items():
        session.put(key, value)
    for table in _TABLES:
        _drop_rows(table)
        for row in getattr(form, table):
            _append(table, row)


def hold_filled() -> None:
    """Put back what a form was filled with where a browser has sent what stood there before.

    It sends all fields with each change, and may do so before it has been told of the new ones. By
    hand only one of them is changed at a time.
    """
    filling, changed = session.get(Note.FILLED, (False, {}))
    undone = [key for key, (before, _) in changed.items() if session.get(key) == before]
    if len(undone) > 1:
        for key in undone:
            session.put(key, changed[key][1])
    elif filling:
        session.put(Note.FILLED, (False, changed))
    else:
        session.forget(Note.FILLED)


def get_form() -> Form:
    """Return what the widgets hold."""
    empty = Form()
    lines: dict[str, Any] = {
        name: session.get(key, getattr(empty, name)) for name, key in _LINES.items()
    }
    lines["family"] = lines["family"] or ""
    tables: dict[str, Any] = {table: _rows(table) for table in _TABLES}
    return Form(**lines, **tables)


def _rows(table: str) -> list[Any]:
    make, held = _TABLES[table], []
    for number in _numbers(table):
        keys = {f.name: session.row_key(table, number, f.name) for f in fields(make)}
        held.append(make(**{n: session.get(k, getattr(make(), n)) for n, k in keys.items()}))
    return held


def _numbers(table: str) -> list[int]:
    return list(session.get(Note.ROWS, {}).get(table, []))


def _set_numbers(table: str, numbers: Sequence[int]) -> None:
    session.put(Note.ROWS, {**session.get(Note.ROWS, {}), table: list(numbers)})


def _append(table: str, row: Any) -> None:  # noqa: ANN401 - a row of that table
    taken = _numbers(table)
    number = session.get(Note.NEXT_ROW, 0)
    session.put(Note.NEXT_ROW, number + 1)
    for column, value in zip(fields(row), astuple(row), strict=True):
        session.put(session.row_key(table, number, column.name), value)
    _set_numbers(table, [*taken, number])


def _drop(table: str, number: int) -> None:
    _set_numbers(table, [n for n in _numbers(table) if n != number])
    for column in fields(_TABLES[table]):
        session.forget(session.row_key(table, number, column.name))


def _drop_rows(table: str) -> None:
    for number in _numbers(table):
        _drop(table, number)


def draw(
    faults: Faults, choice: Choice | None, missing: Mapping[str, str], parts: Mapping[str, str]
) -> None:
    """Draw the form; *missing* names what a start lacks, *parts* what the text says, by field."""
    st.text_area("Objective", key=Key.OBJECTIVE, height="content", placeholder="Test whether …")
    _fault(faults.at("objective") or missing.get("objective", ""))
    _terms(faults)
    _family(choice, missing.get("family", ""))
    _question(faults, parts)
    _limits()
    _people(faults)
    _figures(faults)
    with st.expander("Directions, risk and project", key=f"{Key.PROJECT}-more"):
        st.text_area(
            "Directions to compare, one per line",
            key=Key.DIRECTIONS,
            height="content",
            placeholder="cluster-randomised trial",
        )
        risks = ["low", "medium", "high"]
        st.segmented_control("Acceptable risk", risks, required=True, key=Key.RISK)
        st.text_input("Project", key=Key.PROJECT, help="The folder that its runs are kept in.")
    _fault(faults.at("project"))


def _fault(sentence: str) -> None:
    if sentence:
        st.error(text.plain(sentence))


def _terms(faults: Faults) -> None:
    given = (
        ("budget", Key.BUDGET, "Budget", "such as 45,000 GBP"),
        ("start", Key.BEGIN, "Start", "such as 1 March 2027"),
        ("deadline", Key.DEADLINE, "Deadline", "such as 18 months"),
    )
    for column, (name, key, label, example) in zip(st.columns(3), given, strict=True):
        with column:
            st.text_input(label, key=key, placeholder=example)
            _fault(faults.at(name))


def _family(choice: Choice | None, missing: str) -> None:
    """Show which design the text asks for, the likeliest three where none is sure."""
    if choice is None:
        session.propose(Key.FAMILY, None)
        return
    likely = choice.considered or choice.ranking[:3]
    options = {m.family: f"{m.design} ({m.score:.0%}): {m.why}" for m in likely}
    options[GENERIC] = "none of these: a generic study, whose first step is to choose"
    named = session.get(Key.FAMILY)
    if named:
        options.setdefault(named, str(named).replace("_", " "))
    sure = "" if choice.asks else f"{likely[0].design}, for {likely[0].why}"
    st.selectbox(
        "Design" if sure else "Which design does the brief ask for?",
        list(options),
        index=None,
        format_func=lambda family: options.get(family, family),
        key=Key.FAMILY,
        placeholder=sure or "Its text leaves this open: choose one",
    )
    _fault(missing)


_PARTS = (
    ("unit", Key.UNIT, "Studied unit", "colonies"),
    ("treatment", Key.TREATMENT, "What is tried", "formic strip"),
    ("comparator", Key.COMPARATOR, "Compared with", "thymol trays"),
    ("outcome", Key.OUTCOME, "Measured outcome", "share of mites killed"),
    ("measure", Key.MEASURE, "Instrument or procedure", "weekly board count"),
    ("place", Key.PLACE, "Place", "14 apiaries at Uelzen"),
    ("data", Key.DATA, "Data that exist", "register of 2024"),
)
_EACH = (
    ("pace", Key.PACE, "Pace", "24 a day"),
    ("waits", Key.WAITS, "Times that nobody can hurry", "28 days exposure"),
    ("prices", Key.PRICES, "Price of one", "6.80 EUR strip"),
)


def _question(faults: Faults, read: Mapping[str, str]) -> None:
    """Draw the parts of the question, each with what is *read* of it, and what one unit takes."""
    named = [name for name, *_ in (*_PARTS, *_EACH)]
    held = sum(bool(str(session.get(_LINES[name], "")).strip()) for name in named)
    wrong = any(faults.at(name) for name in named)
    title = "The question, and what one unit takes"
    with st.expander(f"{title} ({held})" if held else title, expanded=bool(held) or wrong):
        st.caption("What is empty is taken from the text; what is written here goes before it.")
        _cells(_PARTS, faults, read)
        _cells(_EACH, faults, {})


def _cells(
    cells: Sequence[tuple[str, Key, str, str]], faults: Faults, read: Mapping[str, str]
) -> None:
    for start in range(0, len(cells), 2):
        row = cells[start : start + 2]
        for column, (name, key, label, example) in zip(st.columns(2), row, strict=False):
            with column:
                st.text_input(label, key=key, placeholder=f"such as {example}")
                if read.get(name) and not session.get(key):
                    st.caption(f"From the text: {text.plain(read[name])}")
                _fault(faults.at(name))


def _limits() -> None:
    st.markdown("**Limits**", help="What must hold, when it succeeds, and what is not allowed.")
    for position, number in enumerate(_numbers("limits"), 1):
        with st.container(horizontal=True, wrap=False, vertical_alignment="top", gap="xsmall"):
            st.markdown(f"{position}", width=22)
            st.text_area(
                f"Limit {position}",
                key=session.row_key("limits", number, "text"),
                height="content",
                label_visibility="collapsed",
            )
            st.selectbox(
                f"Kind of limit {position}",
                list(_KINDS),
                format_func=lambda kind: _KINDS.get(kind, kind),
                key=session.row_key("limits", number, "kind"),
                label_visibility="collapsed",
                width=142,
            )
            _drop_button("limits", number, f"limit {position}")
    st.button(
        "Add a limit", key=f"{Key.ADD}-limits", on_click=_append, args=("limits", LimitRow())
    )


def _people(faults: Faults) -> None:
    held = len(_numbers("people")) + len(_numbers("closed"))
    wrong = any(name.startswith(("people.", "closed.")) for name in faults.by_field)
    title = f"People and days without work ({held})" if held else "People and days without work"
    with st.expander(title, expanded=bool(held) or wrong):
        for position, number in enumerate(_numbers("people")):
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
                at = _at("people", number)
                st.text_input("Role", key=at("role"), width=140)
                st.number_input("Count", 1, 1000, step=1, key=at("count"), width=70)
                st.number_input("% of week", 1, 100, step=5, key=at("share"), width=85)
                st.text_input("Rate", key=at("rate"), width=125, placeholder="450 EUR a day")
                _drop_button("people", number, f"person {position + 1}")
            _fault(faults.at(f"people.{position}"))
        for position, number in enumerate(_numbers("closed")):
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
                at = _at("closed", number)
                st.text_input("Closed from", key=at("first"), width=115, placeholder="2027-07-12")
                st.text_input("To", key=at("last"), width=115, placeholder="2027-08-20")
                st.text_input("Why", key=at("what"), width=190)
                _drop_button("closed", number, f"closed period {position + 1}")
            _fault(faults.at(f"closed.{position}"))
        with st.container(horizontal=True):
            st.button(
                "Add a person",
                key=f"{Key.ADD}-people",
                on_click=_append,
                args=("people", PersonRow()),
            )
            st.button(
                "Add days without work",
                key=f"{Key.ADD}-closed",
                on_click=_append,
                args=("closed", ClosedRow()),
            )
        st.radio(
            "Must the budget pay staff?",
            list(_COVERS),
            format_func=lambda covers: _COVERS.get(covers, covers),
            key=Key.COVERS,
            horizontal=True,
        )


def _at(table: str, number: int) -> Callable[[str], str]:
    return lambda column: session.row_key(table, number, column)


def _figures(faults: Faults) -> None:
    numbers, rows = _numbers("figures"), _rows("figures")
    title = f"Figures for the sample size ({len(rows)})" if rows else "Figures for the sample size"
    with st.expander(title, expanded=bool(rows)):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for position, (number, row) in enumerate(zip(numbers, rows, strict=True)):
                with st.container(width=210):
                    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
                        label = row.name.replace("_", " ").capitalize()
                        st.text_input(
                            label, key=session.row_key("figures", number, "value"), width=150
                        )
                        _drop_button("figures", number, label)
                    _fault(faults.at(f"figures.{position}"))
        free = [n for n in Statistics.model_fields if n not in {row.name for row in rows}]
        st.selectbox(
            "Add a figure",
            free,
            index=None,
            format_func=lambda name: name.replace("_", " "),
            key=Key.FIGURE,
            on_change=_add_figure,
            placeholder="power, alpha, effect, …",
        )
        st.caption(text.plain(_needed(rows)))


def _add_figure() -> None:
    if name := session.get(Key.FIGURE):
        _append("figures", FigureRow(str(name)))
        session.put(Key.FIGURE, None)


def _needed(rows: Sequence[FigureRow]) -> str:
    """Say which sample size follows from the figures."""
    try:
        stated = statistics_of(rows)
    except CallerError:
        return ""
    if stated == Statistics():
        return "The brief states none; the plan then assumes them and says so."
    size = needed(stated)
    if size.n:
        return f"From these follows: {size.n:,} {size.per}."
    return f"No sample size follows yet: {size.why_not}"


def _drop_button(table: str, number: int, what: str) -> None:
    st.button(
        "✕",
        key=f"{Key.DROP}-{table}-{number}",
        help=f"Drop {what}",
        on_click=_drop,
        args=(table, number),
        type="tertiary",
    )


def append_limit(row: LimitRow) -> None:
    """Add a limit to the form."""
    _append("limits", row)
