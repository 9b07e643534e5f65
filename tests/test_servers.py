"""A run calls the tools of the analyst's own servers where its tasks say so, and replays without."""

import json
import sys
from pathlib import Path

import pytest

from core.errors import CallerError
from core.graph.files import read_answers, read_plan
from dr_rd.cli import main
from dr_rd.reading import parse_brief

_LAB = Path(__file__).with_name("mcp_server.py")

_BRIEF = """
objective: Test whether a furnace holds 900 degrees for an hour.
tasks:
  - id: A
    title: Look the load up
    tools:
      - {name: lab.add, args: {a: 20, b: 22}}
      - {name: lab.unasked, args: {}}
"""


@pytest.fixture
def servers(tmp_path) -> Path:
    file = tmp_path / "mcp.yaml"
    command = [sys.executable, str(_LAB)]
    file.write_text(
        f"servers: [{{name: lab, command: {command}, tools: [add]}}]", encoding="utf-8"
    )
    return file


def test_a_task_calls_what_its_brief_names_and_what_is_not_allowed_is_refused(finish, servers):
    done = finish(parse_brief(_BRIEF, "yaml"), mcp=servers)
    good, refused = read_answers(done.folder, read_plan(done.folder).tasks)["A"].tool_result[:2]
    assert good.output == {"text": "42", "value": {"result": 42}}
    assert refused.error.startswith("no tool 'lab.unasked'")
    answer = read_answers(done.folder, read_plan(done.folder).tasks)["A"].content
    assert f"**lab.add** [{good.id}]" in answer and "42" in answer
    assert f"**lab.unasked** [{refused.id}] gave no result: no tool 'lab.unasked'" in answer


def test_a_server_s_key_is_in_no_file_of_the_run(finish, tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_KEY", "topsecret99")
    file = tmp_path / "mcp.yaml"
    command = [sys.executable, str(_LAB)]
    file.write_text(
        f"servers: [{{name: lab, command: {command}, env: [LAB_KEY], tools: [echo_key]}}]"
    )
    brief = _BRIEF.replace("lab.add, args: {a: 20, b: 22}", "lab.echo_key")
    done = finish(parse_brief(brief, "yaml"), mcp=file)
    [told, *_] = read_answers(done.folder, read_plan(done.folder).tasks)["A"].tool_result
    assert told.output["text"] == "the key is [redacted]"
    files = [p for p in done.folder.path.rglob("*") if p.is_file()]
    assert len(files) > 10
    assert not [p for p in files if b"topsecret99" in p.read_bytes()]
    # a call that was refused went nowhere
    assert "Went to other programs, wherever they are: 1 call of lab.echo_key." in done.proposal


def test_a_replay_starts_no_server(finish, servers, capsys):
    done = finish(parse_brief(_BRIEF, "yaml"), mcp=servers)
    servers.unlink()
    main(["replay", str(done.folder.path), "--json"])
    assert json.loads(capsys.readouterr().out)["identical"]


def test_servers_that_cannot_be_read_are_refused_before_anything_is_made(tmp_path, capsys):
    arguments = ["run", "Does it hold?", "--audits", str(tmp_path / "a"), "--mcp", "/nowhere.yaml"]
    assert main(arguments) == 2
    assert "the servers in '/nowhere.yaml' cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("tools", ["[1]", "[{args: {}}]"])
def test_wrong_tools_of_a_task_are_one_sentence(tools):
    text = f"objective: x\ntasks: [{{id: A, title: a, tools: {tools}}}]"
    with pytest.raises(
        CallerError, match=r"task 1, tool 1 is .*; write a tool's name, or its name"
    ):
        parse_brief(text, "yaml")


def test_one_tool_may_stand_alone():
    text = "objective: x\ntasks: [{id: A, title: a, tools: unit_convert}]"
    assert [t.name for t in parse_brief(text, "yaml").tasks[0].tools] == ["unit_convert"]


def test_the_arguments_of_a_tool_may_be_nested_in_yaml():
    lines = "[{id: A, cost: {low: 1, mode: 2, high: 3}}]"
    call = f"{{name: budget, args: {{lines: {lines}, currency: EUR}}}}"
    brief = parse_brief(f"objective: x\ntasks: [{{id: A, title: a, tools: [{call}]}}]", "yaml")
    assert brief.tasks[0].tools[0].args["lines"][0]["cost"]["high"] == 3
