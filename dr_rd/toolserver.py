"""Our tools for other programs, by the Model Context Protocol."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from core.graph.state import ToolRequest
from core.tool_router import Toolbox
from core.values import canonical

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

CALLER = "mcp"
"""The task and the role under which other programs call."""


def tool_server(toolbox: Toolbox) -> "Server[Any]":
    """Return a server of every tool in *toolbox*, under its limits.

    A refused or failed call comes back as a result that says so, as the protocol wants.
    """
    from mcp.server.lowlevel import Server  # noqa: PLC0415 - an extra, and a second to import
    from mcp.types import (  # noqa: PLC0415
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        TextContent,
        Tool,
    )

    offered = [
        Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.params.model_json_schema(),
        )
        for tool in toolbox.open_to(CALLER)
    ]

    async def listed(context: object, params: object) -> ListToolsResult:
        del context, params
        return ListToolsResult(tools=offered)

    async def called(context: object, params: CallToolRequestParams) -> CallToolResult:
        del context
        request = ToolRequest(name=params.name, args=params.arguments or {})
        result = await toolbox.call(request, task_id=CALLER, role=CALLER, planned=None)
        said = result.error or canonical(result.output)
        return CallToolResult(
            content=[TextContent(text=said)],
            structured_content=None if result.error else {"output": result.output},
            is_error=bool(result.error),
        )

    return Server("dr-rd", version=version("dr-rd"), on_list_tools=listed, on_call_tool=called)
