"""The simulation tool against closed forms, and what it refuses before the first draw."""

from math import exp, log, pi, sqrt
from statistics import NormalDist

import pytest
from pydantic import ValidationError

from core.errors import TaskError
from core.values import canonical
from dr_rd.confined import Limits
from dr_rd.tools.simulate import Simulate, simulate


def given(name, unit="", kind="fixed", **numbers):
    return {"name": name, "unit": unit, "distribution": {"kind": kind, **numbers}}


def asked(*inputs, formulas, **rest):
    rows = [
        {"name": name, "expression": expression, "unit": unit}
        for name, (expression, unit) in formulas.items()
    ]
    return Simulate(inputs=inputs, formulas=rows, **rest)


X = given("x", kind="normal", mean=3, sd=4)
FLOW = given("flow", "kg/h", "pert", low=10, mode=12, high=20)
PRICE = given("price", "GBP/kg", value=3)


def test_a_sum_of_normals_is_the_normal_that_it_must_be():
    """N(3, 4²) + N(-1, 3²) = N(2, 5²)."""
    y = given("y", kind="normal", mean=-1, sd=3)
    found = simulate(asked(X, y, formulas={"s": ("x + y", "")}, draws=100_000))["outputs"]["s"]
    exact = NormalDist(2, 5)
    assert found["mean"] == pytest.approx(2, abs=0.06)
    assert found["sd"] == pytest.approx(5, abs=0.05)
    for share in (10, 50, 80, 90):
        assert found[f"P{share}"] == pytest.approx(exact.inv_cdf(share / 100), abs=0.1)


def test_a_product_of_lognormals_is_the_lognormal_that_it_must_be():
    """Logarithms add: mu = mu1 + mu2, sigma² = sigma1² + sigma2²."""
    a = given("a", "m", "lognormal", mean=10, sd=3)
    b = given("b", "cm", "lognormal", mean=200, sd=80)
    found = simulate(asked(a, b, formulas={"area": ("a * b", "m**2")}, draws=100_000))
    variance = log(1 + 0.3**2) + log(1 + 0.4**2)
    center = log(10) + log(2) - variance / 2
    area = found["outputs"]["area"]
    assert area["mean"] == pytest.approx(20, rel=0.01)
    for share in (10, 50, 80, 90):
        exact = exp(center + NormalDist().inv_cdf(share / 100) * sqrt(variance))
        assert area[f"P{share}"] == pytest.approx(exact, rel=0.015)


def test_shares_of_variance_of_the_ishigami_function_are_the_published_ones():
    """Ishigami & Homma (1990); Saltelli et al. (2008): 0.3139, 0.4424, 0; 0.5576, 0.4424, 0.2437."""
    bounds = {"kind": "uniform", "low": -pi, "high": pi}
    inputs = [given(name, **bounds) for name in ("x1", "x2", "x3")]
    text = "sin(x1) + 7 * sin(x2)**2 + 0.1 * x3**4 * sin(x1)"
    found = simulate(
        asked(*inputs, formulas={"f": (text, "")}, draws=100_000, sensitivity="sobol")
    )["sensitivity"]["f"]
    assert [found[n]["first"] for n in found] == pytest.approx([0.3139, 0.4424, 0], abs=0.015)
    assert [found[n]["total"] for n in found] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.015)


def test_units_convert_on_the_way_in_and_out():
    warm = given("t", "degC", value=20)
    found = simulate(
        asked(
            given("flow", "kg/h", value=10), PRICE, warm,
            formulas={
                "cost": ("flow * price", "kGBP/day"),
                "kelvins": ("t", "kelvin"),
                "share": ("flow / (2 * flow)", "%"),
                "side": ("sqrt(cost / cost)", ""),
            },
        )
    )["outputs"]  # fmt: skip
    assert found["cost"]["mean"] == pytest.approx(0.72)
    assert found["kelvins"]["P50"] == pytest.approx(293.15)
    assert (found["share"]["P90"], found["share"]["unit"]) == (50, "%")


@pytest.mark.parametrize(
    ("expression", "unit", "told"),
    [
        ("flow * price", "GBP", "comes out in 'GBP / second' .*declared in 'GBP'"),
        ("flow + price", "GBP", "'kilogram / second'.*'GBP / kilogram'.*with '\\+'"),
        ("exp(flow)", "", "to 'exp', which takes plain numbers"),
        ("flow ** x", "kg/h", "to a power that varies"),
        ("flow ** price", "kg/h", "takes plain numbers"),
        ("where(flow, 1, 2)", "", "takes plain numbers"),
        ("where(x > 1, flow, price)", "kg/h", "together with 'where'"),
        ("flow < price", "", "together with '<'"),
        ("flow < 1", "", "together with '<'"),
        ("t", "degC", "declare 'kelvin' .* 'delta_degree_Celsius'"),
        ("x + cost2", "", "uses 'cost2', which is no input and no earlier formula"),
        ("f", "", "uses 'f', which is no input and no earlier formula"),
        ("x +", "", "is not an expression"),
        ("x", "furlongz", "unit 'furlongz' is not known"),
    ],
)
def test_a_formula_is_refused_before_the_first_draw(expression, unit, told, monkeypatch):
    monkeypatch.setattr("dr_rd.tools.simulate.tool.ask", None)  # nothing is to be drawn
    inputs = (FLOW, PRICE, X, given("t", "degC", value=20))
    with pytest.raises(TaskError, match=f"^formula 'f'.*{told}"):
        simulate(asked(*inputs, formulas={"f": (expression, unit)}))


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    def bytes_of(*inputs, seed=5):
        return canonical(simulate(asked(*inputs, formulas={"f": ("x*flow", "kg/h")}, seed=seed)))

    assert bytes_of(X, FLOW) == bytes_of(X, FLOW) != bytes_of(X, FLOW, seed=6)


