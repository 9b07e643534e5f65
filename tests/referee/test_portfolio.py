"""Bids under hard limits: refusals by how much, commitments, the optimum, and what limits cost."""

import subprocess
import sys
from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import seeded
from core.errors import CallerError
from core.modes.referee.state import Played
from dr_rd.modes.scenario import load_scenario
from dr_rd.referee import find_rules, rule_sets
from dr_rd.referee.offer import Commissioned, Job, Offer, Reporting, Stream
from dr_rd.referee.portfolio.commission import commissioned
from dr_rd.referee.portfolio.facts import granted_in_turn
from dr_rd.referee.portfolio.limits import breaks
from dr_rd.referee.portfolio.position import After, Apart, Limit, Position, Setup, Workstream
from dr_rd.referee.portfolio.price import prices
from dr_rd.referee.portfolio.program import best, relaxation

RULES = find_rules("portfolio")


def stream(name: str, points: float, *money: float, **more) -> Workstream:
    length = len(money)
    return Workstream(
        id=name, title=name, points=points, days=length * 10, use={"money": money}, **more
    )


def limit(per: str, at_most: float, step: float = 1) -> Limit:
    return Limit(
        id=f"money {per}", resource="money", per=per, at_most=at_most, unit="EUR", step=step
    )


def setup(*streams: Workstream, periods: int = 4, **more) -> Setup:
    return Setup(
        title="test",
        currency="EUR",
        periods=tuple(f"Q{n}" for n in range(1, periods + 1)),
        period_days=10,
        horizon_days=periods * 10,
        streams=streams,
        **more,
    )


def shipped() -> Setup:
    scenario = load_scenario("four-quarters")
    return Setup.model_validate(RULES.commission(None, scenario["setup"]))


def test_it_is_found_and_can_be_set_up_and_reports() -> None:
    assert "portfolio" in rule_sets()
    assert isinstance(RULES, Commissioned)
    assert isinstance(RULES, Reporting)
    with pytest.raises(CallerError, match=r"'bridge'.*portfolio"):
        find_rules("bridge")


@pytest.mark.parametrize("text", ["start Q2", "START q2", " start in Q2. "])
def test_bid_is_read_in_its_grammar(text: str) -> None:
    position = Position(setup=setup(stream("a", 1, 5)))
    assert RULES.validate(position, RULES.read(text)).legal
    assert RULES.apply(position, RULES.read(text)).starts == {"a": 1}


@pytest.mark.parametrize("text", ["", "Q2", "I start in Q2 and pass", "play 3 3", "pass it on"])
def test_what_is_no_bid_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(CallerError, match="write start and a period, or pass"):
        RULES.read(text)


def test_period_that_is_none_is_refused_with_the_periods() -> None:
    position = Position(setup=setup(stream("a", 1, 5)))
    ruling = RULES.validate(position, RULES.read("start Q9"))
    assert (ruling.legal, ruling.reason) == (False, "Q9 is no period; they are Q1, Q2, Q3, Q4")
    with pytest.raises(ValueError, match="Q9"):
        RULES.apply(position, RULES.read("start Q9"))


def test_refusal_names_every_limit_it_breaks_and_by_how_much() -> None:
    bids = setup(
        stream("a", 1, 6, 6),
        stream("b", 1, 5, 9),
        limits=(limit("period", 10), limit("total", 20)),
    )
    position = Position(setup=bids, starts={"a": 0}, turn=1)
    ruling = RULES.validate(position, RULES.read("start Q1"))
    assert ruling.reason == (
        "money in Q1: 1 EUR over 10 EUR; money in Q2: 5 EUR over 10 EUR; "
        "money in all: 6 EUR over 20 EUR"
    )
    assert [b["over"] for b in ruling.facts["breaks"]] == [1, 5, 6]
    assert ruling.public == ruling.reason


def test_dependency_window_deadline_and_exclusion_are_refused_by_how_much() -> None:
    bids = setup(
        stream("a", 1, 1),
        stream("b", 1, 1, 1, latest=1, window="the season"),
        stream("c", 1, 1),
        after=(After(stream="b", after="a", lag=1),),
        apart=(Apart(streams=("b", "c")),),
    )

    def said(starts, name, start):
        found = breaks(bids, starts, bids.stream(name), start)
        return {b.limit: (b.over, b.unit) for b in found}

    assert said({}, "b", 0) == {"b after a": (0, "")}
    assert said({"a": 1}, "b", 1) == {"b after a": (1, "periods")}
    assert said({"a": 0}, "b", 3) == {"window of b": (2, "periods"), "deadline": (10, "days")}
    assert said({"a": 0, "c": 2}, "b", 1) == {"b and c apart": (1, "periods")}
    assert said({"a": 0}, "b", 1) == {}


