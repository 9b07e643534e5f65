"""Who may use a server: the names of users and the digests of their tokens, in one file.

A token is told once, when it is made. The file is read anew each time, so that a token that is
removed opens nothing from then on.
"""

import hmac
import os
import re
from collections.abc import Mapping
from pathlib import Path
from secrets import token_urlsafe

from pydantic import ValidationError

from core.errors import CallerError
from core.files import sha256, write_whole
from core.values import Frozen

TOKENS = "DRRD_TOKENS"
"""The variable of the environment that names the file."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+@-]{0,99}")
_DIGEST = re.compile(r"[0-9a-f]{64}")

UNREADABLE = "the server's file of users cannot be read; tell whoever runs the server"
"""What a visitor is told of a broken file: where it is concerns nobody outside."""


class _Listed(Frozen):
    """The file."""

    users: dict[str, str]
    """The SHA-256 of each user's token, which is too long to be guessed from that."""


class Users:
    """The users of a server.

    Args:
        path: Their file; made when the first user is added.

    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def read(cls, path: Path | None, environ: Mapping[str, str]) -> "Users | None":
        """Return the users in *path* or in the file that the environment names; None without one.

        Raises CallerError if the file is none of users, or names nobody.
        """
        named = path or (Path(environ[TOKENS]) if environ.get(TOKENS) else None)
        if named is None:
            return None
        users = cls(named)
        if not users.names():
            raise CallerError(f"{named} names no user; add one with dr-rd token add NAME")
        return users

    def names(self) -> tuple[str, ...]:
        """Return every user's name; raises CallerError if the file is none of users."""
        return tuple(sorted(self._read().users))

    def add(self, name: str) -> str:
        """Return a new token for a user, which takes the place of an earlier one."""
        if not _NAME.fullmatch(name):
            raise CallerError(
                f"a user cannot be named {name[:120]!r}; use 1 to 100 letters, digits and ._+@-, "
                "such as ann or ann@example.org"
            )
        token = token_urlsafe(32)
        known = self._read().users if self.path.exists() else {}
        self._write({**known, name: sha256(token.encode())})
        return token

    def remove(self, name: str) -> None:
        """Let a user in no more; raises CallerError if there is none of that name."""
        known = self._read().users
        if name not in known:
            names = ", ".join(sorted(known)) or "nobody"
            raise CallerError(f"there is no user {name!r} in {self.path}; there are: {names}")
        self._write({key: digest for key, digest in known.items() if key != name})

    def bearer_of(self, token: str) -> str:
        """Return whose token it is; "" if nobody's."""
        shown, found = sha256(token.encode(errors="replace")), ""
        for name, digest in self._read().users.items():  # all of them, in any case
            if hmac.compare_digest(shown, digest):
                found = name
        return found

    def _read(self) -> _Listed:
        try:
            found = _Listed.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError) as wrong:
            raise CallerError(
                f"{self.path} cannot be read as a file of users; restore it, or make one with "
                "dr-rd token add NAME"
            ) from wrong
        if not all(_DIGEST.fullmatch(digest) for digest in found.users.values()):
            raise CallerError(
                f"{self.path} holds something other than the digests of tokens; make each user's "
                "anew with dr-rd token add NAME"
            )
        return found

    def _write(self, users: dict[str, str]) -> None:
        data = _Listed(users=dict(sorted(users.items()))).model_dump_json(indent=2) + "\n"
        try:
            mask = os.umask(0o077)
            try:
                write_whole(self.path, data.encode())
            finally:
                os.umask(mask)
        except OSError as error:
            raise CallerError(
                f"{self.path} cannot be written ({error.strerror}); name another file with --tokens"
            ) from error
