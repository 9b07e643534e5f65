"""What is called a violation, and what is not.

The labelled passages are in tests/data/adherence, and all were at hand while the check was written;
what was only counted is in tests/data/planted (see test_planted.py).
"""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dr_rd.adherence import check, to_json
from dr_rd.brief import Brief, read_brief
from dr_rd.ledger import build_ledger
from dr_rd.prose import Cue, stem

DATA = Path(__file__).parent / "data" / "adherence"
BRIEFS = Path(__file__).parent / "data" / "briefs"
PAGE = Path(__file__).parents[1] / "docs" / "ledger-check.md"
FIELD = {
    "constraint": "hard_constraints",
    "criterion": "success_criteria",
    "ban": "banned_moves",
}


def ledger(kind, text):
    return build_ledger(Brief(objective="x", **{FIELD[kind]: (text,)}))


def cases(name):
    raw = yaml.safe_load((DATA / f"{name}.yaml").read_text(encoding="utf-8"))
    for block in (i for part in raw for i in part.get("items", [part])):
        for label in ("met", "violated", "kept", "unclear"):
            for passage in block.get(label, []):
                yield block["kind"], block["item"], passage, label


def verdict(kind, item, passage):
    return check(ledger(kind, item), passage)[0].verdict


@pytest.mark.parametrize(("kind", "item", "passage", "label"), [*cases("figures")])
def test_figures_are_held_against_the_limit_that_they_are_of(kind, item, passage, label):
    found = verdict(kind, item, passage)
    assert found == label or (label == "kept" and found != "violated")


@pytest.mark.parametrize(
    ("name", "least", "precision", "recall", "met"),
    [
        ("tuned", 110, 0.98, 0.92, 0.95),
        ("strangers", 110, 0.98, 0.92, 0.98),
        ("fields", 110, 1.0, 0.96, 0.98),
        ("fields_held_out", 110, 0.96, 0.83, 0.95),
        ("exact", 70, 1.0, 0.9, 0.87),
        ("terse", 120, 1.0, 0.98, 0.92),
        ("refusals", 150, 0.87, 0.65, 0.95),
        ("senses", 58, 1.0, 0.95, 1.0),
        ("substances", 19, 1.0, 1.0, 1.0),
    ],
)
def test_violations_are_found_and_hardly_ever_invented(name, least, precision, recall, met):
    judged = [(label, verdict(*case)) for *case, label in cases(name)]
    called = [label for label, v in judged if v == "violated"]
    broken = [v for label, v in judged if label == "violated"]
    kept = [v for label, v in judged if label == "met"]
    assert len(judged) >= least
    assert called.count("violated") / len(called) >= precision
    assert broken.count("violated") / len(broken) >= recall
    assert kept.count("met") / len(kept) >= met


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("exact", "{found} of the {broken} that break one are called violated"),
        ("terse", "{found} of the {broken} that break one are called violated"),
        ("refusals", "of the {kept} that refuse the thing, leave it to others or only name it, {invented} are"
         " called violated; of the {broken} that do it, {found} are."),
        ("senses", "of the {broken} that do break one, {found} are called violated, and of the {kept} others {invented}"),
    ],
)  # fmt: skip
def test_the_page_says_what_is_counted_of_each_list(name, said):
    judged = [(label, verdict(*case)) for *case, label in cases(name)]
    broken = [v for label, v in judged if label == "violated"]
    others = [v for label, v in judged if label != "violated"]
    counts = {
        "found": broken.count("violated"),
        "broken": len(broken),
        "kept": len(others),
        "invented": others.count("violated"),
    }
    paragraphs = [" ".join(p.split()) for p in PAGE.read_text(encoding="utf-8").split("\n\n")]
    (told,) = (p for p in paragraphs if f"adherence/{name}.yaml" in p)
    assert said.format(**counts) in told
    assert str(len(judged)) in told


SURE = [
    ("constraint", "minimum of 8 paired sites", "We will use only 6 paired sites.", "6", "six"),
    ("constraint", "budget under 10000 GBP", "The total budget is 12,000 GBP.", "12,000", "12000"),
    ("constraint", "budget under 10000 GBP", "The total budget is £12,000.", "£12,000", "£12k"),
    ("constraint", "the study period must not exceed 2 years",
     "The study period is 3 years.", "3 years", "36 months"),
    ("ban", "add eye tracking", "We will add eye tracking.", "eye tracking", "gaze recording"),
    ("constraint", "exactly 50 demonstrations", "We record 60 demonstrations.", "60", "sixty"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "item", "passage", "old", "new"), SURE)
def test_the_way_a_violation_is_written_does_not_matter(kind, item, passage, old, new):
    rewritten = passage.replace(old, new)
    page = f"# Plan\n\nWork starts in May.\n\n### Methods\n\n{passage}\n"
    for text in (passage, rewritten, page, page.replace("\n", "\r\n"), page.replace("###", "##")):
        assert verdict(kind, item, text) == "violated", text


