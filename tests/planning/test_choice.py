"""The method follows the design family; where none is sure, the generic study is planned."""

from dataclasses import replace

import pytest

from core.errors import CallerError
from dr_rd.brief import Brief, GivenTask
from dr_rd.checks import build_ledger
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.choice import check_research

OPEN = Brief(objective="Something on lakes or climate.")
ORDER = Brief(objective="Please order two boxes of gloves and send the invoice to the office.")
TRIAL = Brief(
    objective="Patients are randomised to the new tablet or placebo; does it lower blood pressure?"
)


@pytest.fixture(scope="module", params=["installed", "absent"])
def planner(request):
    """With the embeddings that are installed, and with n-grams alone."""
    found = load_planner()
    if request.param == "absent":
        return replace(found, ranker=replace(found.ranker, embedder=None))
    return found


def design(planner, brief):
    return planner.design(brief, build_ledger(brief), documents=False)


def test_every_family_has_a_method_of_the_library(planner):
    families = planner.ranker.families.values()
    planned = {m for f in families for m in (f.method, *f.variants.values())}
    assert planned == {m.id for m in planner.library.methods}
    assert {*planner.ranker.model.ids} < {*planner.ranker.families}


def test_a_family_that_is_sure_gives_its_method_with_the_words_that_speak_for_it(planner):
    choice = planner.choose(TRIAL)
    assert choice.ranking[0].id == "controlled-trial"
    assert "“" in choice.ranking[0].why
    assert (choice.asks, choice.remarks) == (False, ())


@pytest.mark.parametrize(
    ("family", "method", "craft"),
    [
        ("document_review", "document-review", ("kappa", "gap", "quotation", "Redact", "version")),
        ("qualitative_study", "qualitative-study", ("saturation", "COREQ", "grid", "consent")),
    ],
)
def test_a_plan_keeps_the_craft_of_a_family_whose_briefs_name_nothing_of_it(
    planner, family, method, craft
):
    brief = Brief(objective="What do bell founders say of cracked bells?", family=family)
    found = design(planner, brief)
    steps = "\n".join(s for t in found.tasks for s in t.steps)
    assert found.method_id == method
    assert [word for word in craft if word not in steps] == []
    assert found.unsized is not None


def test_where_no_family_is_sure_the_generic_study_is_planned_and_three_are_named(planner):
    choice, found = planner.choose(OPEN), design(planner, OPEN)
    assert choice.asks
    assert found.method_id == "generic-study"
    assert len(found.considered) == 3
    assert all(
        m.design in found.remarks[0] and m.why in found.remarks[0] for m in found.considered
    )
    assert [d.id for d in found.directions] == ["O1"]


def test_where_a_line_names_the_design_the_one_that_stands_close_is_said(planner):
    held, used = planner.ranker.model, "semantic" if planner.ranker.embedder else "lexical"
    near = replace(getattr(held, used), weakest=0.0, closest=2.0)
    close = replace(planner.ranker, model=replace(held, **{used: near}))
    brief = Brief(
        objective="Does a new handover sheet lower the errors on one ward as against its twin?",
        hard_constraints=("a quasi-experimental design with both wards as they are",),
    )
    found = replace(planner, ranker=close).choose(brief)
    assert (found.asks, found.ranking[0].family) == (False, "quasi_experiment")
    assert "stands close" in found.remarks[0]


@pytest.mark.parametrize(
    "objective",
    [
        "Untersuche, ob Mulch die Zeit für das Jäten im Gemüsebau verkürzt.",
        "Bitte bestellen Sie zwei Kisten Handschuhe und schicken Sie die Rechnung an das Büro.",
    ],
)
def test_a_text_in_another_language_than_was_trained_on_is_neither_sure_nor_refused(
    planner, objective
):
    brief = Brief(objective=objective)
    check_research(brief, planner.ranker)
    assert planner.choose(brief).asks


def test_no_sample_size_is_computed_before_a_design_is_chosen(planner):
    found = design(planner, OPEN)
    assert found.sizing == {}
    assert not [r for t in found.tasks for r in t.tool_request if r.name == "sample_size"]


def test_criteria_and_directions_say_which_design_the_brief_asks_for(planner):
    bare = Brief(objective="Find the better of two coatings.")
    asked = bare.model_copy(
        update={
            "success_criteria": ("three replicate specimens of each coating are measured",),
            "plausible_directions": ("coated specimens in a salt spray chamber on the bench",),
        }
    )
    bench = [
        next(m.score for m in planner.choose(b).ranking if m.id == "laboratory-experiment")
        for b in (bare, asked)
    ]
    assert bench[0] < bench[1]


def test_the_family_that_the_brief_names_is_planned(planner):
    named = OPEN.model_copy(update={"family": "monitoring"})
    assert design(planner, named).method_id == "observational-monitoring"
    assert not planner.choose(named).asks


def test_each_design_of_research_has_a_method_of_its_own(planner):
    without = {key for key, f in planner.ranker.families.items() if f.method == "generic-study"}
    assert without == {"generic_study", "not_research"}


def test_a_family_without_a_method_of_its_own_gets_the_generic_study_and_a_word_of_it(planner):
    known = planner.ranker.families
    bare = known["document_review"].model_copy(update={"method": "generic-study"})
    ranker = replace(planner.ranker, families={**known, "document_review": bare})
    found = design(
        replace(planner, ranker=ranker), OPEN.model_copy(update={"family": "document_review"})
    )
    assert found.method_id == "generic-study"
    assert "document review" in found.remarks[0]
    assert found.considered == ()


def test_who_asks_for_the_generic_study_is_told_nothing(planner):
    found = design(planner, OPEN.model_copy(update={"family": "generic_study"}))
    assert (found.method_id, found.remarks) == ("generic-study", ())


def test_an_unknown_family_is_refused_with_the_choices(planner):
    with pytest.raises(CallerError, match=r"monitorin.*did you mean 'monitoring'"):
        planner.choose(OPEN.model_copy(update={"family": "monitorin"}))


def test_what_asks_for_no_research_is_refused_in_a_sentence(planner):
    with pytest.raises(CallerError, match="asks for no research"):
        check_research(ORDER, planner.ranker)
    task = GivenTask(id="t1", title="Order the gloves")
    check_research(ORDER.model_copy(update={"tasks": (task,)}), planner.ranker)
    check_research(TRIAL, planner.ranker)


@pytest.mark.parametrize(
    "line", ["no random assignment", "nobody may be assigned", "existing data only"]
)
def test_a_limit_that_rules_the_design_out_decides_before_all_words(planner, line):
    bound = TRIAL.model_copy(update={"hard_constraints": (line,)})
    choice = planner.choose(bound)
    assert choice.ranking[0].id != "controlled-trial"
    trial = next(m for m in choice.ranking if m.id == "controlled-trial")
    assert (trial.score, trial.why.startswith("ruled out by")) == (0.0, True)


def test_a_banned_move_rules_out_the_design_that_needs_it(planner):
    barred = TRIAL.model_copy(update={"banned_moves": ("random assignment",)})
    assert planner.choose(barred).ranking[0].id != "controlled-trial"
