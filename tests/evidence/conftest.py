"""Makers of files that tests read back."""

import docx
import pytest


def make_pdf(pages):
    """Write the smallest PDF that shows each of *pages* as lines of text."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, page in enumerate(pages):
        shown = "\n".join(f"({line}) Tj T*" for line in page.splitlines())
        stream = f"BT /F1 11 Tf 60 780 Td 15 TL\n{shown}\nET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return _pdf_file(objects)


def _pdf_file(objects):
    text, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{o:010d} 00000 n \n" for o in offsets)
    size = len(objects) + 1
    start = len(text)
    text += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    text += f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return text.encode("latin-1")


@pytest.fixture(scope="session")
def pdf_bytes():
    """Make a PDF of pages of lines."""
    return make_pdf


@pytest.fixture
def write_pdf():
    return lambda path, *pages: path.write_bytes(make_pdf(pages))


@pytest.fixture
def write_docx():
    def write(path, heading, *paragraphs, rows=()):
        document = docx.Document()
        document.add_heading(heading, 1)
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
        if rows:
            table = document.add_table(len(rows), len(rows[0]))
            for row, texts in zip(table.rows, rows, strict=True):
                for cell, text in zip(row.cells, texts, strict=True):
                    cell.text = text
        document.save(path)

    return write


@pytest.fixture
def folder(tmp_path):
    """Write texts into a folder; the keys are relative paths."""

    def write(texts):
        for path, text in texts.items():
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write
