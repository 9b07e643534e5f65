"""`dr-rd token`: the users of a server."""

from pathlib import Path

import click

from core.errors import CallerError
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.users import TOKENS, Users


def execute(context: CliContext, *, action: str, name: str, tokens: Path | None) -> int:
    """Add, list or remove users; returns the exit code."""
    found = tokens or Path(context.environ.get(TOKENS, ""))
    if found == Path():
        raise CallerError(f"name the file of users with --tokens FILE, or in {TOKENS}")
    users = Users(found)
    if action == "add":
        click.echo(users.add(name))
        click.echo(
            f"This is the token of {name}, and is shown this once: {found} holds its digest alone.",
            err=True,
        )
    elif action == "remove":
        users.remove(name)
    elif name:
        raise CallerError(f"a list is of all users; leave {name!r} out")
    else:
        for known in users.names():
            click.echo(known)
    return FINISHED
