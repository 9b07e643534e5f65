"""What waits for what once some of it is left out."""

from collections.abc import Collection, Iterator, Mapping, Sequence


def without(
    waits: Mapping[str, Sequence[str]], gone: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return what each that stays waits for: of one that is *gone*, what that one waited for.

    *waits*: each with what it waits for, in rings too. Nothing comes to wait for itself that did not.
    """

    def instead(key: str, passed: frozenset[str]) -> Iterator[str]:
        if key not in gone:
            yield key
        elif key not in passed:
            for before in waits[key]:
                yield from instead(before, passed | {key})

    def still(key: str) -> tuple[str, ...]:
        found = dict.fromkeys(n for before in waits[key] for n in instead(before, frozenset()))
        return tuple(n for n in found if n != key or n in waits[key])

    return {key: still(key) for key in waits if key not in gone}
