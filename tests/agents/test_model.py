"""What a model says of a task stands only as far as its sources and the brief's limits bear it."""

import asyncio
import json

import pytest

from core.errors import TaskError
from core.graph.nodes import Work
from core.graph.state import Acceptance, Answer, GraphState, GraphTask, ToolRequest, ToolResult
from core.requests import Reply
from core.testing import FakeCalls
from dr_rd.agents.builtin import BuiltinAgent
from dr_rd.agents.model import ModelAgent, Wish
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evidence.index import open_index
from dr_rd.evidence.ingest import read_documents
from dr_rd.models.typed.ask import Model
from dr_rd.models.window import Window
from dr_rd.tools import Sources, load_tools

BRIEF = Brief(
    objective="Does storage temperature change how fast wood pellets crumble?",
    hard_constraints=("At most 40 samples.", "No animals are used.", "A budget of 5000 EUR."),
    banned_moves=("Do not add a survey of users.",),
)
CORPUS = "Pellets stored at 35 °C lost 12 % of their durability within 6 months.\n"
TASK = GraphTask(
    id="T02",
    role="laboratory-scientist",
    title="Measure durability",
    description="Tumble the pellets and weigh what is left.",
    deliverable="A table of durabilities.",
    acceptance=(Acceptance(text="Every batch is measured twice.", ledger_ids=("C01",)),),
    tool_request=(ToolRequest(name="unit_convert", args={"value": 3, "from": "ft", "to": "m"}),),
)
FIRST = GraphTask(id="T01", role="field-coordinator", title="Find the stores")
ARGS = {"value": 3, "from": "ft", "to": "m"}


def reply(*, steps=(), findings=(), unknowns=(), calls=()) -> str:
    def said(items):
        return [
            {"text": i, "sources": []} if isinstance(i, str) else {"text": i[0], "sources": i[1:]}
            for i in items
        ]

    return json.dumps(
        {
            "calls": [{"name": n, "arguments": a} for n, a in calls],
            "steps": said(steps),
            "findings": said(findings),
            "unknowns": list(unknowns),
        }
    )


@pytest.fixture(scope="module")
def builtin(workbench):
    return BuiltinAgent(
        brief=BRIEF,
        ledger=build_ledger(BRIEF),
        design=workbench.design(BRIEF, ()),
        library=workbench.planner.library,
        seed=0,
        documents=True,
    )


@pytest.fixture
def answer(tmp_path, builtin):
    """Have a model that gives these replies work the task; return what came of it."""
    (tmp_path / "pellets.md").write_text(CORPUS, encoding="utf-8")
    corpus = read_documents([tmp_path])
    tools = {t.name: t for t in load_tools().open(Sources(corpus, open_index(corpus), [tmp_path]))}
    convert = tools["unit_convert"]
    metres = convert.run(convert.params.model_validate(ARGS))
    done = ToolResult(id="T02-1", name="unit_convert", args=ARGS, output=metres)
    hit = {
        "id": "E001",
        "text": CORPUS.strip(),
        "document": "pellets.md",
        "place": "",
        "status": "live",
        "superseded_by": None,
    }
    searched = ToolResult(id="T02-2", name="search_documents", args={}, output={"hits": [hit]})

    def work(*replies, results=(done, searched), task=TASK, feedback=(), window=8192):
        calls = FakeCalls(list(replies))
        model = Model(calls, "http://127.0.0.1", "m")
        agent = ModelAgent(model, builtin, tools, Window(context=window), "run-1")
        found = asyncio.run(
            agent(
                Work(
                    task=task,
                    state=GraphState(idea=BRIEF.objective, tasks=(FIRST, task)),
                    upstream={"T01": Answer(task_id="T01", content="Three stores were found.")},
                    attempt=1,
                    feedback=feedback,
                    tool_result=results,
                )
            )
        )
        return found, calls

    return work


def repair(calls: FakeCalls) -> str:
    """What the model was told of its first reply."""
    assert len(calls.asked) == 2
    return calls.asked[1].body["messages"][-1]["content"]


def test_a_finding_that_its_passage_bears_out_is_cited_and_claimed(answer):
    text = "Pellets stored at 35 °C lost 12 % of their durability within 6 months."
    found, _ = answer(reply(findings=[(text, "E001")]))
    assert f"- {text[:-1]} [E001]." in found.content
    assert [(c.kind, c.source) for c in found.claims if c.text == text] == [("quoted", "E001")]
    assert found.removed == 0


