"""A written result by its sections: its contents, its text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dr_rd.ui import text

_SECTION = re.compile(r"^## +(.+?) *$", re.MULTILINE)
_ANNEXES = "Annexes"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text under a heading of the second level."""

    title: str
    body: str

    @property
    def anchor(self) -> str:
        """Where a link finds it."""
        return f"section-{text.slug(self.title)}"


def sections(markdown: str) -> list[Section]:
    """Return the parts of *markdown*; what stands before the first heading has no title."""
    parts = _SECTION.split(markdown)
    found = [Section("", parts[0])] if parts[0].strip() else []
    found += [Section(t, b) for t, b in zip(parts[1::2], parts[2::2], strict=True)]
    return found


def draw(markdown: str) -> None:
    """Draw the text with its contents at the side; annexes are behind a door each."""
    parts = sections(markdown)
    titled = [p for p in parts if p.title]
    if len(titled) < 2:
        st.markdown(text.safe_markdown(text.under(markdown)))
        return
    left, right = st.columns([1, 4], gap="large")
    with left, st.container(key="contents"):
        _contents(titled)
    with right:
        annexes = False
        for part in parts:
            if not part.title:
                st.markdown(text.safe_markdown(text.under(part.body)))
                continue
            st.subheader(text.plain(part.title), anchor=part.anchor)
            annexes = annexes or part.title == _ANNEXES
            body = text.safe_markdown(text.under(part.body, 3))
            if annexes and part.title != _ANNEXES:
                with st.expander(f"Read the annex: {text.plain(part.title)}"):
                    st.markdown(body)
            else:
                st.markdown(body)


def _contents(parts: Sequence[Section]) -> None:
    lines = (f"- [{text.plain(p.title)}](#{p.anchor})" for p in parts)
    st.markdown("**Contents**\n\n" + "\n".join(lines))
