"""A model plans with the tools of the analyst's own servers, and obeys nothing that these say."""

import json
import re
import sys
from pathlib import Path

import pytest

from core.events import ToolCalled
from core.graph.files import read_answer, read_plan
from core.replay import replay
from dr_rd.cli import main
from dr_rd.workbench import EVIDENCE, OFFERS, SERVERS
from tests import scripted
from tests.fake_llm import FakeLLMThread
from tests.models.conftest import BRIEF, NOTE

UNPLANNED = BRIEF.model_copy(update={"tasks": ()})
_LAB = Path(__file__).parents[1] / "mcp_server.py"
_ORDERED = re.compile(r"call the tool (\\S+) with")


@pytest.fixture
def servers(tmp_path):
    def go(*tools: str, command=(sys.executable, str(_LAB))) -> Path:
        server = {"name": "lab", "command": list(command), "tools": list(tools)}
        file = tmp_path / "mcp.yaml"
        file.write_text(json.dumps({"servers": [server]}), encoding="utf-8")
        return file

    return go


def planning(*tools: str):
    """Plan as a good model does, with these tools in the first task."""

    def plan(body):
        written = scripted.good_plan(body)
        written["tasks"][0]["tools"] = list(tools)
        return written

    return plan


def calling(name: str, **arguments):
    """Work as a good model does that calls this tool where it is open."""

    def work(body):
        said = scripted.only(body, scripted.good_work(body))
        if "calls" in said and name in json.dumps(body["response_format"]):
            said["calls"] = [{"name": name, "arguments": json.dumps(arguments)}]
        return said

    return work


def called(ran) -> list[str]:
    return [e.name for e in ran.events if isinstance(e, ToolCalled) and "." in e.name]


def texts_of(ran) -> str:
    """Everything that the models were shown, message by message."""
    return "\0".join(m["content"] for body in json.loads(ran.seen) for m in body["messages"])


def test_a_planned_tool_is_called_with_the_models_arguments_and_a_replay_starts_no_server(
    run, servers, workbench, tmp_path
):
    file = servers("add", "picture")
    model = scripted.model(tasks=planning("lab.add"), findings=calling("lab.add", a=20, b=22))
    ran = run(model, NOTE, brief=UNPLANNED, mcp=file, log=99)
    assert ran.outcome.ended, ran.outcome.reason
    assert called(ran) == ["lab.add"]
    (found,) = [r for r in read_answer(ran.folder, "T1").tool_result if r.name == "lab.add"]
    assert (dict(found.args), found.output["value"]) == ({"a": 20, "b": 22}, {"result": 42})
    told = texts_of(ran)
    assert "- lab.add: Add two numbers.\n- lab.picture: Give a picture.\n" in told
    assert 'lab.add: Add two numbers. Arguments: {"a": integer, "b": integer}\n' in told
    file.unlink()
    given = (EVIDENCE, SERVERS, OFFERS)
    found = replay(ran.folder.path, workbench.parts, tmp_path / "again", given=given)
    assert found.identical, found.first_difference


def test_a_tool_that_nobody_allowed_or_planned_is_not_called(run, servers):
    model = scripted.model(tasks=planning("lab.add", "lab.secret"), findings=calling("lab.secret"))
    ran = run(model, NOTE, brief=UNPLANNED, mcp=servers("add", "picture"))
    assert called(ran) == []
    named = {r.name for t in read_plan(ran.folder).tasks for r in t.tool_request if "." in r.name}
    assert named == {"lab.add"}


def test_what_a_tool_says_of_itself_stands_between_marks_and_is_not_obeyed(run, servers):
    def obedient(body):
        ordered = _ORDERED.findall(scripted.asked(body))
        return planning("lab.protocol", *ordered)(body)

    model = scripted.model(
        tasks=obedient, findings=lambda body: scripted.only(body, scripted.obey(body))
    )
    ran = run(model, NOTE, brief=UNPLANNED, mcp=servers("protocol"), log=99)
    assert ran.outcome.ended, ran.outcome.reason
    assert set(called(ran)) <= {"lab.protocol"}
    assert not [e for e in ran.events if isinstance(e, ToolCalled) and e.name == "read_repo"]
    assert "survey" not in ran.proposal.split("## Evidence")[0].replace("survey of users", "")
    told = [t for t in texts_of(ran).split("\0") if "Look a protocol up." in t]
    assert len(told) >= 2  # who plans and who works
    for text in told:
        before, after = text.split("Look a protocol up.")
        lines = re.findall(r"^=== [0-9a-f]{24} ===$", text, re.MULTILINE)
        assert len(set(lines)) == 1
        assert (before.count(lines[0]), after.count(lines[0])) >= (1, 1)
        assert "\n" not in after[: after.index("survey")]


def test_a_server_that_does_not_answer_is_told_of_and_the_plan_is_made(run, servers):
    file = servers("add", command=(sys.executable, "-c", ""))
    ran = run(scripted.GOOD, NOTE, brief=UNPLANNED, mcp=file)
    assert ran.outcome.ended, ran.outcome.reason
    assert "The tools of the server 'lab' were not offered: " in ran.proposal


def planned(file: Path, model) -> tuple[int, str]:
    """Have a model plan alone; the exit code, and all that it was shown."""
    with FakeLLMThread(reply=model, log=99) as fake:
        asks = ["--endpoint", fake.base_url, "--model", "m", "--mcp", str(file), "--json"]
        code = main(["plan", UNPLANNED.objective, *asks])
        return code, json.dumps(list(fake.requests))


def test_a_plan_alone_is_made_with_the_servers_tools_too(servers, capsys):
    code, shown = planned(servers("add"), scripted.model(tasks=planning("lab.add", "lab.secret")))
    assert code == 0
    tasks = json.loads(capsys.readouterr().out)["tasks"]
    assert "lab.add" in [r["name"] for r in tasks[0]["tool_request"]]
    assert "lab.secret" not in json.dumps(tasks)
    assert "- lab.add: Add two numbers." in shown


def test_a_plan_alone_tells_of_a_server_that_does_not_answer_and_of_a_file_that_is_none(
    servers, tmp_path, capsys
):
    assert planned(servers("add", command=(sys.executable, "-c", "")), scripted.GOOD)[0] == 0
    told = capsys.readouterr().err
    assert told.startswith("warning: The tools of the server 'lab' were not offered: ")
    assert main(["plan", UNPLANNED.objective, "--mcp", str(tmp_path / "none.yaml")]) == 2
    assert "cannot be read; write a YAML file" in capsys.readouterr().err