@pytest.mark.parametrize(("kind", "item", "passage", "old", "new"), SURE)
def test_a_violating_sentence_at_the_end_always_decides(kind, item, passage, old, new):
    good = (
        "# Proposal\n\nWe use 9 paired sites. The total budget is 8,000 GBP. The study period is"
        " 20 months. No eye tracking is used. We record exactly 50 demonstrations.\n"
    )
    assert verdict(kind, item, good) == "met"
    assert verdict(kind, item, f"{good}\n{passage}\n") == "violated"


@pytest.mark.parametrize(
    "around",
    [
        "## Constraint ledger\n\n| B01 | {item} | kept |",
        "## Out of scope\n\n- {item}",
        "**Banned moves:**\n\n- {item}\n- another",
        "### Alternatives considered\n\n{item}: more precise, more costly.",
        "B01 forbids to {item}.",
        "Out of scope: {item}.",
        "We will not {item}.",
    ],
)
def test_naming_a_ban_is_not_breaking_it(around):
    item = "add eye tracking"
    assert verdict("ban", item, around.format(item=item)) != "violated"


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("at most 24 dogs", "We enrol 12 dogs per arm in three arms.", "violated"),
        ("at most 24 dogs", "There are three arms. We enrol 12 dogs per arm.", "violated"),
        ("at least 60 dogs", "We enrol 25 dogs in Bern and 20 dogs in Graz.", "violated"),
        ("at least 40 dogs", "We enrol 25 dogs in Bern and 20 dogs in Graz.", "met"),
        ("at most 24 dogs", "We see 15 dogs in May and 12 dogs in June.", "unclear"),
        ("at least 60 dogs", "| Town | Dogs |\n|---|---|\n| Bern | 25 |\n| Graz | 20 |", "violated"),
        ("at least 60 dogs", "At least 50 dogs take part.", "unclear"),
        ("budget under 9000 EUR", "| Item | EUR |\n|---|---|\n| A | 7.000 |\n| B | 3.500 |", "violated"),
        ("budget under 9000 EUR", "The total is 5,000 USD.", "unclear"),
        ("work must end by 30 June 2027", "The work ends on 31/07/2027.", "violated"),
        ("work must end by 30 June 2027", "The work ends in June 2027.", "met"),
    ],
)  # fmt: skip
def test_figures_are_added_multiplied_and_converted(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("budget under 9000 EUR", "Kits cost 5,000 EUR. A technician for two months adds 6,000 EUR.", "violated"),
        ("budget under 9000 EUR", "Kits: 4,000 EUR. Staff: 3,000 EUR. The total is 7,000 EUR.", "met"),
        ("budget under 9000 EUR", "A technician is paid 1,900 EUR a month for five months.", "violated"),
        ("budget under 9000 EUR", "A technician is paid 1,700 EUR a month for five months.", "met"),
        ("budget under 9000 EUR", "Each of the 30 traps costs 310 EUR.", "violated"),
        ("budget under 9000 EUR", "The total is 8,000 EUR. A vendor quoted 20,000 EUR.", "met"),
        ("budget under 9000 EUR", "Costs in EUR: traps 4,100; travel 5,200; staff 1,000.", "violated"),
        ("budget under 9000 EUR", "Traps 2,000 EUR, travel 3,000 EUR: 5,000 EUR.", "met"),
        ("budget under 9000 EUR", "We spend 5,000 EUR in the first year and 4,500 EUR in the second.", "violated"),
        ("budget under 9000 EUR", "The lanes cost 2 million EUR [E004].", "unclear"),
    ],
)  # fmt: skip
def test_costs_are_added_and_prices_multiplied_but_only_those_of_the_work(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("at least 20 dogs per group", "Eighteen dogs get the drug and eighteen serve as controls.", "violated"),
        ("at least 20 dogs per group", "25 dogs get the drug and 24 serve as controls.", "met"),
        ("at least 20 dogs per group", "Group sizes: 15 treated and 16 untreated.", "violated"),
        ("at least 20 dogs per group", "In total 32 dogs are enrolled.", "violated"),
        ("at least 20 dogs per group", "Thirty dogs are enrolled, half of them in each group.", "violated"),
        ("at least 20 dogs per group", "Fifty dogs are enrolled, half of them in each group.", "met"),
        ("at least 30 dogs", "We enrol 11 dogs in each of three towns.", "met"),
        ("at least 30 dogs", "We enrol 36 dogs, 18 in each of two arms.", "met"),
        ("at least 30 dogs", "We enrol 36 dogs: 12 young dogs, 12 old dogs and 12 pups.", "met"),
        ("at least 30 dogs", "Recruitment of 5 dogs a month fills the sample of 36 dogs.", "met"),
        ("at least 30 dogs", "The largest study so far had 9 dogs [E002].", "unclear"),
        ("at most 500 attempts", "The arm makes 40 attempts a day for 20 days.", "violated"),
        ("at most 500 attempts", "The arm makes 20 attempts a day for 20 days.", "met"),
        ("at most 500 attempts", "The arm makes 450 attempts, topped up by another 150.", "violated"),
        ("salt content of at most 2 g", "The salt content is 1 g per 100 g of bread.", "met"),
    ],
)  # fmt: skip
def test_parts_are_told_from_wholes_and_rates_from_counts(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("study period at most 2 years", "The study runs from March 2026 to May 2029.", "violated"),
        ("study period at most 2 years", "The study runs from March 2026 to May 2027.", "met"),
        ("study period at most 2 years", "Animals are weighed in years 1, 2 and 4.", "violated"),
        ("study period at most 2 years", "Two years before and two after are covered.", "violated"),
        ("study period at least 12 months", "Data span January through December 2025.", "met"),
        ("study period at least 12 months", "Data start on 1 May 2025 and end on 31 October 2025.", "violated"),
        ("nights of exactly 36 hours awake", "They stay awake for a day and a half.", "met"),
        ("dogs aged 2 to 8 years, pupils aged 8 to 12 years", "Pupils between 9 and 15 years take part.", "violated"),
    ],
)  # fmt: skip
def test_time_is_read_from_its_ends_and_its_numbers(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("at least 3 cities", "We study Bern, Graz, Lyon and Turin.", "met"),
        ("at least 30 sites", "We visit 24 orchards.", "violated"),
        ("at most 60 dogs", "None of the clinics enrols more than 50 dogs.", "met"),
        ("at most 2 arms", "We use a 2 x 2 design.", "violated"),
        ("samples stored at 4 to 8 °C", "Samples are stored at 6 °C. The lysate was boiled at 95 °C.", "met"),
        ("samples stored at 4 to 8 °C", "Samples are stored at 20 °C.", "violated"),
        ("at least 20 dogs per group", "The treated group has 24 dogs, the control group 12.", "violated"),
        ("at least 20 dogs per group", "With nine in ten consenting we have 24 dogs per group.", "met"),
        ("at least 8 tests per dog", "Each dog is tested nine times.", "met"),
    ],
)  # fmt: skip
def test_what_is_counted_may_be_named_or_understood(item, passage, expected):
    assert verdict("constraint", item, passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("We fly drones and do not use boats.", "violated"),
        ("Boats are used and drones are not flown.", "met"),
        ("Drones disturb the birds and are therefore not used.", "met"),
        ("If the weather is poor we use drones.", "violated"),
        ("If drones were used, permits must be sought.", "met"),
        ("We considered drones but they disturb the birds, so boats are used.", "met"),
        ("Boats are replaced by drones.", "violated"),
        ("Drones are replaced by boats.", "met"),
        ("Drones are widely used, but we count from boats.", "met"),
        ("Observers who do not know the site fly drones.", "violated"),
        ("Drones are flown over the cliffs, but we keep them high.", "violated"),
    ],
)
def test_a_negation_reaches_as_far_as_its_verb(passage, expected):
    assert verdict("ban", "use drones", passage) == expected


