"""A result as a PDF: tagged and archivable (PDF/A-2b), laid out by typst, which is an extra."""

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from core.errors import CallerError
from dr_rd.files import read_text
from dr_rd.report.blocks import About, Block, Run, is_leftward, shares

_UNSHOWN = re.compile(r'the text `"(.+?)"` could not be displayed')


def pdf(blocks: Sequence[Block], about: About) -> bytes:
    """Return the blocks as a PDF, each page with its run and number below; what no font here can show is said at its head.

    Raises CallerError where typst is not installed.
    """
    typst = _typst()
    try:
        return _compiled(typst, blocks, about, ("a-2b",))
    except typst.TypstError as wrong:
        found = _UNSHOWN.search(wrong.message)
        if not found:
            raise
        note = _note(found[1])
    return _compiled(typst, [note, *blocks], about, ())


MISSING = (
    "A PDF needs the package typst, which is not installed: run `pip install 'dr-rd[pdf]'`, or take "
    "docx or html"
)
"""What is said where the extra is absent."""


def is_installed() -> bool:
    """Whether PDFs can be made here."""
    return find_spec("typst") is not None


def _typst() -> ModuleType:
    if not is_installed():
        raise CallerError(MISSING)
    return import_module("typst")


def _compiled(
    typst: ModuleType,
    blocks: Sequence[Block],
    about: About,
    standards: Sequence[str],
) -> bytes:
    given = {
        "title": about.title,
        "run": about.run_id,
        "lang": "en",
        "blocks": [_plain(block) for block in blocks],
    }
    made_of: bytes = typst.compile(
        read_text("report", "proposal.typ").encode(),
        format="pdf",
        sys_inputs={"given": json.dumps(given)},
        pdf_standards=list(standards),
        timestamp=about.made,
    )
    return made_of


def _plain(block: Block) -> dict[str, Any]:
    return {**asdict(block), "shares": shares(block), "leftward": is_leftward(block.runs)}


def _note(sign: str) -> Block:
    """What is said of characters for which there is no font, by the first of them."""
    script, font = _FONTS.get(unicodedata.name(sign[0], "").split(" ")[0], _ANY)
    text = (
        f"No font on this machine shows {script} (the first is U+{ord(sign[0]):04X}), so that boxes "
        f"stand where it should. Install {font}, or take this as Word or HTML."
    )
    return Block("paragraph", (Run(text, bold=True),))


_CJK, _ANY = "Noto Sans CJK", ("a character of it", "a font that has it")
_FONTS = {
    "CJK": ("Chinese characters", _CJK),
    "HIRAGANA": ("Japanese", _CJK),
    "KATAKANA": ("Japanese", _CJK),
    "HANGUL": ("Korean", _CJK),
    "ARABIC": ("Arabic", "Noto Naskh Arabic"),
    "HEBREW": ("Hebrew", "Noto Sans Hebrew"),
    "DEVANAGARI": ("Devanagari", "Noto Sans Devanagari"),
    "THAI": ("Thai", "Noto Sans Thai"),
}
"""A script and what to install for it, by the first word of its characters' names in Unicode."""
