"""Tools of other programs under our limits, and our tools for other programs, over real pipes."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client

from core.errors import CallerError
from core.events import ToolCalled
from core.graph.state import ToolRequest, ToolResult
from core.testing import FakeClock
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.commands.offered import command_tools
from dr_rd.tools import unit_convert
from dr_rd.tools.mcp import Server, Servers, read_servers, server_tools
from dr_rd.toolserver import tool_server

_LAB = Path(__file__).parents[1] / "mcp_server.py"
_ENVIRON = {**os.environ, "LAB_KEY": "lab-key-for-tests", "OTHER_KEY": "not-for-the-lab"}  # noqa: TID251
_ALLOWED = ("add", "environment", "fail", "die", "flood", "picture", "secret", "absent")


def lab(**changes) -> Server:
    usual = {"name": "lab", "command": (sys.executable, str(_LAB)), "tools": _ALLOWED}
    return Server.model_validate({**usual, **changes})


def toolbox(server: Server, events: list | None = None) -> Toolbox:
    return Toolbox(
        server_tools(Servers(servers=(server,)), lambda: _ENVIRON),
        record=(events if events is not None else []).append,
        keep=digest,
        clock=FakeClock(),
    )


async def call(box: Toolbox, name: str, **args) -> ToolResult:
    request = ToolRequest(name=name, args=args)
    return await box.call(request, task_id="T1", role="analyst", planned=None)


def test_a_servers_tools_work_fail_and_end_without_harm_to_the_run():
    events: list = []
    box = toolbox(lab(env=("LAB_KEY",)), events)

    async def go():
        return {
            name: await call(box, f"lab.{name}", **args)
            for name, args in {
                "add": {"a": 1, "b": 2},
                "environment": {},
                "fail": {"reason": "no sample"},
                "die": {},
                "flood": {},
                "picture": {},
                "secret": {},
                "absent": {},
                "unasked": {},
            }.items()
        }

    found = anyio.run(go)
    assert found["add"].output == {"text": "3", "value": {"result": 3}}
    seen = found["environment"].output["value"]["result"]
    assert "LAB_KEY" in seen and "OTHER_KEY" not in seen
    assert found["fail"].error == "tool 'fail' of server 'lab': Error executing tool fail"
    assert found["die"].error == "server 'lab' failed: Connection closed"
    assert found["flood"].error.endswith("gave more than 1,000,000 bytes; ask it for less")
    assert found["picture"].output == {"text": "", "left_out": ["image"]}
    assert found["secret"].output["text"] == "the key is [redacted]"
    assert found["absent"].error.startswith("server 'lab' has no tool 'absent'; it has add,")
    assert found["unasked"].error.startswith("no tool 'lab.unasked'")
    called = [e for e in events if isinstance(e, ToolCalled)]
    assert [e.ok for e in called] == [not r.error for r in found.values()]


def test_the_librarys_own_server_is_called_and_refuses_wrong_arguments():
    box = toolbox(lab(command=(sys.executable, str(_LAB), "--library")))

    async def go():
        return await call(box, "lab.add", a="many", b=2)

    assert "Input should be a valid integer" in anyio.run(go).error


def test_a_server_that_hangs_is_given_up_at_its_deadline():
    async def go():
        return await call(toolbox(lab(tools=("hang",), timeout_s=4)), "lab.hang")

    assert anyio.run(go).error == "server 'lab' gave no result within 4 s"


def test_a_stop_reaches_a_call_that_waits():
    async def go():
        with anyio.move_on_after(3) as scope:
            await call(toolbox(lab(tools=("hang",), timeout_s=60)), "lab.hang")
        return scope.cancelled_caught

    assert anyio.run(go)


@pytest.mark.parametrize(
    "changes",
    [
        {"command": ("/nowhere/at/all",)},
        {"command": (sys.executable, "-c", "print('hello')")},
        {"command": (), "url": "http://127.0.0.1:9/mcp"},
    ],
)
def test_a_server_that_is_none_is_one_sentence(changes):
    async def go():
        return await call(toolbox(lab(**changes, timeout_s=10)), "lab.add", a=1, b=2)

    error = anyio.run(go).error
    assert error.startswith("server 'lab' ") and "\n" not in error and "Traceback" not in error


def test_calls_of_a_server_have_a_limit():
    async def go():
        box = toolbox(lab(max_calls_per_run=1))
        return [await call(box, "lab.add", a=1, b=n) for n in range(2)]

    first, second = anyio.run(go)
    assert first.output["text"] == "1"
    assert "has been called 1 times in this run" in second.error


def test_a_server_over_http_is_called_too():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(_LAB), "--http", str(port)])
    server = lab(command=(), url=f"http://127.0.0.1:{port}/mcp", key="LAB_KEY", tools=("add",))

    async def go():
        with anyio.fail_after(30):
            while True:
                result = await call(toolbox(server), "lab.add", a=20, b=22)
                if not result.error:  # until then the server is still starting
                    return result
                await anyio.lowlevel.checkpoint()

    try:
        assert anyio.run(go).output["text"] == "42"
    finally:
        process.terminate()
        process.wait(10)


def test_our_tools_are_served_under_their_limits():
    box = Toolbox((unit_convert.TOOL,), record=[].append, keep=digest, clock=FakeClock())

    async def go():
        async with Client(tool_server(box)) as client:
            listed = (await client.list_tools()).tools
            args = {"value": 3, "from": "ft", "to": "m"}
            good = await client.call_tool("unit_convert", args)
            bad = await client.call_tool("unit_convert", {**args, "to": "kg"})
            strange = await client.call_tool("launch", {})
            return listed, good, bad, strange

    listed, good, bad, strange = anyio.run(go)
    assert [tool.name for tool in listed] == ["unit_convert"]
    assert set(listed[0].input_schema["properties"]) == {"value", "from", "to"}
    assert not good.is_error and good.structured_content["output"]
    assert bad.is_error and "Traceback" not in bad.content[0].text
    assert strange.is_error and strange.content[0].text.startswith("no tool 'launch'")


def test_what_we_serve_we_can_call(tmp_path):
    (tmp_path / "note.md").write_text("The kiln reaches 900 degrees in an hour.", encoding="utf-8")
    command = (sys.executable, "-m", "dr_rd", "mcp", "--docs", str(tmp_path))
    ours = Server(name="ours", command=command, tools=("search_documents",), timeout_s=60)

    async def go():
        return await call(toolbox(ours), "ours.search_documents", query="kiln")

    result = anyio.run(go)
    assert "900 degrees" in str(result.output), result.error


BRIEF = "objective: Does mulch cut weeding time?\nhard_constraints: [minimum of 12 plots]\n"
TEXT = "# Plan\n\nThe trial has 8 plots of mulch and bare soil."
COMMANDS = {
    "read": ({"brief": BRIEF}, "mulch"),
    "plan": ({"brief": BRIEF}, "directions"),
    "check": ({"brief": BRIEF, "text": TEXT}, "violated"),
    "evaluate": ({"text": TEXT, "brief": BRIEF}, "compliance"),
    "verify": ({"run_dir": "/nowhere"}, ""),
}


def test_the_workbench_s_commands_are_served_to_other_programs():
    box = Toolbox(command_tools(), record=[].append, keep=digest, clock=FakeClock())

    async def go():
        async with Client(tool_server(box)) as client:
            return {
                name: await client.call_tool(name, args) for name, (args, _) in COMMANDS.items()
            }

    found = anyio.run(go)
    for name, (_, said) in COMMANDS.items():
        text = found[name].content[0].text
        assert said in text, name
        assert "Traceback" not in text
    assert found["verify"].is_error or '"ok":false' in found["verify"].content[0].text


def test_a_brief_from_another_program_is_a_text_and_opens_no_file():
    box = Toolbox(command_tools(), record=[].append, keep=digest, clock=FakeClock())

    async def go():
        async with Client(tool_server(box)) as client:
            return await client.call_tool("read", {"brief": "/etc/passwd"})

    assert "root:" not in anyio.run(go).content[0].text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("servers: [", "write a YAML file with a list"),
        ("servers: [{name: lab, tools: [a]}]", "server 'lab' needs either a command or a url"),
        (
            "servers: [{name: lab, command: [x], url: 'http://h', tools: [a]}]",
            "server 'lab' needs either a command or a url",
        ),
        ("servers: [{name: lab, command: [x], tools: []}]", "servers.0.tools:"),
        ("servers: [{name: Lab!, command: [x], tools: [a]}]", "servers.0.name:"),
        ("servers: [{name: lab, url: 'file:///x', tools: [a]}]", "servers.0.url:"),
        (
            "servers: [{name: a, command: [x], tools: [a]}, {name: a, command: [x], tools: [a]}]",
            "two servers share the name 'a'",
        ),
        ("server: []", "server: Extra inputs are not permitted"),
        ("servers: [{name: lab, command: [x], key: K, tools: [a]}]", "name its keys under env"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(tmp_path, text, said):
    file = tmp_path / "mcp.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CallerError) as refused:
        read_servers(file)
    assert said in str(refused.value)
