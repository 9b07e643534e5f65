"""A result as Word, PDF and page, and its plan as table, workbook and calendar."""

import io
import re
import zipfile
from datetime import UTC, date, datetime

import pytest
from docx import Document
from pypdf import PdfReader

from core.errors import CallerError
from core.graph.state import Acceptance, GraphTask, ThreePoint
from dr_rd.planning.guesses import LIBRARY
from dr_rd.report import typeset
from dr_rd.report.blocks import About, Block, blocks, is_leftward, shares, with_figures, words
from dr_rd.report.plan_files import plan_csv, plan_ics, plan_xlsx
from dr_rd.report.typeset import pdf
from dr_rd.report.word import word

MADE = datetime(2027, 2, 1, 9, 30, tzinfo=UTC)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><title>A bar</title><rect width="20" height="10"/></svg>'
TEXT = """# Wear of bearings

Costs **12 EUR**, see `a_b`
and [the norm](https://example.org/x).

- first
  1. inner
- second

| | |
|---|---|
| **Time** | 3 months |

| Task | Likelihood |
|---|---|
| T01 #let x = 1 | $y$ |

```
x < y
```

## Annexes

More.
"""


def task(task_id: str, **changed) -> GraphTask:
    return GraphTask(id=task_id, role="chemist", title=changed.pop("title", "Weigh"), **changed)


def described(read: list[Block]) -> list[tuple[str, str]]:
    return [(b.kind, words(b.runs)) for b in read]


def test_a_text_is_read_as_blocks_with_the_looks_of_its_words():
    read = blocks(TEXT)
    assert described(read)[:5] == [
        ("heading", "Wear of bearings"),
        ("paragraph", "Costs 12 EUR, see a_b and the norm (https://example.org/x)."),
        ("item", "first"),
        ("item", "inner"),
        ("item", "second"),
    ]
    assert [(b.level, b.label) for b in read if b.kind == "item"] == [(0, ""), (1, "1."), (0, "")]
    assert [r.text for r in read[1].runs if r.bold] == ["12 EUR"]
    assert [r.text for r in read[1].runs if r.code] == ["a_b"]


def test_a_table_without_a_head_has_none():
    bare, headed = (b for b in blocks(TEXT) if b.kind == "table")
    assert [words(cell) for cell in bare.rows[0]] == ["Time", "3 months"] and not bare.headed
    assert [words(cell) for cell in headed.rows[0]] == ["Task", "Likelihood"] and headed.headed


def test_figures_stand_before_the_annexes_or_at_the_end():
    read = with_figures(blocks(TEXT), [SVG], before="Annexes")
    assert [b.kind for b in read][-3:] == ["figure", "heading", "paragraph"]
    assert with_figures(blocks("One."), [SVG], before="Annexes")[-1].kind == "figure"


def test_a_column_has_room_for_its_longest_word():
    long = "a sentence that goes on and on until the line is full " * 4
    (table,) = blocks(f"| Task | Likelihood | Why |\n|---|---|---|\n| T01 | high | {long} |\n")
    narrow, middle, wide = shares(table)
    assert 0.10 < middle < wide and narrow < middle
    assert sum(shares(table)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "leftward"),
    [("مرحبا 12 m", True), ("12 שלום", True), ("a שלום", False), ("12", False)],
)
def test_a_text_goes_from_the_right_if_its_first_letter_does(text: str, leftward: bool):
    assert is_leftward(blocks(text)[0].runs) is leftward


def test_a_word_file_holds_headings_tables_and_figures_and_is_the_same_twice():
    read = with_figures(blocks(TEXT), [SVG], before="Annexes")
    made = word(read, About("Wear", "r-1", MADE))
    assert made == word(read, About("Wear", "r-1", MADE))
    document = Document(io.BytesIO(made))
    assert [p.text for p in document.paragraphs if p.style.name.startswith("Heading")] == [
        "Wear of bearings",
        "Annexes",
    ]
    assert [[c.text for c in row.cells] for row in document.tables[1].rows][1] == [
        "T01 #let x = 1",
        "$y$",
    ]
    assert [s._inline.docPr.get("descr") for s in document.inline_shapes] == ["A bar"]
    assert document.core_properties.created == MADE
    assert document.sections[0].footer.paragraphs[0].text == "Run r-1, page "


