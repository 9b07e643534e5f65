"""A block of a brief that has keys of its own: what is wrong with one is said in a sentence."""

from typing import Any, TypeVar

from pydantic import ValidationError

from core.errors import CallerError
from core.values import Frozen

_Block = TypeVar("_Block", bound=Frozen)


def block_of(raw: Any, model: type[_Block], where: str) -> _Block | None:  # noqa: ANN401 - whatever the file holds
    """Return the *model* that a block holds, or None where there is none; *where* is "NAME: KEY".

    Raises CallerError with the place of the first fault and the keys there are.
    """
    if raw is None:
        return None
    try:
        return model.model_validate(raw)
    except ValidationError as wrong:
        fault = wrong.errors()[0]
        place = "".join(f".{part}" for part in fault["loc"])
        said = fault["msg"].removeprefix("Value error, ")
        raise CallerError(
            f"{where}{place}: {said}; they are {', '.join(model.model_fields)}"
        ) from wrong
