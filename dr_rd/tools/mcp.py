"""Tools of the analyst's own MCP servers, under the limits and the record of every other tool.

A session is opened for each call and closed after it: a server that hangs, dies or changes in
between harms one call and leaves nothing behind. Model Context Protocol, https://modelcontextprotocol.io.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import anyio
import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from core.errors import CallerError, TaskError, clipped
from core.tool_router import Tool
from core.values import Frozen, canonical
from dr_rd.files import parse_yaml

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters
    from mcp.types import CallToolResult

T = TypeVar("T")

_NAME = r"^[a-z][a-z0-9_-]{0,30}$"

_SAID = 300
"""Characters of what a server said that a reason repeats."""

_SCHEMA = 4_000
"""Characters of the largest schema of arguments that a model is shown."""

MAX_OUTPUT = 1_000_000
"""The largest output of one call, in bytes of JSON."""


class Server(Frozen):
    """One MCP server, and which of its tools may be called."""

    name: str = Field(pattern=_NAME)
    command: tuple[str, ...] = ()
    """What starts it, for a server on standard input and output."""
    url: str = Field(default="", pattern=r"^$|^https?://")
    """Where it is, for a server over HTTP."""
    key: str = ""
    """The environment variable that holds its bearer token; "" sends none."""
    env: tuple[str, ...] = ()
    """Environment variables that a started server is given, by name."""
    tools: tuple[str, ...] = Field(min_length=1)
    """The tools that may be called; no other is offered."""
    timeout_s: float = Field(default=30.0, gt=0, le=600, allow_inf_nan=False)
    """How long one call may take with its session, in seconds."""
    max_calls_per_run: int = Field(default=20, ge=1, le=1000)

    @model_validator(mode="after")
    def _one_way(self) -> "Server":
        if bool(self.command) == bool(self.url):
            raise ValueError(f"server {self.name!r} needs either a command or a url")
        if self.command and self.key:
            raise ValueError(f"server {self.name!r} is started here; name its keys under env")
        return self


class Servers(Frozen):
    """Every MCP server of a run."""

    servers: tuple[Server, ...] = ()

    @model_validator(mode="after")
    def _apart(self) -> "Servers":
        names = [server.name for server in self.servers]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"two servers share the name {twice[0]!r}")
        return self


def read_servers(path: Path) -> Servers:
    """Read a YAML file of servers; raises CallerError with the first thing wrong."""
    try:
        held = parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as wrong:
        raise CallerError(
            f"the servers in {str(path)!r} cannot be read; write a YAML file with a list "
            '"servers", each with name, command or url, and tools'
        ) from wrong
    try:
        return Servers.model_validate(held)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        said = first["msg"].removeprefix("Value error, ")
        raise CallerError(f"{str(path)!r}: {place}: {said}") from wrong


def server_tools(servers: Servers, environ: Callable[[], Mapping[str, str]]) -> tuple[Tool, ...]:
    """Return a tool for each one that the servers are allowed to give, named SERVER.TOOL.

    Nothing is started or asked before a tool is called; *environ* gives the variables then.
    """
    return tuple(
        _tool(server, name, environ) for server in servers.servers for name in server.tools
    )


class _Arguments(BaseModel):
    """Any arguments: the server's own schema says which are right."""

    model_config = ConfigDict(extra="allow", frozen=True)


def _tool(server: Server, name: str, environ: Callable[[], Mapping[str, str]]) -> Tool:
    async def run(arguments: _Arguments) -> JsonValue:
        return await _called(server, name, arguments.model_dump(mode="json"), environ())

    where = server.url or server.command[0]
    return Tool(
        name=f"{server.name}.{name}",
        description=f"The tool {name!r} of the analyst's own server {server.name!r} ({where}).",
        params=_Arguments,
        run=run,
        max_calls_per_run=server.max_calls_per_run,
    )


class Offer(Frozen):
    """What a server says of one of its tools: nothing that anybody has checked."""

    about: str
    arguments: Mapping[str, JsonValue] = {}
    """Their JSON schema."""


class Offers(Frozen):
    """The tools that a model may plan with, as their servers told of them when a run began."""

    tools: Mapping[str, Offer] = {}
    """By the name under which they are called."""
    problems: tuple[str, ...] = ()
    """Why those of a server are not among them, a sentence each."""

    @property
    def said(self) -> Mapping[str, str]:
        """What each tool's server says of it, by the tool's name."""
        return {name: offer.about for name, offer in self.tools.items()}


async def read_offers(servers: Servers, environ: Mapping[str, str]) -> Offers:
    """Ask each server what those of its tools are for that may be called."""
    tools, problems = dict[str, Offer](), list[str]()
    for server in servers.servers:
        try:
            tools |= await _in_session(server, environ, partial(_offered, server))
        except TaskError as failure:
            problems.append(
                f"The tools of the server {server.name!r} were not offered: {failure}."
            )
    return Offers(tools=tools, problems=tuple(problems))


