"""Start the server in this process; `dr-rd ui` hands over to it."""

import socket
import sys
import threading
import tomllib
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from streamlit.starlette import App

from core.errors import CallerError
from core.settings import environment, read_flags
from dr_rd.commands.codes import MISTAKE
from dr_rd.ui.asgi import PAGE, Access, guards, lifespan, read_access, routes
from dr_rd.ui.secrets import with_secrets

_LOOK_S = 0.2
"""How often the port is tried before the browser is opened, in seconds."""


@click.command()
@click.option("--port", type=int, required=True)
@click.option("--headless", is_flag=True)
@click.option("--audits", type=click.Path(path_type=Path), required=True)
@click.option("--run", "run_id", default="")
@click.option("--host", default="")
@click.option("--tokens", type=click.Path(path_type=Path), default=None)
def main(
    port: int,
    headless: bool,  # noqa: FBT001
    audits: Path,
    run_id: str,
    host: str,
    tokens: Path | None,
) -> None:
    """Serve the page until the process is told to stop."""
    config = settings(port, environment(), host)
    access = _access(config["server.address"], tokens, environment())
    app = App(
        PAGE,
        lifespan=lifespan(audits, access, run_id),
        routes=routes(access),
        middleware=guards(access),
    )
    if not headless:
        threading.Thread(target=_show, args=(port,), daemon=True).start()
    try:
        app.run(config=config)
    except (KeyboardInterrupt, SystemExit) as end:  # the server has paused its runs by now
        if isinstance(end, SystemExit) and end.code:
            raise
        click.echo("\nThe workbench has stopped; its runs are kept.", err=True)


def _access(address: str, tokens: Path | None, environ: Mapping[str, str]) -> Access:
    """Return whom the server lets in.

    Ends with one sentence where the server would begin with a mistake of its caller's.
    """
    try:
        read_flags(with_secrets(environ))
        return read_access(address, tokens, environ)
    except CallerError as mistake:
        click.echo(f"dr-rd: {mistake}", err=True)
        sys.exit(MISTAKE)


def settings(port: int, environ: Mapping[str, str], host: str = "") -> dict[str, Any]:
    """Return Streamlit's settings: the package's own, and where to listen."""
    given = tomllib.loads(Path(__file__).with_name("config.toml").read_text("utf-8"))
    found = dict(_flat(given, ""))
    address = host or environ.get("STREAMLIT_SERVER_ADDRESS", found["server.address"])
    return found | {"server.address": address, "server.port": port, "server.headless": True}


def _flat(table: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        pairs += _flat(value, f"{name}.") if isinstance(value, dict) else [(name, value)]
    return pairs


def _show(port: int) -> None:
    """Open the browser once the server answers."""
    pause = threading.Event()
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        pause.wait(_LOOK_S)
    webbrowser.open(f"http://localhost:{port}")


if __name__ == "__main__":
    main()
