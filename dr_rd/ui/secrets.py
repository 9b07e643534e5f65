"""What `.streamlit/secrets.toml` says of the models, under the names of the environment."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import CallerError, unknown
from dr_rd.models.served.endpoint import PURPOSES

SECRETS = Path(".streamlit/secrets.toml")

_NAMES: Mapping[str, str] = {
    "endpoint": "DRRD_ENDPOINT",
    "model": "DRRD_MODEL",
    "key": "DRRD_API_KEY",
    **{str(purpose): f"DRRD_MODEL_{purpose.upper()}" for purpose in PURPOSES},
}


def has_login(path: Path = SECRETS) -> bool:
    """Whether the file at *path* configures a login by OpenID Connect, in its table [auth]."""
    return path.is_file() and "auth" in _read_table(path)


def with_secrets(environ: Mapping[str, str], path: Path = SECRETS) -> dict[str, str]:
    """Return the environment with the table [models] of the file at *path* in it.

    An environment that names an endpoint stands as it is, since no key may come to another
    server than its own; for that reason a key without any endpoint is left out. Raises
    CallerError if the file is there and cannot be used.
    """
    known = dict(environ)
    if not known.get("DRRD_ENDPOINT"):
        known |= _read_secrets(path) if path.is_file() else {}
    if not known.get("DRRD_ENDPOINT"):
        known.pop("DRRD_API_KEY", None)
    return known


def _read_table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise CallerError(f"{path} cannot be read as TOML; mend it or remove it") from wrong


def _read_secrets(path: Path) -> dict[str, str]:
    held = _read_table(path).get("models", {})
    if not isinstance(held, dict) or not all(isinstance(value, str) for value in held.values()):
        raise CallerError(
            f"{path} has a table [models] with something other than text in it; write lines such "
            'as endpoint = "http://localhost:11434/v1"'
        )
    for name in held:
        if name not in _NAMES:
            raise unknown(f"name in [models] of {path}", name, _NAMES)
    return {_NAMES[name]: value for name, value in held.items()}
