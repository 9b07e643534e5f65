"""A place is found by its opening wherever a pattern would find it, and few patterns are tried."""

import random

import pytest

from dr_rd.models.privacy.finder import Finder, SearchPattern
from dr_rd.models.privacy.spelling import (
    figure_openings,
    figure_pattern,
    figures,
    folded,
    name_openings,
    name_pattern,
)

NAMES = (
    "Acme", "Acme Corp", "O'Brien", "'t Hooft", "Müller-Lüdenscheidt", "Jane Doe", "AT&T",
    "ΑΘΗΝΑ Βήτα", "ВЛАДИМИР", "Иван Петров", "北京制药", "S", "NaCl 5%20x", "C++", "~tilde",
    "n7", "7 Dwarfs", "Straße", "ﬁnch", "Île-de-France", "l1Il1", "@home",
)  # fmt: skip
FIGURES = ("1,250,000", "48,250", "12 mice", "0.00125", "1.25 million", "999", "3.1415")
PARTS = (
    *NAMES, *FIGURES, "1250000", "1.25 million", "1 2 5 0 0 0 0", "48.25 thousand", "A c m e",
    "Ac**me", "ac\u200bme", "jane.doe", "j a n e d o e", "\\nAcme", "%20Doe", "AT&amp;T", "АСМЕ",
    "MULLER-\nLUDENSCHEIDT", "acmes", "acmed", "x", " ", "\n", "-", ",", ".", "_", "*", "in 7",
)  # fmt: skip


def sought() -> list[SearchPattern]:
    found = [SearchPattern(r"(?:name|figure)[bcd]{3}", ("name", "figure"), within=True)]
    found += [SearchPattern(name_pattern(name), name_openings(name)) for name in NAMES]
    values = [figures(figure) for figure in FIGURES]
    return found + [SearchPattern(figure_pattern(v), figure_openings(v)) for v in values if v]


def tried_everywhere(patterns, text):
    """Try every pattern at every place: what is found so is what is to be found."""
    for place in range(len(text)):
        for number, one in enumerate(patterns):
            if match := one.compiled.match(text, place):
                yield number, match.span()
                break


@pytest.mark.parametrize("seed", range(60))
def test_the_same_is_found_as_by_trying_every_pattern_at_every_place(seed):
    chance, patterns = random.Random(seed), sought()  # noqa: S311
    parts = [chance.choice((*PARTS, "renamebcd", "figurebcd")) for _ in range(60)]
    text = folded(chance.choice(("", " ", ", ")).join(parts), parting=seed % 2 == 1).text
    found = [(number, match.span()) for number, match in Finder(patterns).places(text)]
    assert found == list(tried_everywhere(patterns, text))
    assert len(found) > 5


def test_of_a_thousand_names_those_alone_are_compiled_that_a_text_seems_to_have():
    names = [f"Mr {first}{last}{end}" for first in "BCDFGHJKLM" for last in "aeiouyrstn"
             for end in ("dal", "tor", "kin", "sen", "win", "lov", "mut", "pra", "quo", "zim")]  # fmt: skip
    patterns = [SearchPattern(name_pattern(name), name_openings(name)) for name in names]
    text = folded("Mr Badal met M r B u z i m and Mr Kesen, but not Mr Badax or Mr Kelly.").text
    found = [names[number] for number, _ in Finder(patterns).places(text)]
    assert found == ["Mr Badal", "Mr Buzim", "Mr Kesen"]
    assert sum("compiled" in vars(one) for one in patterns) == 3


def test_a_name_whose_letters_have_many_forms_has_few_openings():
    assert all(len(name_openings(name)) <= 64 for name in (*NAMES, "ВЕРХНЯЯ КОРОВА " * 9))