@pytest.mark.parametrize(
    "passage",
    [
        "Drones fly over the cliffs to see if nests can be counted.",
        "The deal with drones signed in May gives us the counts.",
        "The count comes from drones and from nothing else.",
        "Drones enter as a measure of the cost of travel.",
        "Drones are re-flown over the cliffs.",
        "In case of fog drones count the birds.",
        "Where to fly the drones is set by a prior on nests.",
    ],
)
def test_a_word_that_may_weaken_a_clause_does_so_only_in_that_sense(passage):
    assert verdict("ban", "use drones", passage) == "violated"


def test_the_reason_names_value_limit_and_place():
    (found,) = check(ledger("constraint", "at most 24 dogs"), "# Plan\n\nWe enrol 30 dogs.\n")
    assert found.reason == "it states 30 dogs, but the limit is at most 24 dogs (under “Plan”)"


def test_the_quote_is_the_text_itself():
    text = "Work starts.\n\nWe will add eye tracking. It ends."
    (found,) = check(ledger("ban", "add eye tracking"), text)
    assert found.quote == "We will add eye tracking."
    assert text[found.start : found.end] == found.quote


def test_the_json_counts_the_violations():
    out = to_json(check(ledger("ban", "add eye tracking"), "We add eye tracking."))
    assert out["violated"] == 1
    assert {"id", "kind", "text", "verdict", "reason", "quote"} <= out["items"][0].keys()


def test_an_empty_text_keeps_and_breaks_nothing():
    assert verdict("ban", "add eye tracking", " \n") == "unclear"


