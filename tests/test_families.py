"""Features, conditions and the shipped weights of the ranker of design families."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from core.errors import CallerError
from dr_rd.families import GENERIC, Fact
from dr_rd.families.conditions import (
    Condition,
    barring,
    check_families,
    excluded,
    naming,
    settled,
)
from dr_rd.families.features import Vocabulary, character_ngrams, keyed, word_key, word_ngrams
from dr_rd.families.ranker import load_conditions, load_ranker
from dr_rd.files import data_folder
from dr_rd.planning.design import GENERIC_METHOD

TEXT = "Watch ten first-time users with the new ticket app and list where they get stuck."


class Fixed:
    """An embedder with the same vector for every text."""

    def query(self, text):
        return np.full(384, 384**-0.5, np.float32)

    def passage(self, texts):
        return np.array([self.query(t) for t in texts])


@pytest.fixture(scope="module")
def ranker():
    return load_ranker(None, find=False)


def test_words_are_counted_alone_and_in_pairs_and_numbers_alike():
    assert word_ngrams("12 Mice, 7 mice") == {"0": 2, "mice": 2, "0 mice": 2, "mice 0": 1}


def test_pieces_stay_within_a_word_and_a_short_word_stands_for_longer_pieces():
    assert character_ngrams({"at": 2, "at a": 1}) == {" at": 2, "at ": 2, " at ": 4}


def test_the_blocks_of_a_vector_have_length_one_and_unknown_words_none():
    keys = np.array(sorted({k for block in keyed("mice run") for k in block}), np.uint32)
    known = Vocabulary(keys, np.ones(len(keys), np.float32))
    at, values = known.vector("mice run fast")
    assert float(np.linalg.norm(values)) == pytest.approx(2**0.5)
    assert word_key("mice") in keys[at]
    assert known.vector("zzz")[1].size == 0


def test_probabilities_sum_to_one_and_are_the_same_every_time(ranker):
    found = ranker.probabilities(TEXT)
    assert float(found.sum()) == pytest.approx(1, abs=1e-5)
    assert (found == ranker.probabilities(TEXT)).all()


def test_a_text_without_a_known_word_is_not_sure(ranker):
    assert ranker.read("—").asks
    assert ranker.read("").asks


def test_a_few_words_are_not_sure_whatever_they_weigh(ranker):
    assert ranker.read("Cheaper batteries").asks
    assert not ranker.read(TEXT).asks


def test_the_best_family_comes_first_with_words_of_the_text(ranker):
    best = ranker.read(TEXT).best
    assert best.id == "usability_study"
    assert "get stuck" in best.why


def test_embeddings_are_used_where_there_are_any(ranker):
    given = replace(ranker, embedder=Fixed())
    assert not np.allclose(given.probabilities(TEXT), ranker.probabilities(TEXT))


def test_the_objective_is_the_sentence_that_asks(ranker):
    text = (
        "Last year was wet. We want to find out whether drained meadows lose more carbon than wet "
        "ones. The office is closed in July."
    )
    assert "find out whether" in ranker.model.objective(text)


def barred(text):
    conditions = load_conditions()
    return excluded(barring(text, conditions), conditions)


def test_a_condition_rules_families_out_with_its_words():
    found = barred("We may use existing records only.")
    assert found["randomised_trial"] == "existing records only"
    assert "cohort_or_registry" not in found
    assert barred("We use existing records and new interviews.") == {}


@pytest.mark.parametrize(
    "line",
    [
        "no randomised trial",
        "a quasi-experimental two-group design",
        "patients cannot be randomised",
        "wards are not randomised",
        "a matched cohort design",
        "stored serum samples only",
        "no prospective recruitment",
    ],
)
def test_a_design_without_assignment_is_no_randomised_trial(line):
    assert "randomised_trial" in barred(f"Does it help?\n{line}")


@pytest.mark.parametrize(
    "line",
    [
        "There is no randomised trial of it yet.",
        "Two quasi-experimental studies found less pain.",
        "An earlier cohort study had few smokers.",
        "Patients of the first study were not randomised.",
    ],
)
def test_what_others_did_not_do_rules_nothing_out(line):
    assert barred(f"{line} Does it help?") == {}


def test_a_condition_of_an_unknown_family_or_a_broken_pattern_is_refused():
    strange = Condition(id="c", patterns=("x",), excludes=("trials",))
    with pytest.raises(CallerError, match="trials"):
        check_families([strange], ["randomised_trial"])
    with pytest.raises(ValidationError, match="no regular expression"):
        Condition(id="c", patterns=("(",), excludes=("randomised_trial",))


def named(*lines):
    conditions = load_conditions()
    return settled(naming(lines, conditions), conditions)


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("two-condition between-subjects design", "human_experiment"),
        ("nested case-control study in the dairy register", "cohort_or_registry"),
        ("only archived plates of the Sonneberg survey", "secondary_analysis"),
        ("at least 25 ponds along a salinity gradient", "monitoring"),
        ("observational study, nothing is planted or cut", "monitoring"),
        ("double-blind crossover with eight goats", "field_trial"),
        ("one factor only, all else held equal", "lab_experiment"),
        ("growth is restored by complementation", "lab_experiment"),
        ("frozen checkpoints as published", "ml_benchmark"),
    ],
)
def test_a_design_that_a_demanded_line_names_is_one_of_its_families(line, family):
    assert named(line)[family].quote == line


@pytest.mark.parametrize(
    "line",
    [
        "no cohort study",
        "without a crossover of the arms",
        "solvent gradient of the column is fixed",
        "all plates read by one person",
        "a comparison rather than a meta-analysis",
    ],
)
def test_a_line_that_denies_a_design_or_means_something_else_settles_nothing(line):
    assert named(line) == {}


def test_lines_of_one_design_leave_the_families_that_all_of_them_allow():
    both = named("an observational study", "retrospective cohort design")
    assert {*both} == {"cohort_or_registry"}
    assert named("a cohort design", "a discrete-event simulation study") == {}


def test_a_condition_gives_families_that_it_excludes_or_those_it_is_one_of():
    with pytest.raises(ValidationError, match="give the families"):
        Condition(id="c", patterns=("x",))
    with pytest.raises(ValidationError, match="give the families"):
        Condition(id="c", patterns=("x",), families=("survey",), within=("survey",))


def test_a_named_design_is_ranked_first_whatever_the_text_and_nobody_is_asked(ranker):
    line = "retrospective cohort design"
    read = ranker.read(f"{TEXT}\n{line}", lines=[line])
    assert (read.best.id, read.asks) == ("cohort_or_registry", False)
    assert line in read.best.why
    assert read.ranked[1].score == 0
    assert ranker.read(f"{TEXT}\n{line}").best.id != "cohort_or_registry"


def test_what_a_brief_states_says_which_variant_of_a_method_is_planned(ranker):
    perturbed, levels = Fact(id="perturbed", quote="silenced"), Fact(id="levels", quote="doses")
    assert ranker.method("lab_experiment", (perturbed, levels)) == "perturbation-experiment"
    assert ranker.method("lab_experiment", (levels, perturbed)) == "one-factor-experiment"
    assert ranker.method("quasi_experiment", (levels,)) == "quasi-experiment"


@pytest.mark.parametrize(
    ("line", "method"),
    [
        ("Does undersowing clover lower weed cover in spring barley?", "land-trial"),
        ("12 paired plots of 20 m on two soils", "land-trial"),
        ("Do insulated hives lower winter losses of colonies?", "field-trial"),
        ("24 lamps in three chambers of the cave", "field-trial"),
        ("no soil is disturbed below the lamps", "field-trial"),
    ],
)
def test_land_tells_the_variant_of_a_field_trial_and_speaks_for_no_family(ranker, line, method):
    facts = ranker.stated("", lines=[line])
    assert ranker.method("field_trial", facts) == method
    assert not ranker.settles(["the soil is sown with a cover crop"])


def test_a_long_text_is_read_in_part(ranker):
    long = f"{TEXT} " * 2000
    assert ranker.read(long).best.id == "usability_study"


def test_the_weights_are_small():
    assert len((data_folder() / "families" / "weights.npz").read_bytes()) < 3_000_000


def test_the_method_of_no_sure_design_is_the_one_that_the_first_page_asks_about(ranker):
    assert ranker.method(GENERIC) == GENERIC_METHOD