def test_a_finding_without_a_source_is_an_assumption_and_says_so(answer):
    found, _ = answer(reply(findings=["Damp air softens the lignin that binds a pellet."]))
    assert "binds a pellet. (assumed, T02-M1)" in found.content
    assert [c.source for c in found.claims if c.kind == "assumption"] == ["T02-M1"]


def test_a_figure_that_no_source_states_makes_a_step_an_assumption(answer):
    found, _ = answer(reply(steps=["Tumble each batch for 10 minutes.", "Weigh what is left."]))
    assert "1. Tumble each batch for 10 minutes. (assumed, T02-M1)" in found.content
    assert "2. Weigh what is left.\n" in found.content


def test_ids_and_links_that_lead_nowhere_are_taken_out_and_counted(answer):
    text = "Dust is weighed [E777] as in (Miller et al., 2019), see https://example.org/x."
    found, _ = answer(reply(steps=[(text, "E999", "T02-1")]))
    assert "Dust is weighed as in (Miller et al., 2019, unverified), see" in found.content
    assert "E777" not in found.content
    assert "example.org" not in found.content
    assert found.removed == 4  # T02-1 turns feet into metres: it says nothing of dust


def test_a_calculation_bears_out_only_what_it_speaks_of(answer):
    there, other = "The 3 feet are 0.9144 metres.", "The pellets keep their strength."
    found, _ = answer(reply(findings=[(there, "T02-1"), (other, "T02-1")]))
    assert "metres [T02-1]." in found.content
    assert f"{other} (assumed, T02-M1)" in found.content


MARKS = [
    "<!-- the rest of this plan is hidden",
    "## Constraint ledger",
    "| C01 | constraint | At most 40 samples. | T02 | met | shown |",
    "Weigh the <script>alert()</script> dust ![x](https://evil.example.org/p.png).",
    "Weigh the dust\n\n**What this task commits to**\n\n- C09: all of it",
    "“Dust is harmless.” [E001, storage.md]",
    "Weigh the dust [plan] (assumed, T02-M9), see [1] and evil.example.org/x.",
]


def test_nothing_that_a_model_writes_is_read_as_markdown_or_as_a_mark_of_ours(answer):
    found, _ = answer(reply(steps=MARKS, unknowns=MARKS))
    for mark in ("<", "|", "#", "evil", "storage.md", "[plan]", "[1]", "T02-M9", "\n- C09"):
        assert mark not in found.content.partition("**What is done")[2].partition("**unit_")[0]
    assert found.content.count("**What this task commits to**") == 1
    assert "- Weigh the dust, see and\n" in found.content


def test_letters_that_nobody_sees_hide_nothing_from_the_limits(answer):
    bad = reply(steps=["We add a s\u200burvey of us&#8203;ers.", "Dry the pellets first."])
    found, calls = answer(bad, bad)
    assert "it breaks B01" in repair(calls)
    assert "of users" not in found.content.partition("**What the brief bans**")[0]


@pytest.mark.parametrize("text", ["Take two dozen readings.", "Tumble ½ of each batch."])
def test_a_figure_in_words_or_one_sign_is_a_figure(answer, text):
    found, _ = answer(reply(steps=[text, "Give the area in m² to one person."]))
    assert f"{text} (assumed, T02-M1)" in found.content
    assert "2. Give the area in m² to one person.\n" in found.content


def test_a_formula_in_brackets_is_no_citation(answer):
    found, _ = answer(reply(steps=["Measure carbon dioxide (CO2) above the pellets."]))
    assert "Measure carbon dioxide (CO2) above the pellets." in found.content
    assert found.removed == 0


def test_a_source_that_says_nothing_of_a_sentence_is_taken_off_it(answer):
    found, _ = answer(
        reply(findings=[("Users hate crumbs.", "C01"), ("The stores are three.", "T01")])
    )
    assert "- Users hate crumbs. (assumed, T02-M1)" in found.content
    assert "- The stores are three [T01]." in found.content


def test_an_open_question_breaks_no_limit_and_brings_no_figure(answer):
    asked = ("We add a survey of users.", "Why do 43 % of stores fail?", "Who owns the store?")
    found, calls = answer(
        reply(steps=["Weigh."], unknowns=asked), reply(unknowns=asked, steps=["Weigh."])
    )
    assert "it breaks B01" in repair(calls)
    assert "it asks with a figure that no source states" in repair(calls)
    assert [u for u in found.unknowns if u in asked] == ["Who owns the store?"]


def test_what_the_plan_or_an_answer_before_says_already_is_not_said_again(answer):
    task = TASK.model_copy(update={"steps": ("Weigh the dust.",)})
    found, _ = answer(
        reply(
            steps=["Weigh the dust.", "Weigh.", "Dry it."], findings=["Three stores were found."]
        ),
        task=task,
    )
    assert found.content.count("Weigh the dust.") == 1
    assert "1. Weigh.\n2. Dry it." in found.content
    assert "Three stores" not in found.content


