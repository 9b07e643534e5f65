"""A folder of live, older, archived and drafted documents: what each question is answered with."""

import copy
import io
from datetime import date
from functools import partial
from pathlib import Path

import docx
import numpy as np
import pypdf
import pytest
import xlsxwriter
import yaml
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from dr_rd.evidence.agreement import disputed
from dr_rd.evidence.index import index_with
from dr_rd.evidence.ingest import read_documents
from dr_rd.tools.context import PlanContext
from dr_rd.tools.evidence_table import SPEC, EvidenceTable, evidence_tool

DATA = Path(__file__).parents[1] / "data" / "answers"


def word_file(path, spec):
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = spec["header"]
    for block in spec["blocks"]:
        add_block(document, block)
    if "textbox" in spec:
        document.paragraphs[-1]._p.append(text_box(spec["textbox"]))
    if "second_body" in spec:
        other = docx.Document()
        for block in spec["second_body"]:
            add_block(other, block)
        document.element.append(copy.deepcopy(other.element.body))
    document.save(path)


def add_block(document, block):
    ((kind, value),) = block.items()
    if kind == "table":
        add_table(document, value)
    elif kind == "p":
        document.add_paragraph(value)
    else:
        document.add_heading(value, int(kind[1]))


def add_table(parent, rows):
    table = parent.add_table(len(rows), len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            if isinstance(text, dict):
                add_table(cell, text["table"])
            else:
                cell.text = text


def text_box(text):
    return parse_xml(
        f"<w:r {nsdecls('w')} xmlns:v='urn:schemas-microsoft-com:vml'><w:pict><v:shape><v:textbox>"
        f"<w:txbxContent><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:txbxContent>"
        "</v:textbox></v:shape></w:pict></w:r>"
    )


def excel_file(path, spec):
    with xlsxwriter.Workbook(path) as book:
        for name, rows in spec["sheets"].items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, [str(c) if hasattr(c, "year") else c for c in row])


