"""A price that nobody knows is unknown and never nothing."""

from datetime import date

import pytest

from core.errors import CallerError
from core.requests import Reply, Request
from core.settings import Flags
from dr_rd.models.served.prices import read_prices

OPENAI = "https://api.openai.com"
OURS = read_prices({})


def cost(prices=OURS, endpoint=OPENAI, model="gpt-4o-mini", answered="", counted=(2_000, 500)):
    asked = Request("answer", "T01", model, endpoint, {})
    told, said = counted
    reply = Reply(
        text="", finish="stop", model=answered, prompt_tokens=told, completion_tokens=said
    )
    return prices.price(asked, reply)


def test_a_reply_costs_what_its_tokens_do():
    assert cost() == pytest.approx(2_000 * 0.15e-6 + 500 * 0.60e-6)


@pytest.mark.parametrize("counted", [(None, 500), (2_000, None), (None, None)])
def test_tokens_that_were_not_counted_make_the_cost_unknown(counted):
    assert cost(counted=counted) is None


def test_the_price_of_an_unknown_model_is_unknown():
    assert cost(model="gpt-99") is None


def test_the_same_name_on_another_host_has_no_known_price():
    assert cost(endpoint="https://gateway.example.org") is None
    assert cost(endpoint="https://api.openai.com.example.org") is None


def test_the_model_that_answered_is_paid_and_not_the_one_that_was_asked():
    assert cost(model="gpt-4o", answered="gpt-4o-mini-2024-07-18") == cost()
    assert cost(model="gpt-4o-mini", answered="gpt-4o-mini-2031-01-01") is None


@pytest.mark.parametrize("endpoint", ["http://localhost:11434", "http://[::1]:8080"])
def test_a_model_on_this_machine_costs_nothing_by_a_rule_that_says_so(endpoint):
    assert cost(endpoint=endpoint, model="qwen", counted=(None, None)) == 0.0
    rate = OURS.rate(endpoint, "qwen")
    assert rate and rate.source == "local server" and rate.as_of is None


def test_a_cap_on_money_is_refused_where_a_price_is_unknown():
    capped = Flags(MAX_COST_USD=1)
    OURS.check_cap(capped, OPENAI, ["gpt-4o", "gpt-5"])
    OURS.check_cap(capped, "http://localhost:11434", ["qwen"])
    OURS.check_cap(Flags(), OPENAI, ["gpt-99"])  # nobody set a cap
    with pytest.raises(CallerError, match=r"MAX_COST_USD=1 cannot be kept: what 'gpt-99' costs"):
        OURS.check_cap(capped, OPENAI, ["gpt-4o", "gpt-99"])


def test_the_prices_of_at_least_forty_models_are_known():
    assert len(OURS.rates) >= 40
    assert len({rate.host for rate in OURS.rates}) >= 5


def test_every_price_of_ours_names_its_host_its_day_and_its_page():
    for rate in OURS.rates:
        assert rate.host and rate.as_of and rate.as_of > date(2024, 1, 1)
        assert rate.source.startswith("https://")
        assert 0 < rate.input_usd < rate.output_usd
    names = [name for rate in OURS.rates for name in rate.models]
    assert len(names) == len(set(names))


_THEIRS = """
prices:
  - models: [gpt-4o-mini, house-model]
    input_usd: 1
    output_usd: 2
    source: our contract
"""


@pytest.mark.parametrize("way", ["environment", "path"])
def test_the_analysts_own_prices_come_first_and_hold_anywhere(tmp_path, way):
    path = tmp_path / "prices.yaml"
    path.write_text(_THEIRS)
    own = (
        read_prices({"DRRD_PRICES": str(path)}) if way == "environment" else read_prices({}, path)
    )
    assert cost(own) == pytest.approx(3_000e-6)
    assert cost(own, endpoint="http://localhost:4000", model="house-model") == pytest.approx(3e-3)
    assert cost(own, model="gpt-4o") == cost(model="gpt-4o")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("prices: [", "cannot be read"),
        ("prices:\n- models: [m]\n  input_usd: -1\n  output_usd: 1\n  source: x", "input_usd"),
        ("prices:\n- models: [m]\n  output_usd: 1\n  source: x", "input_usd"),
        ("prices:\n- models: []\n  input_usd: 1\n  output_usd: 1\n  source: x", "models"),
        ("prices:\n- models: [m]\n  input_usd: .nan\n  output_usd: 1\n  source: x", "input_usd"),
        ("- 5", "the file"),
    ],
)
def test_prices_that_cannot_be_used_are_refused_with_the_place(tmp_path, text, said):
    path = tmp_path / "prices.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CallerError, match=said):
        read_prices({}, path)
