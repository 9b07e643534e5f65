"""What the metrics cannot see, as docs/metrics.md says: each of these must go on failing.

A test that passes here has become a strength: move it to the relations, and change the page.
"""

import pytest

from tests.metamorphic import transforms as to
from tests.metamorphic.plans import Plan, plans
from tests.metamorphic.relations import rng, value


def _seen(change) -> int:
    """Count the plans whose overall number falls."""

    def falls(plan: Plan) -> bool:
        after = value(plan.card(change(plan.text)), "overall")
        return after < value(plan.card(plan.text), "overall")

    return sum(falls(p) for p in plans().values())


@pytest.mark.xfail(reason="order is not read: a shuffled argument scores the same", strict=True)
def test_sentences_in_another_order_are_seen():
    assert _seen(lambda text: to.shuffled_sentences(text, rng())) > len(plans()) / 2


@pytest.mark.xfail(reason="logic is not read: a turned conclusion scores the same", strict=True)
def test_a_negated_conclusion_is_seen():
    assert _seen(to.negated_conclusion) > len(plans()) / 2


@pytest.mark.xfail(
    reason="truth is not known: a wrong statement without source scores the same", strict=True
)
def test_a_false_fact_is_seen():
    false = "Water boils at a lower temperature when the pressure rises, which the team relies on."
    assert _seen(lambda text: to.appended(text, false)) > len(plans()) / 2


@pytest.mark.xfail(
    reason="methods are not judged: one that does not fit scores the same", strict=True
)
def test_a_method_that_does_not_fit_is_seen():
    unfit = "All results will be analysed with a single coin toss."
    assert _seen(lambda text: to.appended(text, unfit)) > len(plans()) / 2
