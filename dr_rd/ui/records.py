"""Records as a table whose cells can be read in full, on a phone too, where it scrolls by itself."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dr_rd.ui import text


def draw(rows: Sequence[Mapping[str, object]], alt: str) -> None:
    """Draw *rows*, whose values are shown as they are; *alt* says what the table holds."""
    if not rows:
        return
    with st.container(key=f"records-{text.slug(alt)}"):
        st.table(
            [{_head(name): _cell(value) for name, value in row.items()} for row in rows],
            hide_index=True,
            border="horizontal",
            alt=alt,
        )


def _head(name: str) -> str:
    words = text.plain(name.replace("_", " "))
    return words[:1].upper() + words[1:]


def _cell(value: object) -> str:
    return "–" if value is None or value == "" else text.plain(str(value))
