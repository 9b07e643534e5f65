"""Formulas as text: an allow-list of syntax, and arithmetic on float64 arrays only.

What is not on the list is refused; nothing is ever looked up, called or imported by name.
"""

import ast
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from math import isfinite
from typing import Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from core.errors import TaskError, nearest

Array = NDArray[np.float64]
"""One value a draw."""

LONGEST = 2000
"""Characters of a formula."""
DEEPEST = 100
"""Levels of a formula; a sum of a hundred terms is that deep."""
GREATEST_POWER = 64.0
"""Size of an exponent that is written out; a greater one is a mistake or an attack."""

Rule = Literal["alike", "pure", "compared", "chosen", "product", "quotient", "power", "root"]
"""What an operation asks of its arguments' units, and makes of them."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function of formulas."""

    name: str
    fewest: int
    most: int
    rule: Rule
    compute: Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Constant:
    """A number written in the formula."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """An input or an earlier formula."""

    id: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation and what it is applied to."""

    operation: Operation
    arguments: tuple["Node", ...]


Node = Constant | Name | Apply


def _truth(compare: Callable[..., NDArray[np.bool_]]) -> Callable[..., Array]:
    """Make a comparison give 1.0 and 0.0; what is compared with NaN stays NaN."""

    def compared(a: Array, b: Array) -> Array:
        return np.where(np.isnan(a) | np.isnan(b), np.nan, compare(a, b))

    return compared


def _where(condition: Array, yes: Array, no: Array) -> Array:
    return np.where(np.isnan(condition), np.nan, np.where(condition != 0, yes, no))


