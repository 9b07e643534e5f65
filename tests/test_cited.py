"""To cite a document that names what a brief forbids is not to do it."""

import pytest

from dr_rd.adherence import check
from dr_rd.adherence.cited import without_names, without_titles
from dr_rd.brief import Brief
from dr_rd.ledger import build_ledger

LEDGER = build_ledger(
    Brief(
        objective="Test whether enriched cages speed up maze learning in mice.",
        hard_constraints=("no lithium may be administered to the mice",),
        banned_moves=("administer lithium to the mice", "lesion the hippocampus surgically"),
    )
)

CITED = (
    "- “It took 21 s.” [E001, a.md, Administering lithium to mice improves recall]",
    "- “It took 21 s.” [E001, Lithium in mice.md, Effects › Administering lithium to mice]",
    "- “Smith J (2019). Surgical lesion of the hippocampus in mice. J Mice 3, 1-9.” [E002, a.md]",
    "- [E001] `Administering lithium to mice.md`, “Administering lithium to mice”, in T1, T02",
    "- [E001] `a.md`, “Lithium dosing” (draft), in T1",
    "Follow *Surgical lesion of the hippocampus and maze learning* (Smith 2019).",
    "Follow _Administering lithium to mice_ [E004].",
    "1. Smith, J. and Brown, K. B. (2019). Surgical lesion of the hippocampus. Mice 3, 1-9.",
    "Smith J et al. 2019. Administering lithium to mice. Mice 3, 1-9.",
    "The file `lesion the hippocampus surgically.pdf` was read.",
)

DONE = (
    "We administer lithium to the mice [E001, a.md, Methods].",
    "- [E001] We administer lithium to the mice.",
    "We *administer lithium to the mice*.",
    "In 2019. We administer lithium to the mice.",
    "`a.md` is read, and lithium is administered to the mice.",
)


def broken(text: str) -> bool:
    return any(v.verdict == "violated" for v in check(LEDGER, f"Train the mice.\n\n{text}"))


@pytest.mark.parametrize("text", CITED)
def test_what_a_cited_document_is_called_breaks_nothing(text):
    assert not broken(text)


@pytest.mark.parametrize("text", DONE)
def test_what_is_done_beside_a_citation_still_breaks(text):
    assert broken(text)


@pytest.mark.parametrize("text", CITED + DONE)
def test_every_place_stays_where_it_was(text):
    read = without_names(without_titles(text))
    assert len(read) == len(text)
    assert all(b in (a, " ", ",") for a, b in zip(text, read, strict=True))