async def _offered(server: Server, client: "Client") -> dict[str, Offer]:
    told = {tool.name: tool for tool in (await client.list_tools()).tools}
    return {
        f"{server.name}.{name}": Offer(
            about=clipped(told[name].description or "", _SAID),
            arguments=_small(told[name].input_schema),
        )
        for name in server.tools
        if name in told
    }


def _small(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema that a model can be shown; none for one that is larger than any prompt."""
    return schema if len(canonical(dict(schema))) <= _SCHEMA else {}


async def _called(
    server: Server, name: str, arguments: dict[str, Any], environ: Mapping[str, str]
) -> JsonValue:
    """Make one call; whatever goes wrong with the server is a TaskError that names it."""

    async def call(client: "Client") -> "CallToolResult":
        await _open_to(client, server, name)
        return await client.call_tool(name, arguments)

    return _output(server, name, await _in_session(server, environ, call))


async def _in_session(
    server: Server, environ: Mapping[str, str], use: "Callable[[Client], Awaitable[T]]"
) -> T:
    """Return what *use* gives; whatever goes wrong with the server is a TaskError that names it."""
    from mcp import MCPError  # noqa: PLC0415 - an extra, and a second to import

    try:
        with anyio.fail_after(server.timeout_s):
            async with _session(server, environ) as client:
                return await use(client)
    except TimeoutError:
        raise TaskError(
            f"server {server.name!r} gave no result within {server.timeout_s:g} s"
        ) from None
    except (MCPError, OSError, ValueError) as error:
        raise TaskError(f"server {server.name!r} failed: {clipped(str(error), _SAID)}") from error
    except BaseExceptionGroup as group:
        raise _told(server, group) from group


def _told(server: Server, group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what a session's failure comes to; a stop of the run stays what it is."""
    tasks, rest = group.split(TaskError)
    if tasks:
        return _first(tasks)
    failures, others = (rest or group).split(Exception)
    if others or failures is None:
        return group
    return TaskError(f"server {server.name!r} failed: {clipped(str(_first(failures)), _SAID)}")


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group


@asynccontextmanager
async def _session(server: Server, environ: Mapping[str, str]) -> "AsyncIterator[Client]":
    from mcp import Client, StdioServerParameters, stdio_client  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    if server.command:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # its chatter is not the run's
            transport = stdio_client(_started(server, environ, StdioServerParameters), nowhere)
            async with Client(transport) as client:
                yield client
        return
    import httpx2  # noqa: PLC0415

    token = environ.get(server.key, "") if server.key else ""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(
            headers=headers, follow_redirects=False, timeout=server.timeout_s
        ) as http,
        Client(streamable_http_client(server.url, http_client=http)) as client,
    ):
        yield client


def _started(
    server: Server, environ: Mapping[str, str], parameters: "type[StdioServerParameters]"
) -> "StdioServerParameters":
    given = {name: environ[name] for name in ("PATH", "HOME", *server.env) if name in environ}
    return parameters(command=server.command[0], args=list(server.command[1:]), env=given)


async def _open_to(client: "Client", server: Server, name: str) -> None:
    """Raise TaskError unless the server has that tool."""
    offered = [tool.name for tool in (await client.list_tools()).tools]
    if name not in offered:
        raise TaskError(
            f"server {server.name!r} has no tool {name!r}; it has {', '.join(sorted(offered))}"
        )


def _output(server: Server, name: str, result: "CallToolResult") -> JsonValue:
    texts = [part.text for part in result.content if part.type == "text"]
    if result.is_error:
        raise TaskError(
            f"tool {name!r} of server {server.name!r}: {clipped(' '.join(texts), _SAID)}"
        )
    others = sorted({part.type for part in result.content if part.type != "text"})
    output: dict[str, JsonValue] = {"text": "\n".join(texts)}
    if result.structured_content is not None:
        output["value"] = cast(JsonValue, result.structured_content)
    if others:
        output["left_out"] = cast(JsonValue, others)
    if len(canonical(output).encode()) > MAX_OUTPUT:
        raise TaskError(
            f"tool {name!r} of server {server.name!r} gave more than {MAX_OUTPUT:,} bytes; "
            "ask it for less"
        )
    return output


def known_servers(path: Path | None) -> Servers:
    """Return the servers in *path*; raises CallerError if they cannot be reached from here."""
    if path is None:
        return Servers()
    servers = read_servers(path)
    if servers.servers and not installed():
        raise CallerError("--mcp needs the package mcp; install it with: pip install -e '.[mcp]'")
    return servers


def installed() -> bool:
    """Tell whether the protocol's package, which is an extra, is there."""
    return find_spec("mcp") is not None


def secret_names(servers: Servers) -> Sequence[str]:
    """Return the environment's variables that the servers are given."""
    named = [name for s in servers.servers for name in (*s.env, *([s.key] if s.key else []))]
    return list(dict.fromkeys(named))


def tool_names(servers: Servers) -> Sequence[str]:
    """Return the names under which the servers' tools are called."""
    return [f"{server.name}.{name}" for server in servers.servers for name in server.tools]
