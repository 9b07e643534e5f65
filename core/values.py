"""Values: frozen, closed, and written down the same way every time."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

MOST = 1e15
"""Of money, days or things: more is a slip, and above it floats no longer tell whole units apart."""

Amount = Annotated[float, Field(ge=0, le=MOST, allow_inf_nan=False)]
"""How much there is of something that is counted, paid or waited for."""


_NO_NAME = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069|<>\\[\\]`]")


def _named(text: str) -> str:
    if found := _NO_NAME.search(text):
        raise ValueError(f"a name is one line without | < > [ ] and `; {found[0]!r} stands in it")
    return text


Name = Annotated[str, AfterValidator(_named)]
"""What somebody or something is called wherever it is shown: a table's cell, a line of a log."""


def as_name(text: str, longest: int | None = None) -> str:
    """Return *text* as a Name, cut to *longest* characters: what no name holds becomes a space."""
    return " ".join(_NO_NAME.sub(" ", text).split())[:longest]


class Frozen(BaseModel):
    """A value: it never changes and refuses fields it does not know.

    Its validator is built at first use: a list of runs needs four kinds of event of forty.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def unsaid(value: object) -> bool:
    """Whether a field has nothing to say, for the ``exclude_if`` of what later releases add.

    So a value written by an earlier release is written the same way, byte for byte, by this one.
    """
    return not value


canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode
"""Write a JSON value one way only: sorted keys, no spaces, UTF-8, no NaN."""


compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
"""Write a JSON value on one line, its members in the order that they have."""


def digest(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """SHA-256 of the canonical JSON of *value*, as hex."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def rounded_to(value: float, digits: int) -> float:
    """Round to so many significant digits."""
    return float(f"{value:.{digits}g}")


def rounded(value: object, digits: int) -> object:
    """Round every float in a JSON value to that many significant digits."""
    if isinstance(value, float):
        return rounded_to(value, digits)
    if isinstance(value, dict):
        return {key: rounded(own, digits) for key, own in value.items()}
    return [rounded(own, digits) for own in value] if isinstance(value, list) else value


def holders(places: Iterable[tuple[int | str, ...]]) -> set[tuple[int | str, ...]]:
    """Return the places of the lists and objects that hold what stands at *places*."""
    return {place[:size] for place in places for size in range(len(place))}


def repeated(words: Iterable[str]) -> str | None:
    """Return the word that comes most often, if one comes more than once."""
    first = Counter(words).most_common(1)
    return next((word for word, times in first if times > 1), None)
