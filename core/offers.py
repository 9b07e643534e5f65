"""What packages offer under an entry-point group, loaded or refused in a sentence."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint
from typing import Any

from core.errors import CallerError
from core.values import repeated


def load_offer(offer: EntryPoint, what: str) -> Any:  # noqa: ANN401 - the caller knows
    """Return what *offer* names, or raise CallerError that says whose it is and why it is none."""
    try:
        return offer.load()
    except (ImportError, AttributeError, SyntaxError) as wrong:
        by = owner(offer)
        raise CallerError(
            f"the {what} {offer.name!r} of {by!r} cannot be loaded ({wrong}); mend or uninstall {by}"
        ) from wrong


def owner(offer: EntryPoint) -> str:
    """Return the package that makes the offer."""
    return offer.dist.name if offer.dist else offer.value


def check_apart(what: str, offers: Iterable[tuple[str, object]]) -> None:
    """Raise CallerError, with the places, if two of them have one id."""
    found = tuple(offers)
    if (taken := repeated(name for name, _ in found)) is not None:
        places = " and ".join(type(each).__module__ for name, each in found if name == taken)
        raise CallerError(
            f"{places} both offer the {what} {taken!r}; rename one, or uninstall all but one"
        )