def test_no_bid_may_leave_a_commitment_without_a_start() -> None:
    bids = setup(stream("a", 9, 8), stream("b", 1, 6), limits=(limit("total", 10),), keep=("b",))
    position = Position(setup=bids)
    ruling = RULES.validate(position, RULES.read("start Q1"))
    assert not ruling.legal
    assert "it would leave b, which is committed, no start (money in all: 4 EUR" in ruling.reason
    later = RULES.apply(position, RULES.read("pass"))
    assert "may not pass" in RULES.validate(later, RULES.read("pass")).reason
    assert RULES.legal_moves(later)[0].text == "start Q1"


def test_own_points_and_needs_are_hidden_until_the_end() -> None:
    bids = setup(stream("a", 7, 4.5), stream("b", 3, 6.5), limits=(limit("total", 10),))
    position = Position(setup=bids)
    mine, other = RULES.view(position, "a"), RULES.view(position, "")
    assert [s["id"] for s in mine["streams"]] == ["a"]
    assert other["streams"] == []
    assert "6.5" not in RULES.describe(position, "a")
    assert "4.5" in RULES.describe(position, "a")
    over = RULES.apply(RULES.apply(position, RULES.read("start Q1")), RULES.read("pass"))
    assert len(RULES.view(over, "")["streams"]) == 2


def test_built_in_bidder_answers_a_refusal_with_the_earliest_legal_start() -> None:
    bids = setup(stream("a", 1, 8), stream("b", 1, 8), limits=(limit("period", 10),))
    position = Position(setup=bids, starts={"a": 0}, turn=1)
    chance = seeded(0)("bid")
    first = RULES.choose(position, chance)
    ruling = RULES.validate(position, first)
    assert (first.text, ruling.legal) == ("start Q1", False)
    assert RULES.choose_again(position, [(first, ruling)], chance).text == "start Q2"
    assert RULES.forced(position).text == "start Q2"
    full = position.model_copy(update={"setup": bids.model_copy(update={"periods": ("Q1",)})})
    assert RULES.forced(full).text == "pass"


_MONEY = st.integers(0, 9)


@st.composite
def setups(draw) -> Setup:
    names = "abcd"[: draw(st.integers(1, 4))]
    streams = [
        stream(
            name,
            draw(st.integers(0, 9)),
            *draw(st.lists(_MONEY, min_size=1, max_size=2)),
            earliest=draw(st.integers(0, 1)),
            latest=draw(st.sampled_from([None, 2])),
            aims=draw(st.dictionaries(st.sampled_from("pq"), st.integers(1, 9), max_size=2)),
        )
        for name in names
    ]
    pairs = [(a, b) for a in names for b in names if a < b]
    after = draw(st.lists(st.sampled_from(pairs), max_size=1)) if pairs else []
    apart = draw(st.lists(st.sampled_from(pairs), max_size=1)) if pairs else []
    when = draw(st.sampled_from(["together", "ever"]))
    return setup(
        *streams,
        periods=3,
        limits=(
            limit("period", draw(st.integers(1, 12))),
            limit("total", draw(st.integers(1, 25))),
        ),
        after=tuple(After(stream=b, after=a, lag=draw(st.integers(0, 1))) for a, b in after),
        apart=tuple(Apart(streams=pair, when=when) for pair in apart),
        keep=tuple(draw(st.sets(st.sampled_from(names), max_size=1))),
    )


