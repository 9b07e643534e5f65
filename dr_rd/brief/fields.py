"""What a brief holds under a key: whether it fits, and its value."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from core.errors import CallerError, all_unknown, nearest, unknown
from core.graph.state import ThreePoint
from core.values import Frozen
from dr_rd.brief.values import LISTS, Estimate, Risk, TasksMode
from dr_rd.quantity import days_in, quantities
from dr_rd.study import Statistics

MAX_ITEMS = 200
"""Lines of one list: more limits than that nobody holds in mind; tables go to the documents."""

MAX_LENGTH = 10_000
"""Characters of one entry: some four pages."""


def mapping(
    raw: Any,  # noqa: ANN401 - whatever the file holds
    model: type[Frozen],
    where: str,
    aliases: Mapping[str, str],
) -> dict[str, Any]:
    """Return *raw* as a mapping of fields of *model*; empty ones are left out."""
    if not isinstance(raw, dict):
        raise CallerError(f"{where} is {value_kind(raw)}; it must be a mapping of keys to values")
    check_keys({where: raw}, model, aliases)
    given: dict[str, Any] = {}
    for key, value in raw.items():
        if (field := aliases.get(key, key)) in given:
            first = next(k for k in raw if aliases.get(k, k) == field)
            raise CallerError(f"{where} gives both {first!r} and {key!r}; keep one of them")
        if value is not None:
            given[field] = value
    return given


def check_keys(
    held: Mapping[str, Mapping[Any, Any]], model: type[Frozen], aliases: Mapping[str, str]
) -> None:
    """Refuse keys that are no fields of *model*, all at once; *held* is by what each is called."""
    known = [*model.model_fields, *aliases]
    strange = [(place, str(k)) for place, raw in held.items() for k in raw if k not in known]
    if len(strange) == 1:
        raise unknown(f"key in {strange[0][0]}", strange[0][1], known)
    if strange:
        raise all_unknown("keys", {f"{k!r} in {place}": k for place, k in strange}, known)


def value_of(key: str, value: Any, where: str) -> Any:  # noqa: ANN401 - by field
    """Return the value of the field *key*; *where* is what error messages call it."""
    if key in LISTS:
        return _list(value, where)
    if key in ("days", "cost"):
        return _estimate(value, where)
    if key == "statistics":
        return _statistics(value, where)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and key in ("budget", "deadline", "start", "id"):
        value = str(value)
    if not isinstance(value, str):
        remedy = ": make one sentence of it" if isinstance(value, list) else ""
        raise CallerError(f"{where} is {value_kind(value)}; it must be text{remedy}")
    text = value.strip()
    if key in ("budget", "deadline"):
        _check_left(key, text, where)
    if key == "start" and text and not days_in(text):
        raise CallerError(f"{where} is {text!r}; write a day, for instance '1 March 2027'")
    if key == "risk_posture":
        return _risk(text, where)
    if key == "tasks_mode" and text not in get_args(TasksMode):
        hint = nearest(text, get_args(TasksMode))
        raise CallerError(f"{where} is {text!r}{hint or '.'} Choose replace, merge or planned")
    return text


_ESTIMATE: TypeAdapter[ThreePoint] = TypeAdapter(Estimate)


def _estimate(value: Any, where: str) -> ThreePoint:  # noqa: ANN401 - whatever the file holds
    try:
        return _ESTIMATE.validate_python(value)
    except ValidationError as wrong:
        raise CallerError(
            f"{where} is {value!r:.60}; write one number, or three that do not fall: "
            "[low, most likely, high]"
        ) from wrong


def _statistics(value: Any, where: str) -> Statistics:  # noqa: ANN401 - whatever the file holds
    try:
        return Statistics.model_validate(value)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        raise CallerError(
            f"{where} is wrong at {'.'.join(map(str, first['loc'])) or 'its form'}: "
            f"{first['msg'].lower()}; write figures by name, such as {{power: 0.9, loss: 0.1}}"
        ) from wrong


_POSTURES = {
    "low": re.compile(
        r"\b(?:low|small|little|no|minimal|cautious|conservative|averse|careful|safe)\b"
    ),
    "high": re.compile(r"\b(?:high|bold|aggressive|adventurous|big|large|risk[- ]seeking)\b"),
    "medium": re.compile(r"\b(?:medium|moderate|balanced|middling|normal|average|some)\b"),
}
"""Words for a posture, those of caution first: "no big risks"."""


def posture(text: str) -> str:
    """Return the posture that *text* tells in words; "" where it tells none."""
    return next((name for name, words in _POSTURES.items() if words.search(text.lower())), "")


def _risk(text: str, where: str) -> str:
    if told := posture(text):
        return told
    if text.lower() not in get_args(Risk):
        hint = nearest(text.lower(), get_args(Risk))
        raise CallerError(f"{where} is {text!r}{hint or '.'} Choose low, medium or high")
    return text.lower()


def _check_left(key: str, text: str, where: str) -> None:
    """Refuse a sum below zero and a length of time of nothing; a budget of zero may be meant."""
    found = quantities(text)
    most = found[0].high if len(found) == 1 else None
    if most is None or most > 0 or (most == 0 and key == "budget"):
        return
    example = "40,000 EUR" if key == "budget" else "12 months"
    raise CallerError(f"{where} is {text!r}; write one above zero, for instance {example!r}")


def _list(value: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401 - whatever the file holds
    if isinstance(value, str):
        return tuple(items(value))
    if not isinstance(value, list):
        raise CallerError(f"{where} is {value_kind(value)}; it must be a list of sentences")
    return tuple(_item(item, f"{where}, item {n}") for n, item in enumerate(value, 1) if item)


def _item(item: Any, where: str) -> str:  # noqa: ANN401 - whatever the file holds
    if isinstance(item, dict) and len(item) == 1:
        (key, value) = next(iter(item.items()))
        if isinstance(value, (str, int, float)):  # "- budget: 5000 GBP" was meant as a sentence
            return f"{key}: {value}"
    if isinstance(item, bool) or not isinstance(item, (str, int, float)):
        raise CallerError(f"{where} is {value_kind(item)}; each item must be a sentence")
    return str(item).strip()


_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")


def items(text: str) -> Iterator[str]:
    """Split one string into items: by bullets where there are any, otherwise by lines."""
    for line in text.splitlines():
        if item := _BULLET.sub("", line).strip():
            yield item


def value_kind(value: Any) -> str:  # noqa: ANN401 - whatever the file holds
    """Say what sort of value stands there, for an error message."""
    kinds = {
        bool: f"the truth value {str(value).lower()}",
        int: f"the number {value}",
        float: f"the number {value}",
        list: "a list",
        dict: "a mapping",
        str: f"the text {value!r:.60}",
    }
    return kinds.get(type(value), "empty" if value is None else f"a {type(value).__name__}")


def check_size(fields: Mapping[str, Any], name: str) -> None:
    """Refuse what no person holds in mind, before anything is made of it."""
    for key, value in fields.items():
        entries = value if isinstance(value, tuple) else (str(value),)
        if len(entries) > MAX_ITEMS:
            raise CallerError(
                f"{name}: {key} has {len(entries):,} entries; a brief may have {MAX_ITEMS} of a "
                "kind, give the rest as documents"
            )
        if longest := next((e for e in entries if len(e) > MAX_LENGTH), ""):
            place = f"an entry of {key}" if isinstance(value, tuple) else key
            raise CallerError(
                f"{name}: {place} has {len(longest):,} characters; it may have "
                f"{MAX_LENGTH:,}, give the rest as documents"
            )
