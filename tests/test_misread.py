"""Figures and bans that were misread once, each with two of its kind in other words.

A text that keeps a limit is never called violated, whatever stands in it that looks alike; one that
breaks it is never called met.
"""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger, check, is_budget, last_days

MET = {"met"}
BROKEN = {"violated"}
OPEN = {"unclear", "not_shown", "not_checkable"}
KEPT = MET | OPEN | {"promised"}
DOUBTED = BROKEN | OPEN

LIMITS = [
    # more than the least that is asked for
    ("minimum sample size of 30 clusters", "We randomise 33 clusters, eleven per arm.", MET),
    ("at least 12 classrooms", "The trial takes in 14 classrooms, seven in each arm.", MET),
    ("a minimum of 40 households", "In all, 45 households keep a diary.", MET),
    # degrees below zero
    ("store samples at or below 4 °C", "The samples are stored at minus 20 degrees.", MET),
    ("keep reagents below -10 °C", "The reagents stay in a freezer at minus 80 °C.", MET),
    ("storage at no more than 8 °C", "Storage is at minus two degrees Celsius.", MET),
    # things named one by one
    ("no more than 3 sites", "The study runs in Leeds, Hull, York and Bradford.", BROKEN),
    ("no more than 3 schools", "The study runs in Leeds, Hull, York and Bradford.", DOUBTED),
    ("no more than 3 hospitals", "We work in Lyon, Lille, Nantes and Metz.", DOUBTED),
    ("at most 2 cities", "Data come from the cities of Graz, Linz and Wels.", BROKEN),
    ("no more than 4 clinics", "The clinics are Aalst, Gent, Brugge, Ieper and Genk.", BROKEN),
    # time from one date to another
    ("18 months", "The project runs from January 2026 to December 2027.", BROKEN),
    ("the project lasts at most 12 months", "Work runs from March 2026 to August 2027.", BROKEN),
    ("finish within 30 months", "Work starts in April 2026 and ends in March 2028.", MET),
    # what is excluded is the opposite of what is there
    ("exclude patients who do not own a phone", "Owners of phones are enrolled.", KEPT),
    ("exclude households without internet access", "All homes have internet access.", KEPT),
    ("exclude people who cannot read Dutch", "Only people who read Dutch take part.", KEPT),
    # what a part costs in a time is no sum for all
    ("engineer at 450 EUR per day", "The total cost is 38,000 EUR.", KEPT),
    ("technician paid 32 GBP per hour", "The budget comes to 61,000 GBP.", KEPT),
    ("rent of the lab is 1,200 USD a month", "The whole project costs 90,000 USD.", KEPT),
    # days on which nothing is done are no deadline
    ("no work from 24 December to 3 January", "The project ends in June 2027.", KEPT),
    ("no field visits between 1 July and 31 August", "The report is due 15 October 2026.", KEPT),
    ("nothing is sampled from 10 April to 20 April", "Work ends on 30 November 2026.", KEPT),
    # what others are worth is not spent
    ("budget of 80,000 EUR", "The market for heat pumps is worth 4 billion EUR.", KEPT),
    ("budget of 50,000 EUR", "Firms in the panel have a turnover of 12 million EUR.", KEPT),
    ("costs at most 20,000 USD", "The stolen goods were valued at 300,000 USD.", KEPT),
]

BANS = [
    # a word of another sense
    ("add a seeding treatment", "Plots are drawn at random by a seeded script.", KEPT),
    ("add a seeding treatment", "The random number generator is seeded with 42.", KEPT),
    ("a weeding treatment", "Duplicates are weeded out of the register.", KEPT),
    ("use self-reported data", "We report the results to the ministry.", KEPT),
    ("self-reported sleep", "Deviations are reported to the sponsor within a day.", KEPT),
    ("self-assessed skills", "Skills are assessed by two examiners.", KEPT),
    # to write down what was done before is not to do it
    ("add a tillage treatment", "We record the tillage history of every plot.", KEPT),
    ("add an irrigation treatment", "The irrigation history of each orchard is noted.", KEPT),
    ("introduce a drug treatment", "Past drug use is taken from the patients' records.", KEPT),
    # what does break them
    ("add a seeding treatment", "A seeding treatment is added as a third factor.", BROKEN),
    ("use self-reported data", "Sleep is self-reported in a questionnaire.", BROKEN),
    ("add a tillage treatment", "We add a tillage treatment on half of the plots.", BROKEN),
]


def verdict(text, **brief):
    objective = "Compare two ways of doing the work."
    (found,) = check(build_ledger(Brief(objective=objective, **brief)), text)
    return found


@pytest.mark.parametrize(("limit", "text", "right"), LIMITS)
def test_a_limit_is_held_against_what_it_bounds(limit, text, right):
    found = verdict(text, hard_constraints=(limit,))
    assert found.verdict in right, found.reason


@pytest.mark.parametrize(("ban", "text", "right"), BANS)
def test_a_ban_is_broken_by_doing_what_it_names(ban, text, right):
    found = verdict(text, banned_moves=(ban,))
    assert found.verdict in right, found.reason


@pytest.mark.parametrize("limit", [limit for limit, _, right in LIMITS if right == KEPT][3:9])
def test_what_bounds_a_part_bounds_neither_all_money_nor_all_time(limit):
    ledger = build_ledger(Brief(objective="Compare two ways.", hard_constraints=(limit,)))
    (item,) = ledger.items
    assert not any(is_budget(c) for c in item.checks)
    assert not list(last_days(ledger))
