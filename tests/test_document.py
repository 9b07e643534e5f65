"""The one reader of Markdown: blocks, tables and sentences with their places."""

import pytest

from dr_rd.text.document import document, sentence_spans

TEXT = """# Limits of bus lanes

Out of scope:
- No trams. No
  ferries, either.

## Costs

We pay **two** clerks
for a year. Then we stop.

Table of costs

| Item | Cost |
|---|---|
| Clerks | 100 |
| **Total** | 120 |

> quoted
> twice
"""


def test_every_block_stands_where_it_says():
    read = document(TEXT)
    said = [(b.kind, TEXT[b.start : b.end]) for b in read.blocks]
    assert said == [
        ("heading", "Limits of bus lanes"),
        ("item", "No trams. No\n  ferries, either."),
        ("heading", "Costs"),
        ("prose", "We pay **two** clerks\nfor a year. Then we stop."),
        ("prose", "Table of costs"),
        ("row", "Item | Cost"),
        ("row", "Clerks | 100"),
        ("row", "**Total** | 120"),
        ("quote", "quoted"),
        ("quote", "twice"),
    ]


def test_a_title_is_no_heading_of_what_stands_under_it_and_a_label_leads_in():
    item, *_, row, _ = (b for b in document(TEXT).blocks if b.kind in ("item", "row", "quote"))
    assert (item.headings, item.label, row.headings) == ((), "Out of scope", ("Costs",))


def test_a_table_has_a_head_and_a_caption():
    (table,) = document(TEXT).tables
    assert table.head == ("Item", "Cost")
    assert table.caption == "Table of costs"
    assert [tuple(c.text for c in r.cells) for r in table.rows] == [("Clerks", "100"), ("**Total**", "120")]  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_sentences_are_cut_alike_whatever_ends_a_line(end):
    text = TEXT.replace("\n", end)
    cut = [
        text[a:b].split()
        for block in document(text).blocks
        for a, b in sentence_spans(text, block)
    ]
    assert ["Then", "we", "stop."] in cut
    assert ["We", "pay", "**two**", "clerks", "for", "a", "year."] in cut