@pytest.mark.parametrize("stated", ["5 ppb", "5 dB", "5 kWh", "5 GBP"])
def test_a_figure_in_another_kind_of_unit_says_nothing_of_a_limit(stated):
    limit = ledger("constraint", "the measured lead content must be at most 3 mg")
    assert check(limit, f"We measure a lead content of {stated}.")[0].verdict == "unclear"


def test_currencies_are_not_converted_without_a_rate():
    assert verdict("constraint", "budget under 100 GBP", "The total is 900 EUR.") == "unclear"


@settings(max_examples=60)
@given(st.text(max_size=400))
def test_any_text_gets_a_verdict_with_its_own_words(text):
    items = Brief(objective="x", hard_constraints=("at least 3 sites", "no drones"))
    for found in check(build_ledger(items), text):
        assert text[found.start : found.end] == found.quote


@pytest.mark.parametrize("piece", ["no ", "without ", "3 sites ", "a|", '"a ', "not 3 drones, "])
def test_a_long_and_monotonous_text_is_checked_all_the_same(piece):
    brief = Brief(objective="x", hard_constraints=("at least 3 sites", "no drones"))
    assert len(check(build_ledger(brief), piece * 6000)) == 2  # hangs where time is not linear


def test_a_brief_told_back_under_its_own_headings_breaks_nothing():
    for path in BRIEFS.glob("*.yaml"):
        brief = read_brief(path)
        told = [f"# Proposal\n\n{brief.objective}\n\n## Constraints\n"]
        told += [f"- {c}" for c in (*brief.hard_constraints, *brief.success_criteria)]
        told += ["\n## Bans\n", *(f"- {b}" for b in brief.banned_moves)]
        found = check(build_ledger(brief), "\n".join(told))
        assert [v.id for v in found if v.verdict == "violated"] == [], path.name


def _told(ban):
    """A ban as the sentence of a plan: its verb in the plain form."""
    verb, *rest = ban.split()
    plain = {"using": "use", "varying": "vary", "replacing": "replace", "introducing": "introduce",
             "translating": "translate", "ensembling": "ensemble", "fine-tuning": "fine-tune",
             "evaluating": "evaluate"}  # fmt: skip
    stem = verb.lower()
    return " ".join([plain.get(stem, stem.removesuffix("ing")), *rest])


def test_doing_what_a_sample_brief_bans_is_found_and_refusing_it_is_not():
    found, refused, bans = 0, 0, 0
    for path in BRIEFS.glob("*.yaml"):
        built = build_ledger(read_brief(path))
        for item in (i for i in built.items if i.kind == "ban"):
            bans += 1
            does = {v.id: v.verdict for v in check(built, f"We will also {_told(item.text)}.")}
            not_ = {v.id: v.verdict for v in check(built, f"We will not {_told(item.text)}.")}
            found += does[item.id] == "violated"
            refused += not_[item.id] == "violated"
    assert (found >= 0.97 * bans, refused) == (True, 0)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("We test 15 coupons in the icing tunnel at -25 °C.", "violated"),
        ("The tunnel is at -2 °C.", "violated"),
        ("The tunnel temperature is -10 °C.", "met"),
        ("The icing tunnel temperature is kept between -12 and -8 °C.", "met"),
    ],
)
def test_a_bound_below_zero_is_a_bound(text, verdict):
    brief = Brief(
        objective="x", hard_constraints=("icing tunnel temperature between -15 and -5 °C",)
    )
    assert check(build_ledger(brief), text)[0].verdict == verdict


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("use brain imaging", "An EEG cap is fitted before the task.", "violated"),
        ("use brain imaging", "We wake the scanner at noon.", "violated"),
        ("use brain imaging", "The scanner code of each parcel is a number.", "unclear"),
        ("use brain imaging", "Volunteers fill in a form on paper.", "met"),
        ("take blood samples", "A nurse reads the cholesterol of each child.", "violated"),
        ("give feedback", "After a slip the right answer is shown.", "violated"),
        ("give feedback", "After a slip the next item appears.", "met"),
        ("collect GPS tracks", "Rangers carry GPS loggers.", "violated"),
        ("sow a mixture", "Oats and vetch are drilled in one pass.", "violated"),
        ("sow a mixture", "Either oats or vetch is drilled in one pass.", "met"),
    ],
)  # fmt: skip
def test_a_thing_is_known_by_its_kinds_by_hints_and_by_two_words_together(item, passage, expected):
    assert verdict("ban", item, passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("Drones disturb the birds; we count from the cliff.", "met"),
        ("Drones are popular. Our counts are made from the cliff alone.", "met"),
        ("Drones appeal to many, which is why a word is due: we count on foot.", "met"),
        ("We own two drones; neither is used here.", "met"),
        ("A referee proposed drones. We decided against them.", "met"),
        ("Drones: none.", "met"),
        ("The museum has two drones. A line in the plan deletes them.", "met"),
        ("A firm offered us a drone. Since birds take fright, we did not sign.", "met"),
        ("A drone took the pictures of 2015. We walk the cliff and count.", "met"),
        ("Readers may fly drones there themselves, and we count on foot.", "met"),
        ("Drones appear in no table.", "met"),
        ("One of us flies drones. They are of no use to this study.", "met"),
        ("Not used: drones of any kind.", "unclear"),
        ("Drones are flown over every cliff. They are not painted.", "unclear"),
        ("A drone vendor shares its pictures with us.", "violated"),
        ("We were asked for numbers, and drones are flown for them.", "violated"),
        (
            "Drones stay in the cupboard for another season; it is the scope that counts.",
            "met",
        ),
        ("Drones in use elsewhere are cited in the introduction.", "met"),
        ("Pictures from drones are left for a sequel.", "met"),
        ("We test whether drones find more nests.", "violated"),
        ("To avoid trampling, drones are flown.", "violated"),
        ("The no-flight zone ends at the road and drones are flown behind it.", "violated"),
        ("When the fog lifts, drones are flown.", "violated"),
        ("Nests which we could not reach are filmed by drones.", "violated"),
    ],
)
def test_what_is_set_against_the_plan_is_no_part_of_it(passage, expected):
    assert verdict("ban", "use drones", passage) == expected


