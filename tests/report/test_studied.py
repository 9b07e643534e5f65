"""The table of what is studied holds the brief's own words, and asks for what they leave open."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.report.endpoints import Endpoints
from dr_rd.report.studied import Studied

SEALANT = Brief(
    id="seals",
    objective="Test whether a rubber gasket lowers the leak rate of pipe joints relative to hemp packing.",
    hard_constraints=(
        "at least 40 joints at the waterworks in Aarhus",
        "pressure tests by the municipal inspector",
        "joints assembled at 12 Nm",
        "finished within 8 months",
        "budget under 20000 EUR",
    ),
    success_criteria=(
        "leak rate measured by pressure decay falls by at least 2 mL per hour",
        "assembly time is not longer with the gasket",
        "includes a log of every joint that was taken apart",
        "number of failed joints after 90 days is reported",
    ),
    banned_moves=("use of silicone grease",),
)
BARE = Brief(
    objective="Test whether a cover crop reduces nitrate loss relative to fallow.",
    success_criteria=("nitrate loss is reported with a 95 percent interval",),
)


def studied(workbench, brief):
    design = workbench.design(brief, ())
    method = workbench.planner.library.method(design.method_id)
    return Studied(brief, build_ledger(brief), design, method)


@pytest.fixture(scope="module")
def rows(workbench):
    return dict(studied(workbench, SEALANT).rows())


@pytest.fixture(scope="module")
def endpoints(workbench):
    found = studied(workbench, SEALANT)
    return Endpoints(SEALANT, found.ledger, found.design, found.compared, found.data).rows()


@pytest.fixture(scope="module")
def bare(workbench):
    return dict(studied(workbench, BARE).rows())


def test_every_limit_but_money_stands_in_one_row_with_its_mark(rows):
    said = "\n".join(rows.values())
    for number, line in enumerate(SEALANT.hard_constraints[:4], 1):
        assert said.count(f"{line} [C{number:02}]") == 1
    assert "20000" not in said
    assert "silicone" not in said


def test_people_places_and_lengths_stand_where_a_reader_looks_for_them(rows):
    assert rows["By whom"] == "pressure tests by the municipal inspector [C02]"
    assert rows["When, and how long"] == "finished within 8 months [C04]"
    assert "Aarhus" in rows["Studied, and how many"]
    assert rows["Compared with"] == "hemp packing [objective]"
    assert "**open:**" not in rows.get("Where", "")


def test_what_nobody_named_is_asked_in_the_words_of_the_study(bare):
    assert "which cover crop (species, variety or strain)? this reading found none" in "".join(
        bare.values()
    )
    assert "who measures nitrate loss? this reading found nobody" in bare["By whom"]
    assert "no length of the work" in bare["When, and how long"]
    assert bare["Compared with"] == "fallow [objective]"


def test_a_limit_that_rules_a_thing_out_does_not_ask_which_one(workbench):
    brief = BARE.model_copy(update={"hard_constraints": ("no fertiliser on any plot",)})
    assert "fertiliser (" not in "".join(dict(studied(workbench, brief).rows()).values())


def test_a_named_bound_is_the_rule_and_its_instrument_is_read_from_the_criterion(endpoints):
    leak = endpoints[0]
    assert leak.how == "pressure decay"
    assert "at or above 2 mL per hour" in leak.rule
    assert "with its interval" in leak.answer  # nothing is sized and nobody names a level


def test_a_wording_of_no_worse_asks_for_the_margin(endpoints):
    assert endpoints[1].rule.startswith("**open:** by how much may it differ")
    assert "by which instrument or procedure? this reading found none" in endpoints[1].how


def test_what_asks_for_a_record_is_given_no_estimator(endpoints):
    assert (endpoints[2].how, endpoints[2].answer) == ("–", "no estimate: shown by the record")


def test_an_outcome_without_a_criterion_of_its_own_is_estimated_all_the_same(workbench):
    brief = SEALANT.model_copy(update={"success_criteria": ("includes a log of every joint",)})
    found = studied(workbench, brief)
    main, log = Endpoints(brief, found.ledger, found.design, compared=True).rows()
    assert (main.id, main.text) == ("Objective", "leak rate of pipe joints")
    assert main.rule == "no pass mark is named: the interval is the answer"
    assert log.answer == "no estimate: shown by the record"


def test_counts_are_not_estimated_as_means(endpoints):
    assert "negative binomial" in endpoints[3].answer


def test_an_estimator_that_the_criterion_names_is_kept(workbench):
    asked = ("reports an odds ratio for leaks", "robust to alternative specification of the model")
    brief = SEALANT.model_copy(update={"success_criteria": asked})
    found = studied(workbench, brief)
    first, second = Endpoints(brief, found.ledger, found.design, compared=True).rows()
    assert first.answer.startswith("odds ratio, as the criterion asks")
    assert second.rule.startswith("all are shown")


def test_a_rule_that_a_criterion_words_itself_stays_as_it_is(workbench):
    asked = (
        "the 90 % interval of the ratio of leak rates lies within 80 to 125 %",
        "leaks are counted by two inspectors",
    )
    brief = SEALANT.model_copy(update={"success_criteria": asked})
    found = studied(workbench, brief)
    first, second = Endpoints(brief, found.ledger, found.design, compared=True).rows()
    assert first.rule.startswith("as the criterion words it")
    assert "90 % interval" in first.answer
    assert "inspectors" not in second.how


@pytest.mark.parametrize(
    ("criterion", "answer", "rule"),
    [
        ("detects a fall by 2 mL per hour with 80 percent power", "the size of the sample", "settled before"),
        ("leak rate is known to within 3 percentage points", "half-width", "met if the half-width"),
        ("reports both the leak rate and its interval", "with its", "no pass mark is named"),
        ("includes a check with 16 mm pipes left out", "anew under each choice", "all are shown"),
        ("shows at least one joint under the microscope", "no estimate: counted", "counted: met with"),
    ],
)  # fmt: skip
def test_no_rule_is_set_that_the_brief_does_not_set(workbench, criterion, answer, rule):
    brief = SEALANT.model_copy(update={"success_criteria": (criterion,)})
    found = studied(workbench, brief)
    rows = Endpoints(brief, found.ledger, found.design, compared=True).rows()
    row = next(r for r in rows if r.id == "S01")
    assert answer in row.answer
    assert row.rule.startswith(rule)


def test_what_is_shown_comes_from_the_task_that_yields_it(workbench):
    asked = ("includes a log of every joint that was taken apart",)
    brief = SEALANT.model_copy(update={"success_criteria": asked})
    found = studied(workbench, brief)
    row = Endpoints(brief, found.ledger, found.design, compared=True).rows()[-1]
    phases = [t.phase for t in found.design.tasks]
    place = [t.id for t in found.design.tasks].index(row.by)
    assert place >= phases.index("execution")
