"""A folder of live, older, archived and drafted documents: what each question is answered with."""

import copy
import io
from pathlib import Path

import docx
import pypdf
import pytest
import xlsxwriter
import yaml
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from dr_rd.evidence.index import index_with
from dr_rd.evidence.ingest import read_documents

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
