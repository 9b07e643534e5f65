"""A result as a Word document (ECMA-376), with its figures as pictures."""

import io
import zipfile
from collections.abc import Iterable

import resvg_py
from docx import Document
from docx.document import Document as DocxDocument
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt
from docx.text.paragraph import Paragraph
from docx.text.run import Run as DocxRun

from dr_rd.report.archive import packed
from dr_rd.report.blocks import About, Block, Run, is_leftward, printable, shares

_WIDTH_CM = 16.0
_SHARPNESS = 2.0
"""Pixels of a picture for each of the figure's, so that it can be printed."""


def word(blocks: Iterable[Block], about: About) -> bytes:
    """Return the blocks as a document of A4 pages, each with its run and number below."""
    document = Document()
    page = document.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = Cm(2.5)
    document.styles["Normal"].font.size = Pt(10.5)
    core = document.core_properties
    core.title, core.author, core.comments = printable(about.title)[:255], "", ""
    core.identifier = about.run_id
    core.created = core.modified = about.made.replace(tzinfo=None)
    _foot(page.footer.paragraphs[0], about.run_id)
    for block in blocks:
        _add(document, block)
    held = io.BytesIO()
    document.save(held)
    return _undated(held.getvalue())


def _foot(paragraph: Paragraph, run_id: str) -> None:
    """Write the run and a field that Word fills with the page's number."""
    paragraph.add_run(f"Run {run_id}, page ").font.size = Pt(8)
    number = OxmlElement("w:fldSimple")
    number.set(qn("w:instr"), "PAGE")
    paragraph._p.append(number)


def _add(document: DocxDocument, block: Block) -> None:
    match block.kind:
        case "heading":
            _fill(document.add_heading(level=min(block.level, 9)), block.runs)
        case "item":
            style = "List Number" if block.label else "List Bullet"
            paragraph = document.add_paragraph(style=None if block.label else style)
            paragraph.paragraph_format.left_indent = Cm(0.7 * (block.level + 1))
            paragraph.paragraph_format.space_after = Pt(2)
            # the number as it was written: Word's own would go on through the whole document
            lead = (Run(f"{block.label} "),) if block.label else ()
            _fill(paragraph, (*lead, *block.runs))
        case "table":
            _table(document, block)
        case "figure":
            picture = bytes(resvg_py.svg_to_bytes(svg_string=block.svg, zoom=_SHARPNESS))
            shape = document.add_picture(io.BytesIO(picture), width=Cm(_WIDTH_CM))
            shape._inline.docPr.set("descr", block.label)
        case _:
            paragraph = document.add_paragraph()
            if block.level:
                paragraph.paragraph_format.left_indent = Cm(0.7 * block.level)
            _fill(paragraph, block.runs)


def _table(document: DocxDocument, block: Block) -> None:
    if not block.rows:
        return
    table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
    widths = [Cm(_WIDTH_CM * share) for share in shares(block)]
    for number, (row, given) in enumerate(zip(table.rows, block.rows, strict=True)):
        for cell, runs, width in zip(row.cells, given, widths, strict=True):
            cell.width = width
            _fill(cell.paragraphs[0], runs, bold=block.headed and number == 0)
            cell.paragraphs[0].paragraph_format.space_after = Pt(0)
    if block.headed:  # repeated on each page that the table goes on to
        mark = OxmlElement("w:tblHeader")
        table.rows[0]._tr.get_or_add_trPr().append(mark)
    document.add_paragraph().paragraph_format.space_after = Pt(0)


def _fill(paragraph: Paragraph, runs: Iterable[Run], *, bold: bool = False) -> None:
    """Write the runs; a paragraph that begins in a script read from the right is laid out so."""
    runs = tuple(runs)
    if leftward := is_leftward(runs):
        paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
    for run in runs:
        added = paragraph.add_run(run.text)
        added.bold = True if run.bold or bold else None
        added.italic = True if run.italic else None
        if run.code:
            added.font.name = "Consolas"
        if leftward:
            _mark_leftward(added)


def _mark_leftward(run: DocxRun) -> None:
    mark = OxmlElement("w:rtl")
    mark.set(qn("w:val"), "1")
    run._r.get_or_add_rPr().append(mark)


def _undated(data: bytes) -> bytes:
    """Return a document, which is a zip archive, with one date for all that is in it."""
    with zipfile.ZipFile(io.BytesIO(data)) as given:
        return packed((name, given.read(name)) for name in given.namelist())
