"""What was given on the command line, checked."""

import sys
from pathlib import Path
from random import SystemRandom

from core.errors import CallerError
from core.modes import find_mode
from core.settings import Flags, read_services
from dr_rd.commands.context import CliContext
from dr_rd.models.privacy.egress import check_allowed
from dr_rd.models.privacy.masking import Mask, read_mask
from dr_rd.models.served.endpoint import Endpoint, read_endpoint
from dr_rd.models.served.prices import read_prices
from dr_rd.tools.mcp import known_servers


def known_mode(mode: str) -> str:
    """Return *mode* if there is one with that id."""
    return find_mode(mode).id


def folders(docs: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the folders of documents as absolute paths; raises CallerError if one is missing."""
    for path in docs:
        if not path.exists():
            raise CallerError(f"--docs {str(path)!r} does not exist; name a folder of documents")
    return tuple(path.resolve() for path in docs)


def repository(repo: Path | None) -> Path | None:
    """Return the folder of a repository as an absolute path; raises CallerError if it is none."""
    if repo is not None and not repo.is_dir():
        raise CallerError(f"--repo {str(repo)!r} is no folder; name a folder or a git repository")
    return repo.resolve() if repo else None


def servers(mcp: Path | None) -> Path | None:
    """Return the file of MCP servers as an absolute path; raises CallerError if it is none."""
    known_servers(mcp)
    return mcp.resolve() if mcp else None


def text_of(source: str) -> str:
    """Text of a file, of standard input for "-", or *source* itself if it is no file's name."""
    if source == "-":
        if sys.stdin is None:
            raise CallerError("standard input is closed; name a file instead of -")
        return sys.stdin.read()
    path = Path(source)
    try:
        if path.is_file() or path.is_fifo():
            return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as wrong:
        if isinstance(wrong, UnicodeDecodeError):
            raise CallerError(f"{source!r} is not UTF-8 text; convert it first") from wrong
        return source
    if "\n" in source or " " in source.strip():
        return source
    raise CallerError(f"there is no file {source!r}; name a text file, or - for standard input")


def allowed_endpoint(
    context: CliContext, endpoint: str | None, model: str | None, *, local_only: bool = False
) -> Endpoint | None:
    """Return the endpoint that was given or is the environment's, or None; refuse a forbidden one.

    Forbidden are those that DRRD_ENDPOINTS_ALLOWED does not list, if it lists any, and those
    elsewhere where only this machine will do.
    """
    asks = read_endpoint(context.environ, endpoint, model)
    if asks:
        read_prices(context.environ)  # a mistake in them is told before anything is made
        allowed = read_services(context.environ).endpoints_allowed
        check_allowed(asks.base_url, allowed, local_only=local_only)
    return asks


def check_money_cap(context: CliContext, asks: Endpoint | None, flags: Flags) -> None:
    """Refuse a cap on money where nobody knows the prices; raises CallerError."""
    if asks:
        read_prices(context.environ).check_cap(flags, asks.host, asks.names)


def mask_for(asks: Endpoint | None, mask: Path | None) -> Mask | None:
    """Read what no server is told; raises CallerError if it cannot be used, or nobody is asked."""
    if mask and not asks:
        raise CallerError(
            "--mask hides words from a model's server and none is named; name one with "
            "--endpoint URL, or leave --mask out"
        )
    return read_mask(mask, SystemRandom()) if mask else None