def test_what_two_streams_serve_counts_once_by_the_better() -> None:
    bids = setup(
        stream("a", 9, 8, aims={"question": 6, "one": 3}),
        stream("b", 8, 5, aims={"question": 5, "two": 3}),
        stream("c", 5, 1, aims={"question": 5}),
        stream("d", 2, 1),
        limits=(limit("total", 20),),
    )
    assert bids.worth("ab") == 12 and bids.worth("abcd") == 14
    assert bids.idle("ab", "c") and not bids.idle("", "c") and not bids.idle("ab", "d")
    found = best(bids)
    assert (set(found.starts), found.points) == ({"a", "b", "d"}, 14)  # c would add nothing
    position = Position(setup=bids, starts={"a": 0, "b": 0}, turn=2)
    assert RULES.choose(position, seeded(0)("bid")).text == "pass"
    assert set(granted_in_turn(bids).starts) == {"a", "b", "d"}
    over = Position(setup=bids, starts={"a": 0, "b": 0, "d": 0}, turn=4)
    report = RULES.report(over, Played(turns=(), log=(), outcome=RULES.outcome(over)))
    told = report.finding
    assert "beside a, b adds 3 points for 5 EUR of its own" in told
    assert "c is a rival design of what is granted and would add no point beside it" in told
    assert "Could a serve two as well? That is all that b adds beside it, 3 points" in report.text
    assert RULES.view(position, "")["counted"] == {"question": 6, "one": 3, "two": 3}


def test_a_tie_of_rivals_is_said_to_be_one_and_what_does_not_fit_alone_is_said_to_be_too_dear() -> (
    None
):
    same = {"question": 6}
    bids = setup(
        stream("b", 6, 5, aims=same),
        stream("a", 6, 5, aims=same),
        stream("c", 5, 5, aims={"question": 5}, why="simplicity: it names each"),
        stream("d", 5, 25, aims={"question": 5}),
        limits=(limit("total", 20),),
    )
    over = Position(setup=bids, starts={"a": 0}, turn=4)
    told = RULES.report(over, Played(turns=(), log=(), outcome=RULES.outcome(over)))
    assert "Grant a or b, for 5 of 20 EUR: their points and money are the same" in told.finding
    assert "c, a rival design, is 1 point behind (simplicity: it names each)" in told.finding
    assert "d would not fit even alone: " in told.finding and "5 EUR" in told.finding
    assert "What sets a and b apart?" in told.text and "Is c rightly behind" in told.text
    assert "Lost at" not in told.text


def counted(bids: Setup, starts: Iterable[str]) -> float:
    """Return the points of a portfolio, each aim by itself."""
    streams = [bids.stream(name) for name in starts]
    aims = {aim for s in streams for aim in s.aims}
    best_of = (max(s.aims.get(aim, 0) for s in streams) for aim in aims)
    return sum(best_of) + sum(s.points for s in streams if not s.aims)


def every_legal(bids: Setup) -> list[dict[str, int]]:
    """Return every portfolio that keeps every limit, by trying them all."""
    free = bids.model_copy(update={"keep": ()})
    ids = [s.id for s in bids.streams]
    choices = product([None, *range(len(bids.periods))], repeat=len(ids))
    every = [{n: s for n, s in zip(ids, c, strict=True) if s is not None} for c in choices]
    return [
        starts
        for starts in every
        if set(bids.keep) <= set(starts)
        and not any(
            breaks(free, {k: v for k, v in starts.items() if k != n}, free.stream(n), s)
            for n, s in starts.items()
        )
    ]


@given(setups())
def test_optimum_of_the_program_is_that_of_trying_every_portfolio(bids: Setup) -> None:
    legal = every_legal(bids)
    found = best(bids)
    if not legal:
        assert found is None
        return
    worth = max(counted(bids, starts) for starts in legal)
    assert found is not None
    assert found.points == pytest.approx(worth)
    assert dict(found.starts) in legal
    assert relaxation(bids).points >= worth - 0.01


@given(setups(), st.randoms(use_true_random=False))
def test_generator_and_validator_agree_and_no_legal_move_breaks_a_limit(bids, chance) -> None:
    position = Position(setup=bids)
    while position.bidder:
        legal = {move.text for move in RULES.legal_moves(position)}
        assert legal
        for text in ("pass", *(f"start {name}" for name in bids.periods)):
            assert RULES.validate(position, RULES.read(text)).legal == (text in legal)
        before = position.model_dump()
        position = RULES.apply(position, RULES.read(chance.choice(sorted(legal))))
        assert before["starts"].items() <= position.starts.items()
    free = bids.model_copy(update={"keep": ()})
    for name, start in position.starts.items():
        rest = {k: v for k, v in position.starts.items() if k != name}
        assert not breaks(free, rest, free.stream(name), start)
    found = best(bids)
    if found and set(bids.keep) <= set(position.starts):
        assert found.points >= position.points - 1e-6