@pytest.mark.parametrize(
    ("kind", "item", "passage", "expected"),
    [
        ("constraint", "must obtain parental consent", "No child is filmed without parental consent.", "met"),
        ("constraint", "must obtain parental consent", "Parental consent is waived.", "violated"),
        ("constraint", "publicly available data only", "All maps come from Landsat.", "met"),
        ("constraint", "publicly available data only", "All maps are held in confidence.", "violated"),
        ("constraint", "use an encoder (e.g., XLM-R)", "XLM-R reads the texts.", "met"),
        ("ban", "use income as an additional outcome", "Income is a covariate of the model.", "met"),
        ("ban", "use income as an additional outcome", "Income is modelled as well.", "violated"),
    ],
)  # fmt: skip
def test_requirements_and_roles_are_told_apart(kind, item, passage, expected):
    assert verdict(kind, item, passage) == expected


@pytest.mark.parametrize(
    ("kind", "item", "passage", "expected"),
    [
        ("constraint", "at least 30 dogs", "Forty dogs were seen. Six were sent home. The other 34 are studied.", "met"),
        ("constraint", "at least 30 dogs", "We signed up 33 dogs. Twelve of them have left the county.", "violated"),
        ("constraint", "at least 30 dogs", "We own 40 dogs but keep data on only 25 of them.", "violated"),
        ("constraint", "at least 30 dogs", "Six clinics bring roughly 4 dogs each.", "violated"),
        ("constraint", "at least 30 dogs", "Six clinics each bring some 7 dogs.", "met"),
        ("constraint", "at least 30 dogs", "Dogs\nBern: 12\nGraz: 9", "violated"),
        ("constraint", "at least 30 dogs", "| Town | Dogs |\n| Bern | 12 |\n| Graz | 20 |", "met"),
        ("constraint", "at least 5 dogs per group", "Group one has 6 dogs, though only two are in the second group.", "violated"),
        ("constraint", "at least 3 treated states and at least 3 control states", "Five treated states are set against two neighbours.", "violated"),
        ("constraint", "at least 3 treated states and at least 3 control states", "Five treated states are set against four controls.", "met"),
        ("constraint", "must include at least 3 cities", "Turin and Graz are compared over ten summers.", "violated"),
        ("constraint", "must include at least 3 cities", "The study is set in Graz.", "violated"),
        ("constraint", "at most 2 arms", "Dogs are assigned to wet, dry or mixed food.", "violated"),
        ("constraint", "at most 2 arms", "Arms: A, wet food; B, dry food; C, both.", "violated"),
        ("ban", "add a third arm", "Mixed food is shown as a third line in the plots.", "violated"),
        ("ban", "add a third arm", "Besides the two we try mixed food.", "violated"),
        ("constraint", "tests take place between 08:00 and 10:00", "Tests start at 8.30 a.m. and are over at 9.45 a.m.", "met"),
        ("constraint", "tests take place between 08:00 and 10:00", "Tests start at six in the evening.", "violated"),
        ("constraint", "dogs are kept awake for exactly 36 hours", "Dogs are awake from 7 a.m. on Friday until 9 a.m. on Saturday.", "violated"),
        ("constraint", "dogs sleep 7-9 hours", "Dogs who sleep less than 7 or more than 9 hours are replaced.", "met"),
        ("constraint", "stations must be operational for at least 5 years before data collection", "The station opened in 2017; data are from 2019.", "violated"),
        ("constraint", "stations must be operational for at least 5 years before data collection", "The station opened in 2007; data are from 2019.", "met"),
        ("constraint", "people aged 18-35", "People of at least 17 years of age take part.", "violated"),
        ("constraint", "budget under 50000 GBP", "We ask for £19,500 in each of the three years.", "violated"),
    ],
)  # fmt: skip
def test_counts_are_followed_from_where_they_are_told_to_what_is_left(
    kind, item, passage, expected
):
    assert verdict(kind, item, passage) == expected