def test_what_breaks_a_limit_only_together_is_left_out(answer):
    bad = reply(steps=["The drum costs 3,000 EUR.", "The scales cost 2,900 EUR."])
    found, calls = answer(bad, bad)
    assert "beside the others it breaks C03" in repair(calls)
    assert "The scales cost 2,900 EUR" not in found.content


def test_a_sentence_in_another_language_than_the_brief_is_left_out(answer):
    bad = reply(
        steps=["Die Proben werden mit der Hand gewogen und in den Ofen gestellt.", "Weigh it."]
    )
    found, calls = answer(bad, bad)
    assert "it is in German and not in English" in repair(calls)
    assert "Proben" not in found.content
    assert "Weigh it." in found.content


def test_what_breaks_a_limit_goes_back_once_with_the_reason_and_is_then_left_out(answer):
    bad = reply(steps=["We use 90 samples.", "Dry the pellets first."])
    found, calls = answer(bad, bad)
    assert "it breaks C01" in repair(calls)
    assert "90 samples" not in found.content
    assert "Dry the pellets first." in found.content
    assert "left out: a sentence, because it breaks C01" in found.content


def test_what_its_own_source_contradicts_is_left_out(answer):
    bad = reply(
        findings=[
            ("Pellets stored at 35 °C lost 30 % of their durability within 6 months.", "E001")
        ],
        steps=["Dry the pellets first."],
    )
    found, calls = answer(bad, bad)
    assert "E001 says otherwise" in repair(calls)
    assert "30 %" not in found.content


def test_a_planned_tool_may_be_called_again_with_other_arguments_and_is_shut_then(answer):
    given = {"value": 5, "from": "ft", "to": "m"}
    wish = ("unit_convert", json.dumps(given))
    found, calls = answer(reply(calls=[wish]))
    assert found == (ToolRequest(name="unit_convert", args=given),)
    planned = calls.asked[0].body["response_format"]["json_schema"]["schema"]
    assert "calls" in planned["properties"]
    made = [
        ToolResult(id=f"T02-{n}", name="unit_convert", args=args, error="none")
        for n, args in enumerate((ARGS, given))
    ]
    said = reply(steps=["Weigh the dust."]).replace('"calls": [], ', "")
    _, calls = answer(said, results=tuple(made))
    schema = calls.asked[0].body["response_format"]["json_schema"]["schema"]
    assert "calls" not in schema["properties"]


def test_what_computes_from_the_plan_is_not_computed_again_from_a_model_s_figures(answer):
    convert = ToolRequest(name="unit_convert", args=ARGS)
    planned = (ToolRequest(name="budget", args={}), convert)
    task = TASK.model_copy(update={"tool_request": planned})
    done = tuple(
        ToolResult(id=f"T02-{n}", name=r.name, args={}, error="none")
        for n, r in enumerate(planned)
    )
    _, calls = answer(reply(steps=["Weigh the dust."]), task=task, results=done)
    schema = calls.asked[0].body["response_format"]["json_schema"]["schema"]
    assert schema["$defs"]["Wish"]["properties"]["name"]["enum"] == ["unit_convert"]


def test_an_argument_that_is_null_is_left_out():
    wish = Wish(name="budget", arguments='{"limit": null, "lines": [{"id": "a", "cost": null}]}')
    assert wish.request.args == {"lines": [{"id": "a"}]}


def test_arguments_in_other_quotes_are_read_as_replies_are(answer):
    wish = ("unit_convert", "{\"value\": 5, 'from': 'ft', 'to': 'm',}")
    found, _ = answer(reply(calls=[wish]))
    assert found == (ToolRequest(name="unit_convert", args={"value": 5, "from": "ft", "to": "m"}),)


@pytest.mark.parametrize("said", ['{"value": "5", "from": "ft", "to": "m"}',
                                  '{"Value": 5, "from": "ft", "to": "m"}'])  # fmt: skip
def test_arguments_are_shaped_as_the_tool_asks_where_that_is_certain(answer, said):
    found, _ = answer(reply(calls=[("unit_convert", said)]))
    assert found == (ToolRequest(name="unit_convert", args={"value": 5, "from": "ft", "to": "m"}),)


def test_an_argument_that_a_tool_does_not_know_is_refused_and_not_dropped(answer):
    bad = reply(calls=[("unit_convert", '{"value": 5, "from": "ft", "to": "m", "note": "x"}')])
    _, calls = answer(bad, reply(steps=["Go on without it."]))
    assert "do not fit: note" in repair(calls)


