"""Each limit of a brief with its verdict and the whole sentence that decides it."""

from collections.abc import Sequence

import streamlit as st

from dr_rd.checks import LedgerVerdict
from dr_rd.ui import tables, text

_COLOURS = {"✗": "red", "✓": "green", "○": "blue", "?": "orange"}


def draw(verdicts: Sequence[LedgerVerdict]) -> None:
    """Draw the limits, the violated ones first; nothing is cut off."""
    lines = tables.ledger(verdicts)
    if not lines:
        st.caption("The brief sets no limits.")
        return
    rows = [
        {
            "Limit": f"**{line['id']}** {text.plain(line['item'])}",
            "Verdict": _verdict(line["verdict"]),
            "What decides it": text.plain(line["why"]),
        }
        for line in lines
    ]
    st.table(rows, hide_index=True, border="horizontal")


def _verdict(words: str) -> str:
    colour = _COLOURS.get(words[:1])
    return f":{colour}[**{words}**]" if colour else words