def test_what_stands_among_the_risks_is_feared_and_not_planned():
    ledger = build_ledger(Brief(objective="x", hard_constraints=("No animals are used.",)))
    risk = "# Plan\n\nPellets are tumbled.\n\n## Risks\n\n- Neighbouring sites share the same animals.\n"
    assert check(ledger, risk)[0].verdict != "violated"
    plan = risk.replace("Pellets are tumbled", "We use the animals of a breeder")
    assert check(ledger, plan)[0].verdict == "violated"
    hidden = risk.replace("Neighbouring", "We will dose ten animals. Neighbouring")
    assert check(ledger, hidden)[0].verdict == "violated"


def test_a_thing_that_may_not_leave_is_not_ruled_out_itself():
    ledger = build_ledger(
        Brief(objective="x", hard_constraints=("No personal data leaves the hospital network",))
    )
    kept = "Personal data are mapped to purpose, basis and deletion before the design is fixed."
    assert check(ledger, kept)[0].verdict != "violated"
    broken = "Personal data leave the hospital network each night for a cloud archive."
    assert check(ledger, broken)[0].verdict == "violated"


def test_a_starred_word_of_a_list_is_found_with_any_ending():
    cue = Cue.of(["recruit*", "drop* out", "in all"])
    assert all(cue.search(t) for t in ("Recruitment ends", "two dropped out", "forty in all"))
    assert not any(cue.search(t) for t in ("unrecruited", "the drops", "in alloys"))


def test_choosing_something_is_not_choosing_by_hand():
    ledger = build_ledger(
        Brief(objective="x", hard_constraints=("No manual curation of examples.",))
    )
    assert check(ledger, "Choose the stores and visit each of them once.")[0].verdict != "violated"
    assert check(ledger, "A linguist picks the examples by hand.")[0].verdict == "violated"


@pytest.mark.parametrize(
    ("ban", "text"),
    [
        ("No peer feedback.", "The two codes are compared with one another."),
        ("No incentives for participants.", "Travel is paid by the university."),
        ("No feedback on answers.", "The temperature is displayed beside the door."),
    ],
)
def test_a_phrase_that_means_many_things_means_no_banned_one(ban, text):
    assert check(build_ledger(Brief(objective="x", banned_moves=(ban,))), text)[0].verdict == "met"


VENTILATED = Brief(
    objective="Determine whether night ventilation reduces peak summer temperature in primary school "
    "classrooms.",
    hard_constraints=(
        "at least 24 classrooms",
        "peak temperature must be logged by calibrated sensors",
    ),
    success_criteria=("reports the difference in peak temperature with a confidence interval",),
)


@pytest.mark.parametrize(
    "text",
    [
        "{objective}",
        "## Objective\n\n{objective}",
        "## Summary\n\nThis project will {objective}",
        "We want to determine whether night ventilation reduces peak temperature in primary "
        "school classrooms in summer.",
        "## Success criteria\n\n- {criterion}\n\n## Requirements of the brief\n\n- {constraint}",
        "**Success criteria:**\n\n- {criterion}",
        "| Id | Item |\n|---|---|\n| C02 | {constraint} |\n| S01 | {criterion} |",
        "The brief asks that {constraint}.",
    ],
)
def test_saying_the_brief_again_keeps_nothing(text):
    told = text.format(
        objective=VENTILATED.objective,
        constraint=VENTILATED.hard_constraints[1],
        criterion=VENTILATED.success_criteria[0],
    )
    found = check(build_ledger(VENTILATED), f"# Plan\n\n{told}\n\nWork starts in May.\n")
    assert {v.id: v.verdict for v in found} == dict.fromkeys(("C01", "C02", "S01"), "unclear")


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("C01", "We enrol 26 classrooms in nine schools."),
        ("C02", "In each room two calibrated sensors log the temperature."),
        ("S01", "The difference in peak temperature is reported with its confidence interval."),
        ("S01", "**What this task commits to**\n\n- S01: {criterion}"),
        (
            "C02",
            "Each sensor is calibrated in a bath. It is read out, and logged values are kept.",
        ),
    ],
)
def test_a_commitment_of_the_plan_keeps_an_item(item, text):
    told = text.format(criterion=VENTILATED.success_criteria[0])
    page = f"# Plan\n\n## Objective\n\n{VENTILATED.objective}\n\n## Work\n\n{told}\n"
    assert {v.id: v.verdict for v in check(build_ledger(VENTILATED), page)}[item] == "met"


