"""Reading documents: every format, every bad file, the same ids every time."""

import os
import socket
import zipfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CallerError
from dr_rd.evidence.chunks import LONGEST, joined, pieces
from dr_rd.evidence.dates import first_date
from dr_rd.evidence.extract import ENDINGS, Block
from dr_rd.evidence.files import MAX_BYTES
from dr_rd.evidence.formats import PARSERS
from dr_rd.evidence.ingest import read_documents
from dr_rd.evidence.words import sentences

BENCH = Path(__file__).parents[2] / "bench" / "evidence" / "documents"


def texts(corpus):
    return [p.text for p in corpus.passages]


def reasons(corpus):
    return {r.path: r.reason for r in corpus.refused}


def test_markdown_keeps_headings_and_table_rows(folder):
    root = folder({"a.md": "# Top\n\n## Sub\n\nOne *bold* fact. Two.\n\n|N|V|\n|-|-|\n|x|3 mm|\n"})
    prose, row = read_documents([root]).passages
    assert (prose.text, prose.heading, prose.row) == ("One bold fact. Two.", ("Top", "Sub"), None)
    assert (row.text, row.heading, row.row) == ("N: x; V: 3 mm", ("Top", "Sub"), 1)


def test_html_loses_scripts_and_menus_and_keeps_rows(folder):
    page = (
        "<title>T</title><script>bad()</script><nav>menu</nav><h1>H</h1><p>A <b>fact</b>.</p>"
        "<table><tr><th>N<th>V<tr><td>x<td>3</table><!-- hidden -->"
    )
    corpus = read_documents([folder({"a.html": page})])
    assert texts(corpus) == ["A fact.", "N: x; V: 3"]
    assert corpus.documents[0].title == "T"


def test_csv_rows_stay_whole_whatever_separates_them(folder):
    root = folder({"a.csv": 'n,v\n"x, y",3\n', "b.csv": "n;v\nx;3,5\nz;4,5\n"})
    assert texts(read_documents([root])) == ["n: x, y; v: 3", "n: x; v: 3,5", "n: z; v: 4,5"]


def test_pdf_passages_carry_their_page_and_never_cross_it(tmp_path, write_pdf):
    write_pdf(tmp_path / "a.pdf", "First page.", "Second page.")
    found = [(p.page, p.text) for p in read_documents([tmp_path]).passages]
    assert found == [(1, "First page."), (2, "Second page.")]


def test_word_files_give_headings_paragraphs_and_rows(tmp_path, write_docx):
    write_docx(tmp_path / "a.docx", "Limits", "Keep it dry.", rows=[("n", "v"), ("x", "3")])
    found = [(p.heading, p.text) for p in read_documents([tmp_path]).passages]
    assert found == [(("Limits",), "Keep it dry."), (("Limits",), "n: x; v: 3")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_is_read_in_its_encoding(folder, encoding):
    text = "Die Größe der Proben beträgt über zwölf Meter. Später wird geprüft, ob es genügt."
    assert texts(read_documents([folder({"a.txt": text.encode(encoding)})])) == [text]


def test_bad_files_are_refused_with_a_reason_and_the_rest_is_read(folder, tmp_path, write_pdf):
    root = folder(
        {
            "empty.md": b" \n",
            "binary.txt": b"\x00\x01\x02",
            "image.md": b"\x89PNG....",
            "wrong.pdf": b"just text",
            "broken.pdf": b"%PDF-1.7\n broken",
            "broken.docx": b"PK\x03\x04 broken",
            "huge.txt": b"x" * (MAX_BYTES + 1),
            "program.exe": b"MZ",
            ".hidden.md": b"x",
            "good.md": b"A fact.",
        }
    )
    write_pdf(root / "scan.pdf", "")
    corpus = read_documents([root])
    assert texts(corpus) == ["A fact."]
    found = reasons(corpus)
    assert len(found) == 10
    assert "empty" in found["empty.md"]
    assert "binary" in found["binary.txt"]
    assert "PNG" in found["image.md"]
    assert "not one inside" in found["wrong.pdf"]
    assert "limit of 20 MB" in found["huge.txt"]
    assert "scan" in found["scan.pdf"]
    assert ".exe" in found["program.exe"]


def test_links_pipes_and_sockets_are_never_opened(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("secret")
    root = folder({"good.md": "A fact."})
    os.symlink(outside, root / "link.md")
    os.symlink(outside.parent, root / "linked")
    os.mkfifo(root / "pipe.md")
    listener = socket.socket(socket.AF_UNIX)
    with listener:
        listener.bind(os.path.relpath(root / "socket.md"))
        corpus = read_documents([root])
    assert texts(corpus) == ["A fact."]
    assert set(reasons(corpus)) == {"link.md", "linked", "pipe.md", "socket.md"}


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 50_000_000)
    assert "zip bomb" in reasons(read_documents([tmp_path]))["bomb.docx"]


def test_a_deeply_nested_page_costs_at_most_itself(folder):
    root = folder({"a.html": "<div>" * 200_000 + "deep", "b.md": "A fact."})
    assert "A fact." in texts(read_documents([root]))


def test_a_folder_that_does_not_exist_is_the_callers_error(tmp_path):
    with pytest.raises(CallerError, match="nowhere"):
        read_documents([tmp_path / "nowhere"])


def test_reading_twice_gives_the_same_corpus():
    assert read_documents([BENCH]) == read_documents([BENCH])


def test_every_passage_is_cut_from_its_document_exactly():
    corpus = read_documents([BENCH])
    for p in corpus.passages:
        assert corpus.document_of(p).text[p.start : p.end] == p.text


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        (
            "plan.md",
            "# Plan\n\nThe draft genome was superseded by a finished one in 2020.",
            "live",
        ),
        ("plan.md", "# Plan\n\nThis plan supersedes the plan of 2021.", "live"),
        ("plan.md", "# Plan\n\nThis plan has been superseded.\n\nText.", "superseded"),
        ("plan.md", "# Plan (obsolete)\n\nText.", "superseded"),
        ("plan.md", "---\nstatus: draft\n---\n\nText.", "draft"),
        ("plan.txt", "DRAFT v2 for review\n\nText.", "draft"),
        ("plan.txt", "Not superseded.\n\nText.", "live"),
        ("plan-draft.md", "Text.", "draft"),
        ("drafting-rules.md", "Text.", "live"),
        ("old-growth-forest.md", "Text.", "live"),
        ("plan_old.md", "Text.", "archive"),
        ("archive/plan.md", "Text.", "archive"),
        ("plan.txt", "方案\n已作废\n\n正文。", "superseded"),
    ],
)
def test_status_is_read_from_names_and_first_lines(folder, path, text, status):
    document = read_documents([folder({path: text})]).documents[0]
    assert document.status == status, document.signals
    assert document.signals or status == "live"