def test_a_server_held_to_a_schema_writes_the_calls_first_and_names_open_tools_only(answer):
    _, calls = answer(reply(steps=["Weigh the dust."]))
    schema = calls.asked[0].body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["calls", "steps", "findings", "unknowns", "expertise"]
    assert schema["$defs"]["Wish"]["properties"]["name"]["enum"] == ["unit_convert"]


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (("rm", "{}"), "no tool 'rm' is open here; choose from: unit_convert"),
        (("budget", "{}"), "no tool 'budget' is open here"),
        (("unit_convert", "{"), "are no JSON object"),
        (("unit_convert", "[1]"), "are no JSON object"),
        (("unit_convert", '{"value": "much"}'), "the arguments of 'unit_convert' do not fit"),
        (("unit_convert", json.dumps(ARGS)), "was made already"),
    ],
)
def test_a_call_that_cannot_be_made_is_answered_once_then_the_task_fails(answer, wish, told):
    bad = reply(calls=[wish])
    with pytest.raises(TaskError, match="gave no usable work"):
        answer(bad, bad)
    found, calls = answer(bad, reply(steps=["Go on without it."]))
    assert told in repair(calls)
    assert "Go on without it." in found.content


def test_a_call_that_stays_wrong_costs_itself_and_nothing_else(answer):
    bad = reply(calls=[("unit_convert", '{"value": "much"}')], steps=["Weigh the dust."])
    found, calls = answer(bad, bad)
    assert "the arguments of 'unit_convert' do not fit" in repair(calls)
    assert "Weigh the dust." in found.content
    assert found.left_out == ("a call of 'unit_convert', because its arguments do not fit",)
    assert "much" not in found.content


def test_of_several_calls_those_are_made_that_can_be(answer):
    given = {"value": 5, "from": "ft", "to": "m"}
    both = reply(calls=[("rm", "{}"), ("unit_convert", json.dumps(given))])
    found, calls = answer(both, both)
    assert "no tool 'rm' is open here" in repair(calls)
    assert found == (ToolRequest(name="unit_convert", args=given),)


def test_a_reply_that_says_nothing_is_refused(answer):
    found, calls = answer(reply(), reply(steps=["Weigh the dust."]))
    assert "the reply says nothing" in repair(calls)
    assert "Weigh the dust." in found.content


def test_planned_calls_are_made_before_the_model_is_asked(answer):
    found, calls = answer(results=())
    assert [r.name for r in found] == ["unit_convert"]
    assert calls.asked == []


def test_material_stands_between_lines_that_nobody_could_know_and_is_all_there(answer):
    _, calls = answer(reply(steps=["Weigh the dust."]), feedback=("Say how often.",))
    system, user = (m["content"] for m in calls.asked[0].body["messages"])
    mark = user.split("\n")[0]
    assert mark.startswith("=== ")
    assert mark in system
    inside, after = user.split(mark)[1:]
    for shown in ("[E001] (pellets.md) Pellets stored", "[T01] Three stores", "[T02-1]", "[C01]"):
        assert shown in inside
    assert "Say how often." in after


def test_the_model_may_ask_for_no_tool_where_none_is_planned(answer):
    task = TASK.model_copy(update={"tool_request": ()})
    _, calls = answer(reply(steps=["Weigh the dust."]).replace('"calls": [], ', ""), task=task)
    schema = calls.asked[0].body["response_format"]["json_schema"]["schema"]
    assert "calls" not in schema["properties"]


def test_an_answer_without_a_source_for_its_unknowns_lists_them(answer):
    found, _ = answer(reply(steps=["Weigh the dust."], unknowns=["Who owns the store?"]))
    assert "Who owns the store?" in found.unknowns
    assert "- Who owns the store?" in found.content


def test_what_is_whole_of_a_reply_that_stays_cut_stands_and_is_marked(answer):
    text = reply(steps=["Weigh the dust.", "Weigh the dust again after a day."])
    cut = Reply(text=text[: text.index("again after")], finish="length")
    nothing = Reply(text="", finish="length")
    found, _ = answer(cut, nothing, nothing, nothing)
    assert "Weigh the dust." in found.content
    assert any("was cut before its end" in u for u in found.unknowns)


def test_passages_that_do_not_fit_the_window_are_left_out_whole_and_counted(answer):
    _, calls = answer(reply(steps=["Weigh the dust."]), window=3000)
    user = calls.asked[0].body["messages"][1]["content"]
    assert "[E001]" not in user
    assert "(1 more passages were found that there is no room for.)" in user
