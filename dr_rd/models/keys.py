"""The keys of models' servers: in memory only, each for the run that it was given for."""

from collections.abc import Mapping

from pydantic import SecretStr

from core.settings import read_services
from dr_rd.models.chat import endpoint_of


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


def environment_key(environ: Mapping[str, str], base_url: str) -> SecretStr:
    """Return the key in DRRD_API_KEY, or an empty one for any server but DRRD_ENDPOINT's.

    Where no DRRD_ENDPOINT is set the key is for whichever server is named.
    """
    home = environ.get("DRRD_ENDPOINT")
    if home and endpoint_of(home) != endpoint_of(base_url):
        return SecretStr("")
    return read_services(environ).model_key