def test_an_earlier_version_is_superseded_by_the_latest_live_one(folder):
    root = folder(
        {f"plan_v{n}.md": f"Text {n}." for n in (1, 2, 10)} | {"plan_v11_draft.md": "T."}
    )
    found = {d.path: (d.status, d.superseded_by) for d in read_documents([root]).documents}
    latest = "D02"
    assert found == {
        "plan_v1.md": ("superseded", latest),
        "plan_v10.md": ("live", None),
        "plan_v11_draft.md": ("draft", latest),
        "plan_v2.md": ("superseded", latest),
    }


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-05", date(2024, 3, 5)),
        ("20240305", date(2024, 3, 5)),
        ("5 March 2024", date(2024, 3, 5)),
        ("March 5, 2024", date(2024, 3, 5)),
        ("05.03.2024", date(2024, 3, 5)),
        ("25/03/2024", date(2024, 3, 25)),
        ("03/25/2024", date(2024, 3, 25)),
        ("03/05/2024", date(2024, 1, 1)),
        ("2024年3月5日", date(2024, 3, 5)),
        ("5. März 2024", date(2024, 3, 5)),
        ("mars 2024", date(2024, 3, 1)),
        ("budget 2024", date(2024, 1, 1)),
        ("2024-13-40", date(2024, 1, 1)),
        ("part 12024", None),
    ],
)
def test_days_are_read_as_people_write_them(text, day):
    assert first_date(text) == day


BLOCKS = st.builds(
    Block,
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=3000).filter(str.strip),
    st.sampled_from([(), ("A",), ("A", "B")]),
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, None, 1]),
)


@given(st.lists(BLOCKS, max_size=6))
def test_pieces_are_in_order_apart_and_bounded(blocks):
    text, found, end = joined(blocks), list(pieces(blocks)), 0
    for piece in found:
        assert end <= piece.start < piece.end <= len(text)
        assert piece.end - piece.start <= LONGEST
        end = piece.end


@given(st.text())
def test_sentences_lose_nothing_but_space(text):
    kept = "".join(text[a:b] for a, b in sentences(text))
    assert "".join(kept.split()) == "".join(text.split())


def test_a_full_stop_after_an_abbreviation_or_unit_is_told_from_an_end():
    text = "We used e.g. salt, cf. Fig. 2. It was dried at 25 C. Then approx. 3 g were left."
    assert [text[a:b] for a, b in sentences(text)] == [
        "We used e.g. salt, cf. Fig. 2.",
        "It was dried at 25 C.",
        "Then approx. 3 g were left.",
    ]


def test_every_ending_that_is_read_has_its_parser():
    assert set(ENDINGS) == set(PARSERS)