def test_words_from_the_right_are_marked_so_in_word():
    made = word(blocks("مرحبا\n\nHello\n"), About("", "r-1", MADE))
    inside = zipfile.ZipFile(io.BytesIO(made)).read("word/document.xml").decode()
    assert inside.count("<w:bidi/>") == 1 and inside.count("<w:rtl ") == 1


def test_a_control_character_does_not_stop_a_word_file():
    made = word(blocks("a\x01b\ufffe"), About("t\x02", "r-1", MADE))
    assert "ab" in Document(io.BytesIO(made)).paragraphs[0].text


def test_a_pdf_is_archivable_has_a_date_and_computes_nothing_of_its_texts():
    read = with_figures(blocks(TEXT), [SVG], before="Annexes")
    made = pdf(read, About("Wear", "r-1", MADE))
    assert made == pdf(read, About("Wear", "r-1", MADE))
    read_back = PdfReader(io.BytesIO(made))
    text = "".join(page.extract_text() for page in read_back.pages)
    assert "#let x = 1" in text and "$y$" in text and "x < y" in text
    assert "Run r-1" in text and "1 / 1" in text
    assert read_back.metadata is not None and read_back.metadata.title == "Wear"
    assert b"pdfaid:part" in made or b"<pdfaid:part>2" in made


def test_control_characters_hide_no_missing_font():
    made = pdf(blocks("# \x07Egyptian\ufffe \U00013000"), About("", "r-1", MADE))
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(made)).pages)
    assert "U+13000" in text and "U+005C" not in text


def test_a_character_that_no_font_shows_is_named_with_a_font_that_does():
    made = pdf(
        blocks("# Egyptian \U00013000\n\nMore."), About("", "r-1", MADE)
    )  # no usual font has hieroglyphs
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(made)).pages)
    assert "U+13000" in text and "Install" in text and "More." in text


def test_without_the_extra_a_pdf_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(typeset, "find_spec", lambda name: None)
    with pytest.raises(CallerError, match=r"pip install 'dr-rd\[pdf\]'"):
        pdf(blocks("One."), About("", "r-1", MADE))


def test_a_plan_s_table_computes_nothing_in_a_spreadsheet():
    points = ThreePoint(low=1, mode=2, high=3)
    raw = plan_csv([task("T01", title="=cmd()", duration_days=points)]).decode("utf-8-sig")
    head, line = raw.splitlines()
    assert head.startswith("id,title,role,after,days low,days likely,days high,cost low")
    assert line.startswith("T01,'=cmd(),chemist,,1.0,2.0,3.0,,,")


def test_a_workbook_has_numbers_sums_and_no_other_formula():
    points = ThreePoint(low=1, mode=2, high=3)
    done = (Acceptance(text="https://example.org"),)
    guess = {"cost": points, "source": f"a{LIBRARY}b"}
    tasks = [
        task("T01", title="=cmd()", duration_days=points, acceptance=done, **guess),
        task("T02"),
    ]
    made = plan_xlsx(tasks, [("C01", "constraint", "@SUM(1)")])
    assert made == plan_xlsx(tasks, [("C01", "constraint", "@SUM(1)")])
    inside = zipfile.ZipFile(io.BytesIO(made))
    sheets = [inside.read(f"xl/worksheets/sheet{k}.xml").decode() for k in (1, 2)]
    assert re.findall(r"<f>(.*?)</f>", sheets[0]) == ["SUM(H2:H3)", "SUM(I2:I3)", "SUM(J2:J3)"]
    assert "<f>" not in sheets[1] and "hyperlink" not in sheets[0]
    assert '<c r="F2"' in sheets[0] and "<v>2</v>" in sheets[0]
    assert {"=cmd()", "guess"} <= set(
        re.findall(r">([^<]+)</t>", inside.read("xl/sharedStrings.xml").decode())
    )
    assert "=cmd()" in inside.read("xl/sharedStrings.xml").decode()


def test_a_calendar_has_the_days_of_each_task_the_last_included():
    days = [(task("T01", title="Weigh, then dry"), date(2027, 3, 1), date(2027, 3, 8))]
    raw = plan_ics(days, run_id="r-1", made=MADE).decode()
    assert "DTSTART;VALUE=DATE:20270301\r\nDTEND;VALUE=DATE:20270309\r\n" in raw
    assert "SUMMARY:T01 Weigh\\, then dry" in raw and "DTSTAMP:20270201T093000Z" in raw
