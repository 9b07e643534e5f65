"""What is said of a brief whose words are not understood, because they are not English."""

import pytest

from dr_rd.brief import Brief, GivenTask
from dr_rd.checks import build_ledger
from dr_rd.planning.remarks import remarks_on

GERMAN = Brief(
    objective="Prüfen, ob ein Lüfter mit Feuchtesteuerung die Radonkonzentration in Kellern senkt.",
    hard_constraints=(
        "mindestens 36 Häuser",
        "Budget unter 70000 EUR",
        "keine Bohrungen durch die Bodenplatte",
    ),
    banned_moves=("Veröffentlichung von Adressen",),
)
FRENCH = Brief(
    objective="Évaluer si les couverts végétaux augmentent le carbone du sol.",
    hard_constraints=("au moins 20 parcelles", "budget inférieur à 5000 EUR", "pas de labour"),
)
SPANISH = Brief(
    objective="Evaluar si los cultivos de cobertura aumentan el carbono del suelo.",
    hard_constraints=("al menos 20 parcelas", "sin labranza"),
)


def said(brief: Brief, **given: bool) -> tuple[str, ...]:
    return remarks_on(brief, build_ledger(brief), **given)


@pytest.mark.parametrize(
    ("brief", "tongue", "ids"),
    [(GERMAN, "German", "C01, C03, B01"), (FRENCH, "French", "C01, C03"), (SPANISH, "Spanish", "C01, C02")],
)  # fmt: skip
def test_a_brief_in_another_language_is_told_what_is_not_understood_of_it(brief, tongue, ids):
    assert said(brief) == (
        f"the objective is in {tongue}, of which no words are understood: the library chose its "
        "method and tasks without them. Write it in English, or prescribe the tasks",
        f"{ids} are in {tongue}, of which only figures with units are understood: beyond their "
        "very words nothing is checked. Write them in English to have them checked",
    )


def test_a_model_reads_other_languages_and_the_check_does_not():
    (remark,) = said(GERMAN, by_library=False)
    assert remark.startswith("C01, C03, B01 are in German")
    given = GERMAN.model_copy(update={"tasks": (GivenTask(id="a", title="A"),)})
    assert said(given) == (remark,)


def test_of_limits_in_two_languages_only_those_that_are_not_understood_are_named():
    mixed = Brief(
        objective="Test whether a fan lowers radon in cellars.",
        hard_constraints=(
            "at least 36 houses are to be measured for a year",
            "keine Bohrungen durch die Bodenplatte",
        ),
    )
    (remark,) = said(mixed)
    assert remark.startswith("C02 is in German, of which only figures")


@pytest.mark.parametrize(
    "limit",
    [
        "stimuli limited to Swahili-English paired associates from the Nelson-Dunlosky norms",
        "no Kindergarten of the Land Hessen",
        "use of cartes de visite from 1860",
        "at least 20 sites in São Paulo",
    ],
)
def test_foreign_names_make_no_foreign_limit(limit):
    objective = "Test whether cover crops raise soil carbon relative to bare fallow."
    assert said(Brief(objective=objective, hard_constraints=(limit,))) == ()
