"""Help: a tour of the workbench in steps, and what its words mean."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import streamlit as st

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.ui.session import Key


class Step(Frozen):
    """One step of the tour, and the page on which it is taken."""

    title: str
    text: str
    page: Literal["new", "runs"]


class Help(Frozen):
    """What the help says; `data/help/help.yaml`."""

    tour: tuple[Step, ...]
    glossary: Mapping[str, str]


@cache
def read_help() -> Help:
    """Return the help as it ships."""
    return Help.model_validate(read_yaml("help", "help.yaml"))


def draw(pages: Mapping[str, Any]) -> None:
    """Draw the tour, and the glossary with a box to search it."""
    said = read_help()
    st.title("Help")
    st.header("From a brief to a proposal in two minutes")
    for number, step in enumerate(said.tour, start=1):
        st.markdown(f"**{number}. {step.title}.** {step.text}")
    with st.container(horizontal=True):
        st.page_link(pages["new"], label="Begin with the sample")
        st.page_link(pages["runs"], label="All runs")
    st.header("Words")
    asked = st.text_input("Find a word", key=Key.WORD, placeholder="P80, gate, support …")
    terms = matching(said.glossary, asked)
    if not terms:
        st.write("No word here is like that.")
    st.markdown("\n".join(f"- **{term}**: {meaning}" for term, meaning in terms.items()))


def matching(glossary: Mapping[str, str], asked: str) -> dict[str, str]:
    """Return the terms that have the words asked for, those with them in their name first."""
    words = asked.casefold().split()
    named = {t: m for t, m in glossary.items() if all(w in t.casefold() for w in words)}
    whole = {t: m for t, m in glossary.items() if all(w in f"{t} {m}".casefold() for w in words)}
    return {**named, **whole}
