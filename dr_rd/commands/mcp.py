"""`dr-rd mcp`: our tools for other programs, on standard input and output."""

from pathlib import Path

import anyio

from core.errors import CallerError
from core.events import unrecorded
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.commands.codes import FINISHED
from dr_rd.commands.context import CliContext
from dr_rd.commands.inputs import folders
from dr_rd.commands.offered import command_tools
from dr_rd.evidence.index import open_index
from dr_rd.evidence.ingest import read_documents
from dr_rd.tools import Sources, load_tools
from dr_rd.tools.mcp import installed
from dr_rd.toolserver import tool_server


def execute(context: CliContext, *, docs: tuple[Path, ...]) -> int:
    """Serve until standard input closes."""
    if not installed():
        raise CallerError("this needs the package mcp; install it with: pip install -e '.[mcp]'")
    corpus = read_documents(folders(docs))
    toolbox = Toolbox(
        (*load_tools().open(Sources(corpus, open_index(corpus))), *command_tools()),
        record=unrecorded,
        keep=digest,
        clock=context.clock,
    )
    anyio.run(_serve, toolbox)
    return FINISHED


async def _serve(toolbox: Toolbox) -> None:
    from mcp import stdio_server  # noqa: PLC0415 - an extra

    server = tool_server(toolbox)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
