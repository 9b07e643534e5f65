"""What a limit is about, and so which task answers for it."""

import pytest

from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.planning.ownership import load_topics, topics_of


@pytest.mark.parametrize(
    ("limit", "topic"),
    [
        ("30 kEUR", "budget"),
        ("at most €8,000", "budget"),
        ("by June 2027", "schedule"),
        ("at least 200 loaves baked", "sample-size"),
        ("below 40 dB at night", "measurement"),
    ],
)
def test_a_figure_tells_what_a_limit_is_about_where_its_words_do_not(limit, topic):
    (item,) = build_ledger(Brief(objective="Bake bread.", hard_constraints=(limit,))).items
    assert topics_of(item, load_topics()) == {topic: 1}
