"""`dr-rd ui`: the workbench in a browser."""

from pathlib import Path

from dr_rd.commands.context import CliContext
from dr_rd.serve import command_line, serve


def execute(
    context: CliContext,  # noqa: ARG001 - every command is given it
    *,
    port: int,
    headless: bool,
    audits: Path,
    run_id: str | None,
    host: str | None,
    tokens: Path | None,
    take_terminal: bool,
) -> int:
    """Become the server."""
    command = command_line(
        port=port, headless=headless, audits=audits, run_id=run_id, host=host, tokens=tokens
    )
    return serve(command, port=port, take_terminal=take_terminal)