def test_words_strewn_over_a_long_text_keep_nothing():
    strewn = ["Sensors hang on the wall.", *["Work goes on."] * 9, "Visits are logged in a book."]
    found = check(build_ledger(VENTILATED), " ".join(strewn))
    assert {v.id: v.verdict for v in found}["C02"] == "unclear"


def test_a_figure_of_the_objective_keeps_no_limit():
    brief = Brief(
        objective="Test whether spacing improves 30-day retention of word pairs.",
        hard_constraints=("retention test at exactly 30 days",),
    )
    told = f"{brief.objective} The retention test takes place after 30 days."
    found = [check(build_ledger(brief), text)[0].verdict for text in (brief.objective, told)]
    assert found == ["unclear", "met"]


def test_no_sample_brief_is_kept_by_its_own_words():
    for path in BRIEFS.glob("*.yaml"):
        brief = read_brief(path)
        items = [*brief.hard_constraints, *brief.success_criteria]
        told = [
            f"# Plan\n\n{brief.objective}\n\n## Success criteria\n",
            *(f"- {i}" for i in items),
        ]
        kept = [v for v in check(build_ledger(brief), "\n".join(told)) if v.verdict == "met"]
        assert [v.id for v in kept if v.quote] == [], path.name


def test_a_refusal_of_something_else_is_no_proof_that_a_ban_is_kept():
    ledger = build_ledger(
        Brief(objective="x", hard_constraints=("no page leaves the reading room",))
    )
    other, same = "A dash leaves nothing open.", "No page leaves the reading room, ever."
    assert [(v.verdict, v.quote) for v in check(ledger, other)] == [("met", "")]
    assert [(v.verdict, v.quote) for v in check(ledger, same)] == [("met", same)]


@pytest.mark.parametrize(
    ("item", "passage"),
    [
        ("use text analysis on disclosure reports", "A status file with a double-coding report."),
        ("use text analysis on disclosure reports", "Rows leave less information than it seems."),
        ("add emotional stimuli to the task", "The memo lists each direction's threats."),
        ("use infrared spectroscopy", "The note covers site influence and laboratory drift."),
        ("use instrumental variable approaches", "We take readings from instruments and sensors."),
        ("add a tillage variable", "They are assumptions until people confirm them."),
        ("expand to a longitudinal deployment", "It can be run again next week by another team."),
        ("measure student satisfaction", "We use the rule of thumb that a textbook popularised."),
        ("run an open label exam", "The plan is registered before the outcome is unmasked."),
        ("estimate a general equilibrium model", "We calibrate every sensor before the season."),
        ("use chain-of-thought reasoning", "For this reason the prompt stays short."),
        ("include older workers", "Each session takes thirty minutes."),
    ],
)
def test_the_words_of_any_plan_break_no_ban(item, passage):
    assert verdict("ban", item, passage) == "met"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("untilled", "until"),
        ("informants", "information"),
        ("equator", "equations"),
        ("hardness", "hardly"),
        ("thirties", "thirty"),
        ("participation", "participants"),
    ],
)
def test_words_that_only_look_alike_have_stems_of_their_own(one, other):
    assert stem(one) != stem(other)


def test_a_word_with_a_stem_of_its_own_shares_it_with_its_plural():
    assert stem("informants") == stem("informant") != stem("informed")


@pytest.mark.parametrize(
    ("kind", "item", "passage", "expected"),
    [
        ("constraint", "originals are not moved from the archives",
         "Pages are read there; originals are not moved from the archives.", "met"),
        ("constraint", "originals are not moved from the archives",
         "Originals are moved from the archives to our rooms.", "violated"),
        ("constraint", "data never leave the clinic", "Data leave the clinic each night.", "violated"),
        ("constraint", "data never leave the clinic", "No data leave the clinic.", "met"),
        ("constraint", "no patient under 50 years of age", "Patients are 50 years or older.", "met"),
        ("constraint", "no patient under 50 years of age", "Patients are 40 years or older.", "violated"),
        ("constraint", "at least 6 corridors without a new lane as comparison",
         "We estimate what a new lane does; 8 corridors without one are the comparison.", "met"),
        ("ban", "machine transcription without a check by a reader",
         "Machine transcription is used, and a reader checks every line.", "met"),
        ("ban", "machine transcription without a check by a reader",
         "Machine transcription is used for all letters.", "violated"),
        ("constraint", "sessions of 30 minutes, 3 times a week",
         "Sessions last 30 minutes, 3 times a week. Tutors are volunteers; they are not paid.", "met"),
        ("constraint", "discount rate of 8 percent",
         "Break-even means a present value of zero at a discount rate of 8 percent.", "met"),
        ("criterion", "reports effects for buses and for cars",
         "We compare 5 roads that got a lane with 8 that did not, and report effects for buses and for "
         "cars.", "met"),
        ("criterion", "reports effects for buses and for cars",
         "We report effects for buses and for cars. Effects for buses and for cars are not reported.",
         "unclear"),
    ],
)  # fmt: skip
def test_what_plans_say_in_passing_is_read_as_it_is_meant(kind, item, passage, expected):
    assert verdict(kind, item, passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ("The project takes 14 months.", "violated"),
        ("All tasks are completed in 16 months.", "violated"),
        ("The report is delivered in month 15.", "violated"),
        ("We finish within 10 months.", "met"),
        ("The panel covers 48 months.", "unclear"),
        (
            "We compare roads over 48 months: 28 months before the opening and 20 after it.",
            "unclear",
        ),
    ],
)
def test_a_deadline_is_of_the_work_and_not_of_the_years_that_data_span(passage, expected):
    brief = Brief(objective="x", deadline="11 months")
    assert check(build_ledger(brief), passage)[0].verdict == expected