def pdf_file(path, spec, pdf_bytes):
    writer = pypdf.PdfWriter(
        clone_from=io.BytesIO(pdf_bytes(["\n".join(p) for p in spec["pages"]]))
    )
    if "owner_password" in spec:
        writer.encrypt("", spec["owner_password"], algorithm="AES-128")
    writer.write(path)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, pdf_bytes):
    folder = tmp_path_factory.mktemp("documents")
    for source in (DATA / "folder").rglob("*.*"):
        target = folder / source.relative_to(DATA / "folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    for name, spec in yaml.safe_load((DATA / "built.yaml").read_text("utf-8")).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".docx":
            word_file(path, spec)
        elif path.suffix == ".xlsx":
            excel_file(path, spec)
        else:
            pdf_file(path, spec, pdf_bytes)
    return read_documents([folder])


def questions(name):
    return yaml.safe_load((DATA / name).read_text("utf-8"))


SEEN, HELD_BACK = questions("questions.yaml"), questions("questions_held_back.yaml")


@pytest.fixture(scope="module")
def index(corpus):
    return index_with(corpus, None)


def text(section):
    return " ".join(" ".join(p.text.split()) for p in section.passages)


def is_right(corpus, question, answered):
    """Whether the first answer is the labelled passage; that there is none, where none is."""
    if "document" not in question:
        return not answered.current
    first = next(iter(answered.current), None)
    return (
        first is not None
        and corpus.document_of(first.passages[0]).path == question["document"]
        and question["passage"] in text(first)
    )


@pytest.mark.parametrize(("asked", "fewest"), [(SEEN, 16), (HELD_BACK, 8)], ids=["seen", "held"])
def test_the_first_answer_is_the_labelled_one(corpus, index, asked, fewest):
    assert sum(is_right(corpus, q, index.answered(q["ask"])) for q in asked) >= fewest


def test_nothing_stale_is_among_what_holds(corpus, index):
    for q in (*SEEN, *HELD_BACK):
        for section in index.answered(q["ask"]).current[:1]:
            assert not [s for s in q.get("stale", ()) if s in text(section)], q["ask"]
        for section in index.answered(q["ask"]).current:
            assert {corpus.status_of(p) for p in section.passages} == {"live"}


def test_what_answers_leads_the_search_whatever_is_nearest_in_meaning(corpus):
    class Misled:
        """An embedder that thinks everything is about the canteen."""

        def query(self, text):
            return np.ones(1, np.float32)

        def passage(self, texts):
            return np.array([["Canteen" in t] for t in texts], np.float32)

    index = index_with(corpus, Misled())
    hits = index.search("Until when the permit for the reef is valid", 3)
    assert "31 December 2029" in hits[0].passage.text
    assert hits[0].answers
    assert not hits[-1].answers


def test_a_criterion_has_the_facts_found_and_only_silence_is_called_silence(corpus, index):
    tool = evidence_tool(corpus, index, partial(disputed, corpus))
    asked = {"C1": "Funding history", "C2": "Insurance cover of the laboratory building"}
    out = tool.run(EvidenceTable(claims=[{"id": k, "text": v} for k, v in asked.items()]))
    assert [r["claim"] for r in out["rows"]] == ["C1"] * 3
    assert {r["document"] for r in out["rows"]} == {"centre/funding.md"}
    assert out["agreement"] == {"C1": "no values to compare", "C2": "no source"}
    shown = SPEC.shown("T01-1", out, PlanContext(), short=False)
    assert "“Years: 2023–2027; Source: Science ministry" in shown
    assert "No document speaks of C2." in shown


def test_a_criterion_of_which_only_stale_documents_speak_says_so(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.md").write_text("# Rates\n\n## Overheads\n\nThe rate is 15 %.\n")
    (tmp_path / "b.md").write_text("# Kitchen\n\nSoup is served at noon.\n")
    corpus = read_documents([tmp_path])
    tool = evidence_tool(corpus, index_with(corpus, None), partial(disputed, corpus))
    out = tool.run(EvidenceTable(claims=[{"id": "C1", "text": "The overhead rate"}]))
    assert [r["status"] for r in out["rows"]] == ["archive"]
    assert out["agreement"] == {"C1": "only sources that no longer hold"}


# --- What is read, and what it says of itself ----------------------------------------------


def in_document(corpus, path):
    own = next(d for d in corpus.documents if d.path == path)
    return own, {p.text: p for p in corpus.passages if p.document_id == own.id}


def test_word_files_are_read_to_the_last_box(corpus):
    _, found = in_document(corpus, "knee/protocol.docx")
    assert "STRIDE knee trial, protocol, in force" in found  # the header
    assert any("555-0142" in text for text in found)  # the text box
    inner = found["Test: Forty-metre walk; Unit: m/s"]  # the table in a table
    assert inner.heading[-2:] == ("Endpoints", "Function")
    _, found = in_document(corpus, "centre/handbook.docx")
    assert any("Nobody dives alone" in text for text in found)  # the second body


def test_a_pdf_that_only_its_owner_may_change_is_read(corpus):
    _, found = in_document(corpus, "reef/permit.pdf")
    assert any("31 December 2029" in text for text in found)
    (conditions,) = {p.heading for t, p in found.items() if "herring" in t}
    assert conditions == ("Conditions",)


def test_a_sheet_that_says_it_is_superseded_is_and_the_others_hold(corpus):
    own, found = in_document(corpus, "knee/costs.xlsx")
    assert own.status == "live"
    assert {p.heading: corpus.status_of(p) for p in found.values()} == {
        ("Prices 2026",): "live",
        ("Prices 2024 (superseded)",): "superseded",
    }


def test_what_is_left_out_of_a_workbook_is_said(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        first, hidden = book.add_worksheet("Costs"), book.add_worksheet("Notes")
        for number, row in enumerate([["Item", "Price"], ["Pump", 40], ["Hose", 1.25]]):
            first.write_row(number, 0, row)
        first.write_comment("A2", "ask again")
        hidden.write("A1", "secret")
        hidden.hide()
        chart = book.add_chart({"type": "column"})
        chart.add_series({"values": "=Costs!$B$2:$B$3"})
        first.insert_chart("D2", chart)
    corpus = read_documents([tmp_path])
    assert [p.text for p in corpus.passages] == [
        "Item: Pump; Price: 40",
        "Item: Hose; Price: 1.25",
    ]
    (said,) = corpus.refused
    assert "1 chart" in said.reason
    assert "comments" in said.reason
    assert "'Notes', which is hidden" in said.reason


@pytest.mark.parametrize(
    ("name", "text", "day"),
    [
        ("a.md", "# Minutes\n\nMeeting of 17 September 2026, by video.", date(2026, 9, 17)),
        ("a.html", "<h1>M</h1><p>Manual, issued March 2026. It replaces A.", date(2026, 3, 1)),
        (
            "a.html",
            "<meta name=date content=2020-01-01><p>Updated 3 May 2024</p><p>Text.",
            date(2024, 5, 3),
        ),
    ],
)
def test_the_day_of_a_document_is_read_from_its_text_before_its_properties(
    tmp_path, name, text, day
):
    (tmp_path / name).write_text(text, "utf-8")
    assert read_documents([tmp_path]).documents[0].dated == day


def test_a_withdrawn_document_names_what_holds_in_its_stead(corpus):
    withdrawn, _ = in_document(corpus, "centre/records-policy.md")
    handbook, _ = in_document(corpus, "centre/handbook.docx")
    assert (withdrawn.status, withdrawn.superseded_by) == ("superseded", handbook.id)


def test_words_of_the_subject_make_nothing_stale(corpus):
    status = {d.path: d.status for d in corpus.documents}
    assert status["centre/canteen.md"] == status["reef/vessel.md"] == "live"
    assert status["reef/plan-2027.md"] == "draft"
    assert status["reef/archive/report-2022.pdf"] == "archive"
