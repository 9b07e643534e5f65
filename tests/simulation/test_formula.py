"""Formulas: what they give, and what they refuse in one sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TaskError
from dr_rd.simulation.formula import FUNCTIONS, evaluate, names, parse

VALUES = {"x": np.array([1.0, 2.0, 4.0]), "y": np.array([2.0, -1.0, 0.0])}


def value(text):
    return evaluate(parse(text, tuple(VALUES)), VALUES, 3).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + y * 2 - 1", [4, -1, 3]),
        ("-x ** 2", [-1, -4, -16]),
        ("2 ** -x", [0.5, 0.25, 0.0625]),
        ("+x / 4", [0.25, 0.5, 1]),
        ("where(y > 0, x, -x)", [1, -2, -4]),
        ("(x >= 2) * (y == 0)", [0, 0, 1]),
        ("min(x, y, 1.5) + max(x, 3)", [4, 2, 4]),
        ("clip(x, 1.5, 3)", [1.5, 2, 3]),
        ("abs(y) + floor(1.7) + ceil(0.2)", [4, 3, 2]),
        ("log10(100) + log(exp(1)) + sqrt(4)", [5, 5, 5]),
        ("sin(0) + cos(0) + tan(0) + tanh(0)", [1, 1, 1]),
        ("x\n  + 1e-3", [1.001, 2.001, 4.001]),
        ("x != 2", [1, 0, 1]),
    ],
)
def test_formulas_are_computed_draw_by_draw(text, expected):
    assert value(text) == pytest.approx(expected)


def test_a_result_without_a_value_is_not_finite_and_never_an_error():
    assert value("1 / y")[2] == np.inf
    assert np.isnan(value("sqrt(y)")[1])
    assert np.isnan(value("where(log(y) < 1, 1, 2)")[1])
    assert value("exp(1000)") == [np.inf] * 3


def test_a_formula_tells_its_names():
    assert names(parse("x + max(y, x) * 2", ("x", "y"))) == {"x", "y"}


ATTACKS = {
    "attribute": "x.__class__",
    "dunder": "__builtins__",
    "import": "__import__('os').system('id')",
    "import statement": "import os",
    "open": "open('/etc/hostname').read()",
    "lambda": "(lambda: 1)()",
    "comprehension": "[i for i in x]",
    "generator": "max(i for i in x)",
    "f-string": "f'{x}'",
    "power tower": "9**9**9",
    "power tower in brackets": "(9**9)**(9**9)",
    "shift": "1<<10**11",
    "factorial": "factorial(10**7)",
    "while": "while True: pass",
    "huge literal": "9" * 1900,
    "huger literal": "9" * 10_000_000,
    "huge exponent": "1e999",
    "deep brackets": "(" * 10_000 + "x" + ")" * 10_000,
    "deep signs": "-" * 1900 + "x",
    "deep calls": "abs(" * 190 + "x" + ")" * 190,
    "deep powers": "x**" * 600 + "x",
    "long sum": "+".join(["x"] * 200_000),
    "look-alike letter": "х + 1",  # Cyrillic
    "look-alike function": "ｅval(x)",
    "look-alike digit": "x + ٣",
    "walrus": "(x := 3)",
    "starred": "max(*x)",
    "keyword": "max(x, y, out=x)",
    "double starred": "max(x, **y)",
    "string": "'a' * 10**9",
    "bytes": "b'a'",
    "builtin": "eval(x)",
    "builtin as a value": "print",
    "subscript": "x[0]",
    "call of a call": "max(x, y)(x)",
    "function as a value": "max + 1",
    "name as a function": "x(1)",
    "nan": "nan",
    "inf": "inf * x",
    "true": "True + x",
    "none": "None",
    "ellipsis": "...",
    "complex": "1j",
    "hexadecimal": "0xff",
    "underscored": "1_000",
    "and": "x and y",
    "not": "not x",
    "if": "x if y else 1",
    "in": "x in y",
    "is": "x is y",
    "chain": "1 < x < 2",
    "bit": "x & y",
    "matrix": "x @ y",
    "modulo": "x % 2",
    "floor division": "x // 2",
    "tuple": "x, y",
    "empty tuple": "()",
    "closing first": "x) + (y",
    "await": "await x",
    "yield": "(yield x)",
    "statement": "x = 1",
    "two statements": "x\ny",
    "semicolon": "x; y",
    "comment": "x # y",
    "null": "x\0",
    "surrogate": "\ud800",
    "line continued": "x \\\n + 1",
    "too few": "max(x)",
    "too many": "clip(x, 1, 2, 3)",
    "empty": " ",
}


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attack_gives_one_short_sentence(text):
    with pytest.raises(TaskError) as refusal:
        parse(text, tuple(VALUES))
    assert len(str(refusal.value)) < 300
    assert "\n" not in str(refusal.value)


def test_a_misspelt_name_or_function_is_told_the_nearest():
    with pytest.raises(TaskError, match="did you mean 'flow_rate'"):
        parse("flow_rat * 2", ("flow_rate",))
    with pytest.raises(TaskError, match="did you mean 'log10'"):
        parse("log1(2)", ())


_WORDS = [*FUNCTIONS, *VALUES, *"+-*/(),<>=.:_ \n", "**", "1", "2.5", "1e3", "0", "if", "lambda"]


@given(st.text(max_size=60) | st.lists(st.sampled_from(_WORDS), max_size=30).map("".join))
def test_whatever_the_text_it_gives_an_array_or_a_sentence(text):
    try:
        found = evaluate(parse(text, tuple(VALUES)), VALUES, 3)
    except TaskError:
        return
    assert (found.shape, found.dtype) == ((3,), np.float64)


_LEAVES = st.sampled_from(["x", "y", "0", "1.5", "1e300"])


def _grown(parts):
    return (
        st.tuples(parts, st.sampled_from(["+", "-", "*", "/", "**", "<", "=="]), parts).map(
            lambda t: f"({t[0]}){t[1]}({t[2]})"
        )
        | st.tuples(st.sampled_from(["exp", "log", "sqrt", "abs"]), parts).map(
            lambda t: f"{t[0]}({t[1]})"
        )
        | st.tuples(parts, parts, parts).map(lambda t: f"where({','.join(t)})")
    )


@given(st.recursive(_LEAVES, _grown, max_leaves=15))
def test_every_formula_of_the_grammar_gives_an_array_or_names_its_power(text):
    try:
        found = evaluate(parse(text, tuple(VALUES)), VALUES, 3)
    except TaskError as refusal:
        assert "raises to the power" in str(refusal) or "nested deeper" in str(refusal)
        return
    assert (found.shape, found.dtype) == ((3,), np.float64)