def _of_all(pair: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    return lambda *arrays: reduce(pair, arrays)


def _clip(a: Array, low: Array, high: Array) -> Array:
    return np.minimum(np.maximum(a, low), high)


FUNCTIONS: Mapping[str, Operation] = {
    o.name: o
    for o in (
        Operation("abs", 1, 1, "alike", np.abs),
        Operation("floor", 1, 1, "pure", np.floor),
        Operation("ceil", 1, 1, "pure", np.ceil),
        Operation("sqrt", 1, 1, "root", np.sqrt),
        Operation("exp", 1, 1, "pure", np.exp),
        Operation("log", 1, 1, "pure", np.log),
        Operation("log10", 1, 1, "pure", np.log10),
        Operation("sin", 1, 1, "pure", np.sin),
        Operation("cos", 1, 1, "pure", np.cos),
        Operation("tan", 1, 1, "pure", np.tan),
        Operation("tanh", 1, 1, "pure", np.tanh),
        Operation("min", 2, 20, "alike", _of_all(np.minimum)),
        Operation("max", 2, 20, "alike", _of_all(np.maximum)),
        Operation("clip", 3, 3, "alike", _clip),
        Operation("where", 3, 3, "chosen", _where),
    )
}
"""What a formula may call."""

_BINARY: Mapping[type[ast.operator], Operation] = {
    ast.Add: Operation("+", 2, 2, "alike", np.add),
    ast.Sub: Operation("-", 2, 2, "alike", np.subtract),
    ast.Mult: Operation("*", 2, 2, "product", np.multiply),
    ast.Div: Operation("/", 2, 2, "quotient", np.divide),
    ast.Pow: Operation("**", 2, 2, "power", np.power),
}
_UNARY: Mapping[type[ast.unaryop], Operation] = {
    ast.USub: Operation("-", 1, 1, "alike", np.negative),
    ast.UAdd: Operation("+", 1, 1, "alike", np.positive),
}
_COMPARE: Mapping[type[ast.cmpop], Operation] = {
    ast.Lt: Operation("<", 2, 2, "compared", _truth(np.less)),
    ast.LtE: Operation("<=", 2, 2, "compared", _truth(np.less_equal)),
    ast.Gt: Operation(">", 2, 2, "compared", _truth(np.greater)),
    ast.GtE: Operation(">=", 2, 2, "compared", _truth(np.greater_equal)),
    ast.Eq: Operation("==", 2, 2, "compared", _truth(np.equal)),
    ast.NotEq: Operation("!=", 2, 2, "compared", _truth(np.not_equal)),
}

_TOKEN = re.compile(
    r"[ \t\n]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])|[A-Za-z_][A-Za-z0-9_]*"
    r"|\*\*|[<>=!]=|[-+*/(),<>]"
)
"""All that formulas are written with, in ASCII: no brackets, quotes, dots or colons."""


def parse(text: str, known: Collection[str]) -> Node:
    """Read a formula over the *known* names.

    Raises:
        TaskError: It is too long or deep, or holds what formulas may not; one sentence, which
            the caller begins with the formula's name.

    """
    _scan(text)
    try:
        # on one line: a formula may run over several
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError("is not an expression: look for a missing operator or bracket") from error
    return _Reader(known).read(tree.body, 0)


def _scan(text: str) -> None:
    """Refuse by characters, before any parser sees the text."""
    if len(text) > LONGEST:
        raise TaskError(
            f"has {len(text):,} characters and may have {LONGEST:,}: split it into several"
        )
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if not token:
            raise TaskError(
                f"holds {text[place : place + 12]!a}, which formulas do not use; they hold "
                "numbers, names, + - * / **, comparisons, and functions with round brackets"
            )
        place = token.end()


@dataclass(frozen=True, slots=True)
class _Reader:
    known: Collection[str]

    def read(self, node: ast.expr, depth: int) -> Node:
        if depth > DEEPEST:
            raise TaskError(f"is nested deeper than {DEEPEST} levels: split it into several")
        match node:
            case ast.Constant():
                return _number(node.value)
            case ast.Name():
                return self._name(node.id)
            case ast.UnaryOp() if type(node.op) in _UNARY:
                return self._apply(_UNARY[type(node.op)], [node.operand], depth)
            case ast.BinOp() if type(node.op) in _BINARY:
                found = self._apply(_BINARY[type(node.op)], [node.left, node.right], depth)
                return _within_power(found)
            case ast.Compare(ops=[op]) if type(op) in _COMPARE:
                return self._apply(_COMPARE[type(op)], [node.left, *node.comparators], depth)
            case ast.Call(func=ast.Name(id=called), keywords=[]):
                return self._apply(_function(called), node.args, depth)
        _refuse(node)

    def _apply(self, operation: Operation, given: list[ast.expr], depth: int) -> Apply:
        if not operation.fewest <= len(given) <= operation.most:
            raise TaskError(
                f"gives {operation.name!r} {len(given)} arguments, and it takes "
                f"{operation.fewest}{'' if operation.fewest == operation.most else ' or more'}"
            )
        return Apply(operation, tuple(self.read(g, depth + 1) for g in given))

    def _name(self, name: str) -> Name:
        if name in self.known:
            return Name(name)
        if name in FUNCTIONS:
            raise TaskError(f"uses the function {name!r} without its brackets")
        raise TaskError(
            f"uses {name[:60]!r}, which is no input and no earlier formula"
            f"{nearest(name[:60], self.known)}; the names are {', '.join(self.known)}"
        )


def _within_power(node: Apply) -> Apply:
    power = constant(node.arguments[1]) if node.operation.rule == "power" else None
    if power is None or abs(power) <= GREATEST_POWER:
        return node
    raise TaskError(f"raises to the power {power:.6g}, and {GREATEST_POWER:g} is the greatest")


def constant(node: Node) -> float | None:
    """Return the value of a formula without names; None where it has some."""
    return None if names(node) else float(evaluate(node, {}, 1)[0])


def names(node: Node) -> frozenset[str]:
    """Return the names that a formula uses."""
    if isinstance(node, Apply):
        return frozenset().union(*map(names, node.arguments))
    return frozenset([node.id] if isinstance(node, Name) else [])


def _number(value: object) -> Constant:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TaskError(f"holds {value!r}, which is no number")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise TaskError("holds a number beyond 1.8e308, the largest there is")
    return Constant(number)


def _function(name: str) -> Operation:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise TaskError(
        f"calls {name[:60]!r}, which is no function here{nearest(name[:60], FUNCTIONS)}; "
        f"the functions are {', '.join(FUNCTIONS)}"
    )


def _refuse(node: ast.expr) -> NoReturn:
    kinds: dict[type[ast.expr], str] = {
        ast.Compare: "more than one comparison at once",
        ast.Tuple: "a list of values",
        ast.IfExp: "if and else (use where)",
        ast.BoolOp: "and or or (multiply comparisons, or use max)",
        ast.UnaryOp: "not (use 1 - x)",
        ast.Call: "a call that names no function of the list",
    }
    raise TaskError(f"holds {kinds.get(type(node), 'syntax')}, which formulas may not")


def evaluate(node: Node, values: Mapping[str, Array], size: int) -> Array:
    """Compute a formula; overflow gives inf and what is undefined NaN, never an error.

    Args:
        node: What *parse* gave.
        values: An array of shape (*size*,) for every name.
        size: How many draws there are.

    Returns:
        A float64 array of shape (*size*,).

    """
    with np.errstate(all="ignore"):
        return np.broadcast_to(_value(node, values), (size,)).astype(np.float64)


def _value(node: Node, values: Mapping[str, Array]) -> Array:
    if isinstance(node, Constant):
        return np.asarray(node.value, dtype=np.float64)
    if isinstance(node, Name):
        return values[node.id]
    return node.operation.compute(*(_value(a, values) for a in node.arguments))
