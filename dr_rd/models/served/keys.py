"""Keys of models' servers and words to mask: in memory only, for the run they were given for."""

from collections.abc import Mapping
from random import SystemRandom

from pydantic import SecretStr

from core.errors import CallerError
from core.settings import Served, read_services
from dr_rd.models.address import endpoint_of
from dr_rd.models.privacy.masking import Mask, read_mask


class Keys:
    """The keys that people gave to runs; they are gone with the process."""

    def __init__(self) -> None:
        self._held: dict[str, SecretStr] = {}

    def hold(self, run_id: str, key: SecretStr) -> None:
        """Let a run use *key*, instead of any it had."""
        self._held[run_id] = key

    def key(self, run_id: str, base_url: str, environ: Mapping[str, str]) -> SecretStr:
        """Return what a run sends to its server: what was given for it, or the environment's."""
        return self._held.get(run_id) or environment_key(environ, base_url)


class Masks:
    """What people typed for runs to hide; it is gone with the process."""

    def __init__(self) -> None:
        self._held: dict[str, Mask] = {}

    def hold(self, run_id: str, mask: Mask) -> None:
        """Let a run hide what *mask* hides."""
        self._held[run_id] = mask

    def has(self, run_id: str) -> bool:
        """Whether somebody gave this process what that run hides."""
        return run_id in self._held

    def mask(self, run_id: str, served: Served) -> Mask | None:
        """Return what a run hides from its server: what was given for it, or its file's.

        Raises CallerError where that is not all of what it began with: nothing may be sent then.
        """
        found = self._held.get(run_id)
        if found is None and served.mask:
            found = read_mask(served.mask, SystemRandom())
        if lacking := _missing_count(found, served):
            there = f"{lacking} of them are not listed" if found else "they are not here now"
            raise CallerError(
                f"run {run_id!r} keeps listed words, {served.masked} in all, from its model's "
                f"server, and {there}; give them all again, on its page or with dr-rd resume --mask FILE"
            )
        return found


def _missing_count(found: Mask | None, served: Served) -> int:
    """Count what a run began to hide and would hide no longer; an earlier release left no marks."""
    if found and served.marks:
        return len({*served.marks} - {*found.marks(served.salt)})
    return max(0, served.masked - (found.count if found else 0))


def environment_key(environ: Mapping[str, str], base_url: str) -> SecretStr:
    """Return the key in DRRD_API_KEY, or an empty one for any server but DRRD_ENDPOINT's.

    Where no DRRD_ENDPOINT is set the key is for whichever server is named.
    """
    home = environ.get("DRRD_ENDPOINT")
    if home and endpoint_of(home) != endpoint_of(base_url):
        return SecretStr("")
    return read_services(environ).model_key