def test_shadow_price_is_the_difference_of_optima_when_a_limit_is_loosened_by_a_step() -> None:
    bids = setup(stream("a", 5, 6), stream("b", 4, 6), limits=(limit("total", 10, step=2),))
    optimum = best(bids)
    found = prices(bids, optimum)
    assert optimum.points == 5
    assert found.limits[0].step.gain == 4
    assert found.limits[0].least.by == {"money total": pytest.approx(2)}
    small = bids.model_copy(update={"limits": (limit("total", 10, step=1),)})
    assert prices(small, optimum).limits[0].step.gain == 0
    # the dual of the relaxation promises something for every unit: it only bounds
    assert found.limits[0].dual == pytest.approx(4 / 6, abs=1e-3)


def test_limits_that_bind_in_pairs_are_loosened_in_pairs() -> None:
    bids = setup(
        stream("a", 5, 10),
        stream("b", 4, 11),
        periods=2,
        limits=(limit("period", 10), limit("total", 20)),
    )
    optimum = best(bids)
    found = prices(bids, optimum)
    assert optimum.points == 5
    assert [price.step.gain for price in found.limits] == [0, 0]
    assert all(price.least is None for price in found.limits)
    [pair] = found.pairs
    assert pair.by == {"money period": pytest.approx(1), "money total": pytest.approx(1)}
    assert pair.gain == 4
    assert found.least.by == pair.by
    [step] = found.step_pairs
    assert step.gain == 4


def test_rules_are_priced_by_leaving_each_out() -> None:
    bids = setup(
        stream("a", 5, 1, 1),
        stream("b", 4, 1, 1),
        periods=3,
        apart=(Apart(streams=("a", "b")),),
    )
    optimum = best(bids)
    gains = {price.limits[0]: price.gain for price in prices(bids, optimum).rules}
    assert gains == {"a and b apart": 4, "deadline": 4}


def test_commitment_that_cannot_be_kept_has_no_optimum_and_is_told() -> None:
    bids = setup(stream("a", 5, 30), limits=(limit("total", 10),), keep=("a",))
    assert best(bids) is None


def test_shipped_scenario_has_a_regret_and_says_where_it_was_lost() -> None:
    bids = shipped()
    position = granted_in_turn(bids)
    assert (position.points, best(bids).points) == (19, 25)


def test_streams_in_two_currencies_are_not_added_without_a_rate() -> None:
    job = Job(id="T1", title="t", start=0, days=5, cost=100)
    streams = tuple(
        Stream(id=c.lower(), title=c, value=1, why="", currency=c, jobs=(job,))
        for c in ("GBP", "EUR")
    )
    offer = Offer(title="two", streams=streams, currency="GBP", budget=150, days=20)
    with pytest.raises(CallerError, match="eur is priced in EUR and the portfolio in GBP"):
        commissioned(offer, {})
    found = commissioned(offer, {"rates": {"EUR": 0.5}})
    assert {s.id: sum(s.use["money"]) for s in found.streams} == {"gbp": 100, "eur": 50}


def test_scenario_that_does_not_fit_says_what_is_wrong() -> None:
    for given_, said in (
        ({"streamz": []}, "streamz"),
        ({"streams": [{"id": "a", "money": [1]}], "keep": ["z"]}, "'z' is no workstream"),
        ({"streams": [{"id": "a", "money": [1]}], "order": ["q"]}, "'q'"),
        ({"streams": [{"id": "O9"}]}, "O9"),
        ({"streams": [{"id": "a", "money": [1]}, {"id": "a", "money": [1]}]}, "two workstreams"),
        ({}, "nothing is left that may bid"),
    ):
        with pytest.raises(CallerError, match=said):
            commissioned(None, given_)


def test_package_up_to_a_gate_is_that_task_and_all_it_waits_for() -> None:
    jobs = (
        Job(id="T1", title="", start=0, days=5, cost=10),
        Job(id="T2", title="", start=5, days=5, cost=20, needs=("T1",)),
        Job(id="T3", title="", start=5, days=9, cost=40, needs=("T1",)),
    )
    whole = Stream(id="O1", title="", value=3, why="", jobs=jobs)
    offer = Offer(title="", streams=(whole,), days=20)
    found = commissioned(offer, {"streams": [{"id": "pilot", "source": "O1", "until": "T2"}]})
    assert (found.streams[0].days, sum(found.streams[0].use["money"])) == (10, 30)
    with pytest.raises(CallerError, match="T9"):
        whole.until("T9")


def test_the_solver_writes_nothing_where_results_go() -> None:
    program = "import highspy; highspy.Highs()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ended.stdout == b""