def test_another_input_leaves_the_draws_of_the_others_as_they_were():
    alone = simulate(asked(X, formulas={"f": ("x", "")}))
    beside = simulate(asked(FLOW, X, formulas={"f": ("x", "")}))
    assert alone == beside


def test_sensitivity_ranks_the_inputs_that_a_formula_uses():
    small = given("small", kind="uniform", low=0, high=1)
    found = simulate(
        asked(X, small, FLOW, formulas={"a": ("x - small", ""), "b": ("2 * a", "")})
    )["sensitivity"]  # fmt: skip
    assert list(found["b"]) == ["x", "small"]
    assert found["b"]["x"] > 0.9 > 0 > found["b"]["small"]


def test_a_sweep_holds_one_input_while_the_others_keep_their_draws():
    found = simulate(
        asked(
            FLOW, given("hours", "h", value=1), formulas={"mass": ("flow * hours", "kg")},
            sweep={"input": "hours", "values": [1, 60]},
        )
    )  # fmt: skip
    first, second = found["sweep"]["rows"]
    assert first["outputs"]["mass"]["P80"] == found["outputs"]["mass"]["P80"]
    assert second["outputs"]["mass"]["mean"] == pytest.approx(
        60 * first["outputs"]["mass"]["mean"], rel=1e-4
    )
    assert found["sweep"]["unit"] == "h"


def test_draws_that_are_not_finite_are_flagged_and_left_out():
    u = given("u", kind="uniform", low=-1, high=3)
    found = simulate(asked(u, formulas={"f": ("log(u)", "")}))
    assert found["outputs"]["f"]["nonfinite"] == pytest.approx(0.25, abs=0.02)
    assert "f: 2" in found["warnings"][0]


def test_a_formula_that_is_never_finite_fails():
    with pytest.raises(TaskError, match="'f' is not finite in any draw: look for"):
        simulate(asked(X, formulas={"f": ("exp(1000 + 0*x)", "")}))


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(seconds=20, memory=100_000_000, wall=60), r"needs more than 0\.1 GB"),
        (
            Limits(seconds=1, memory=1_500_000_000, wall=60),
            "takes more than 1 s of processor time",
        ),
    ],
)
def test_a_simulation_beyond_its_limits_says_so(limits, told, monkeypatch):
    monkeypatch.setattr("dr_rd.tools.simulate.tool.LIMITS", limits)
    inputs = [given(f"x{n}", kind="normal", mean=0, sd=1) for n in range(50)]
    text = "+".join(f"exp(sin(x{n}))" for n in range(50))
    formulas = {f"f{n}": (text, "") for n in range(50)}
    with pytest.raises(TaskError, match=f"^the simulation {told}; ask for fewer draws"):
        simulate(asked(*inputs, formulas=formulas, draws=100_000, sensitivity="sobol"))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"draws": 10**6}, "less than or equal to 100000"),
        ({"inputs": [X, X]}, "two inputs or formulas are named 'x'"),
        ({"inputs": [given("exp", value=1)]}, "'exp' is taken"),
        ({"inputs": [given("__class__", value=1)]}, "pattern"),
        ({"inputs": [given("x", value=float("nan"))]}, "nan is beyond 1e\\+100, the largest"),
        ({"inputs": [given("x", value=float("inf"))]}, "inf is beyond"),
        ({"inputs": [given("x", kind="pert", low=3, mode=2, high=5)]}, "3, 2, 5 are not in order"),
        ({"inputs": [given("x", kind="cauchy")]}, "'cauchy'"),
        ({"outputs": ["g"]}, "output 'g' is none; choose from: f"),
        ({"sweep": {"input": "y", "values": [1]}}, "swept input 'y' is none"),
        ({"sweep": {"input": "x", "values": []}}, "at least 1"),
        ({"code": "1"}, "Extra inputs"),
    ],
)
def test_arguments_that_make_no_model_are_refused(changes, told):
    model = {"inputs": [X], "formulas": [{"name": "f", "expression": "x"}]}
    with pytest.raises(ValidationError, match=told):
        Simulate(**{**model, **changes})