@pytest.mark.parametrize("blank", ["\n", " \n", "\r\n", "\r", "  ", "\t \t", " " * 400])
def test_blanks_and_line_ends_change_no_verdict_and_are_quoted_as_they_stand(blank):
    end = blank if blank.strip(" \t") else "\n"
    text = f"# Cost{end}The laboratory costs 22,000{blank}EUR and travel 16,500 EUR."
    (found,) = check(ledger("constraint", "budget under 30000 EUR"), text)
    assert found.verdict == "violated"
    assert "\r" not in found.reason
    assert text[found.start : found.end] == found.quote
    assert found.quote.startswith("The laboratory")
    assert found.quote.endswith("16,500 EUR.")


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("at most 40 vials", "Each vial holds 10⁴⁰⁰ cells, 10^999 cells, 10⁻⁴⁰⁰ g and 1e999 g."),
        ("budget under -100 EUR", "-5 patients; NaN patients. It costs -5 EUR."),
        ("count 10⁴⁰⁰ cells", "We count them."),
    ],
)
def test_absurd_figures_get_a_verdict(item, text):
    assert verdict("constraint", item, text) in ("met", "violated", "unclear", "not_checkable")


@pytest.mark.parametrize(
    ("passage", "price", "budget"),
    [
        ("The whole project will spend 48,000 EUR.", "unclear", "met"),
        ("The electrode costs 480 EUR.", "unclear", "met"),
        ("Each cartridge costs 55 EUR.", "violated", "unclear"),
        ("The parts for one cartridge come to 34 EUR.", "met", "met"),
        ("The total cost is 75,000 EUR.", "unclear", "violated"),
    ],
)
def test_the_price_of_one_thing_is_no_budget(passage, price, budget):
    price_limit = "the cartridge must cost no more than 40 EUR per unit"
    brief = Brief(objective="x", budget="60000 EUR", hard_constraints=(price_limit,))
    found = check(build_ledger(brief), passage)
    assert [v.verdict for v in found] == [price, budget]


@pytest.mark.parametrize(
    ("item", "passage", "expected"),
    [
        ("no interview without written consent", "Every interview begins after the participant has given written consent.", "met"),
        ("no interview without written consent", "Interviews start without written consent where the form is late.", "violated"),
        ("no home visit without a second nurse", "A second nurse comes along on every home visit.", "met"),
        ("no home visit without a second nurse", "Home visits are made without a second nurse.", "violated"),
        ("no patient under 50", "There are 30 patients, each at least 50 years old.", "met"),
        ("no patient under 50", "Forty patients over 60 years of age take part, each for 12 weeks.", "met"),
        ("no patient under 50", "Patients aged 40 to 70 take part.", "violated"),
        ("no participant over 65", "Seventy participants aged 20 to 40 take part.", "met"),
        ("no participant over 65", "Participants are up to 80 years old.", "violated"),
        ("no session longer than 45 minutes", "There are 12 sessions of 40 minutes, 480 minutes in all.", "met"),
        ("no session longer than 45 minutes", "Each session lasts an hour.", "violated"),
        ("no session longer than 45 minutes", "Sessions last 60 minutes.", "violated"),
        ("no more than 2 tests per pupil", "Each of 300 pupils takes two tests, which makes 600 tests.", "met"),
        ("no more than 2 tests per pupil", "Each pupil takes three tests.", "violated"),
        ("fluoride is read with an ion-selective electrode, not with strips", "We measure fluoride with an ion-selective electrode after TISAB addition, and strips are not used.", "met"),
    ],
)  # fmt: skip
def test_a_limit_that_begins_with_no_is_read_as_it_is_meant(item, passage, expected):
    assert verdict("constraint", item, passage) == expected
