"""How a brief is read, and what is said when it cannot be."""

import io
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from core.errors import CallerError
from core.graph.state import ThreePoint
from dr_rd.brief import Brief, GivenTask, check_objective, project_id
from dr_rd.reading import parse_brief, read_brief
from dr_rd.reading.files import MAX_BYTES

BRIEFS = Path(__file__).parent / "data" / "briefs"

MARKDOWN = """# Night buses

## Objective
Find out whether night buses
shorten the way home.

**Constraints:**
- no interviews
- at least 12 routes,
  all in one city

Success criteria:
1. reports a confidence interval
2) names one confounder

## Out of scope
* fares

Budget: 20,000 EUR
Risk: low appetite
"""


def test_yaml_names_the_fields_and_their_short_forms():
    brief = parse_brief("idea: Does it work?\nconstraints: [at least 3 sites, no animals]\n")
    assert brief.objective == "Does it work?"
    assert brief.hard_constraints == ("at least 3 sites", "no animals")


def test_markdown_labels_become_fields():
    brief = parse_brief(MARKDOWN)
    assert brief.objective == "Find out whether night buses shorten the way home."
    assert brief.hard_constraints == ("no interviews", "at least 12 routes, all in one city")
    assert brief.success_criteria == ("reports a confidence interval", "names one confounder")
    assert brief.banned_moves == ("fares",)
    assert (brief.budget, brief.risk_posture) == ("20,000 EUR", "low")


def test_limits_in_plain_sentences_become_constraints_and_bans():
    brief = parse_brief(
        "Test whether bees prefer blue. It must use at least 6 hives. Do not use pesticides."
    )
    assert brief.objective == "Test whether bees prefer blue."
    assert "It must use at least 6 hives" in (*brief.hard_constraints, *brief.success_criteria)
    assert brief.banned_moves == ("Do not use pesticides",)


def test_one_quoted_line_is_the_objective_whole():
    text = "Test whether bees prefer blue. It must use at least 6 hives."
    assert read_brief(text).objective == text


@pytest.mark.parametrize(
    "objective", ["研究城市绿化是否降低夏季地表温度", "هل تقلل الأشجار حرارة المدن؟"]
)
def test_other_scripts_are_read(objective, tmp_path):
    assert read_brief(objective).objective == objective
    path = tmp_path / "brief.yaml"
    path.write_text(f"objective: {objective}\n", encoding="utf-16")
    assert read_brief(path).objective == objective


def test_labels_in_other_scripts_are_read():
    brief = parse_brief("目标：降低温度\n约束：\n- 预算不超过10000元\n")
    assert (brief.objective, brief.budget) == ("降低温度", "10,000 CNY")
    assert brief.hard_constraints == ("预算不超过10000元",)


def test_standard_input_is_read():
    assert read_brief("-", io.BytesIO(b'{"objective": "why"}')).objective == "why"


def test_a_list_may_be_one_string():
    brief = parse_brief("objective: x\nbanned_moves: |\n  - drones\n  - balloons\n")
    assert brief.banned_moves == ("drones", "balloons")


def test_a_date_stays_as_it_was_written():
    assert parse_brief("objective: x\ndeadline: 2027-03-31\n").deadline == "2027-03-31"


TASKS = "objective: x\ntasks:\n"
WRONG = [
    ("", "is empty"),
    (" \n ", "is empty"),
    ("domain: x\n", "has no objective"),
    ("objective: '  '\n", "has no objective"),
    ("objective: 5\n", "is the number 5"),
    ("objective: [a]\n", "is a list"),
    ("objective: x\nidea: y\n", "gives both 'objective' and 'idea'; keep one"),
    ("idea: x\nobjective: y\n", "gives both 'idea' and 'objective'; keep one"),
    ("objective: x\nhard_constraints:\n  - {a: 1, b: 2}\n", "item 1 is a mapping"),
    ("objective: x\nhard_constraints: 7\n", "must be a list"),
    ("objective: x\nrisk_posture: hihg\n", "did you mean 'high'"),
    ("objective: x\nobjective: y\n", "a second time"),
    ("objective: x\nbudget: [\n", "line 3"),
    ("objective: &a x\ndomain: *a\n", "alias"),
    ("objective: " + "[" * 100 + "\n", "too deeply"),
    ("objective: !!python/object:os.system x\n", "YAML"),
    ('{"objective": "x",}', "line 1"),
    ('{"objective": "x", "objective": "y"}', "twice"),
    ("{" + '"a":[' * 9000, "JSON"),
    (TASKS + "  - {id: a, title: A}\n  - {id: a, title: B}\n", "two tasks with the id 'a'"),
    (TASKS + "  - {id: a, title: A, depends_on: [b]}\n", "depends on 'b'"),
    (TASKS + "  - {id: a, title: A, depends_on: [a]}\n", "in a ring"),
    (TASKS + "  - {title: A}\n", "has no id"),
    (TASKS + "  - {id: a, titel: A}\n", "did you mean 'title'"),
    (TASKS + "  - just words\n", "must be a mapping"),
    ("objective: x\ntasks: soon\n", "must be a list of tasks"),
    (
        TASKS + "  - {id: a, title: A, days: a week}\n",
        "task 1, days is 'a week'; write one number",
    ),
    (TASKS + "  - {id: a, title: A, days: [5, 10]}\n", "days is [5, 10]; write one number"),
    (TASKS + "  - {id: a, title: A, cost: [9, 5, 20]}\n", "cost is [9, 5, 20]; write one number"),
    (TASKS + "  - {id: a, title: A, cost: .nan}\n", "cost is nan; write one number"),
    (TASKS + "  - {id: a, title: A, cost: [true, 1, 2]}\n", "cost is [True, 1, 2]; write one"),
    (TASKS + "  - {id: a, title: A, source: model}\n", "unknown key"),
    (
        TASKS + "  - {id: a, title: A, dayz: 3}\n  - {id: b, titel: B}\n",
        "'dayz' in brief: task 1 (did you mean 'days'?), 'titel' in brief: task 2 (did you mean",
    ),
    ("objective: [a, b]\n", "objective is a list; it must be text: make one sentence of it"),
    ("objective: " + "word " * 3000, "brief: objective has 14,999 characters"),
    ("objective: x\nrisk_posture: hihg\n", "did you mean 'high'? Choose low"),
    ("objective: x\nstart: next spring\n", "start is 'next spring'; write a day, for instance"),
    ("objective: x\nstart: 2027\n", "start is '2027'; write a day"),
    ("objective: x\nstart: 31 February 2027\n", "start is '31 February 2027'; write a day"),
    ("objective: x\nstart: 31 December 9999\n", "start is '31 December 9999'; write a day"),
    ("objective: x\ndeadline: -3 days\n", "deadline is '-3 days'; write one above zero"),
    ("objective: x\ndeadline: 0 months\n", "deadline is '0 months'; write one above zero"),
    ("objective: x\nbudget: -5 EUR\n", "budget is '-5 EUR'; write one above zero"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_wrong_brief_gets_one_plain_sentence(text, said):
    with pytest.raises(CallerError, match=r"^[^\n]+$") as error:
        parse_brief(text, None if text.strip() else "yaml")
    assert said in str(error.value)


UNREADABLE = {
    "objective: Test whether rye helps: a trial\n": "line 1 (“objective: Test whether rye helps: a "
    "trial”) cannot be read as YAML: a colon stands inside a value; put the value in quotes, or",
    "objective: x\nhard_constraints:\n- sites: 20: paired\n": "line 3 (“- sites: 20: paired”)",
    "objective: x\n budget: 3 EUR\n": "line 2 (“budget: 3 EUR”) cannot be read as YAML: it is "
    "indented",
    "objective: x\nbudget: @home\n": "a value begins with a sign of YAML's own; put the value in",
    "objective: x\nbudget: %5\n": "a value begins with a sign of YAML's own",
    "objective: x\nbanned_moves:\n- * stars\n": "line 3 (“- * stars”)",
    "objective: x\nbanned_moves:\n\t- tea\n": "a tab stands where blanks must indent",
    "objective: 'x\nbudget: 3 EUR\n": "line 1 (“objective: 'x”) cannot be read as YAML: a quotation",
    "objective: x\nbudget\ndeadline: 3 days\n": "line 2 (“budget”) cannot be read as YAML: no colon",
    'objective: "Test" whether\nbudget: 3 EUR\n': "or text follows a closed quotation mark",
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_yaml_that_cannot_be_read_is_told_in_an_analysts_words(text):
    with pytest.raises(CallerError, match=r"^brief line \d+ [^\n]+$") as error:
        parse_brief(text, "yaml")
    assert UNREADABLE[text] in str(error.value)


@pytest.mark.parametrize("objective", ["x", "?!", "12 345", "the of and", "do it", "研"])
def test_an_objective_that_names_nothing_is_refused_before_it_is_planned(objective):
    with pytest.raises(CallerError, match=r"names nothing to plan for; say in a sentence what"):
        check_objective(Brief(objective=objective))


@pytest.mark.parametrize("objective", ["Rye yields", "研究绿化", "Zählt Rüben"])
def test_a_few_words_are_an_objective(objective):
    check_objective(Brief(objective=objective))


def test_a_brief_with_tasks_of_its_own_may_name_nothing_else():
    check_objective(Brief(objective="x", tasks=(GivenTask(id="a", title="A"),)))


@pytest.mark.parametrize("written", ["[1, 2, 3]", "{low: 1, mode: 2, high: 3}", "['1', '2', '3']"])
def test_a_task_may_say_how_it_is_done_how_long_it_takes_and_what_it_costs(written):
    (task,) = parse_brief(
        TASKS + f"  - {{id: a, title: A, steps: [dig, weigh], days: {written}, cost: 1}}\n"
    ).tasks
    assert task.steps == ("dig", "weigh")
    assert task.days == ThreePoint(low=1, mode=2, high=3)
    assert task.cost == ThreePoint(low=1, mode=1, high=1)


def test_a_brief_without_them_is_written_as_ever():
    held = parse_brief(TASKS + "  - {id: a, title: A}\n").model_dump(mode="json")["tasks"][0]
    assert not {"steps", "days", "cost"} & held.keys()


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "latin.md").write_bytes("größe".encode("latin-1"))
    (tmp_path / "binary.txt").write_bytes(b"PK\x00\x01")
    (tmp_path / "large.md").write_bytes(b"word " * MAX_BYTES)
    names = {"missing.yaml": "no file", "latin.md": "UTF-8", "binary.txt": "binary",
             "large.md": "larger than", ".": "folder"}  # fmt: skip
    for name, said in names.items():
        with pytest.raises(CallerError, match=said):
            read_brief(tmp_path / name)


def test_an_id_is_never_a_path():
    assert project_id(Brief(id="../../Etc/Passwd", objective="x")) == "etc-passwd"
    assert project_id(Brief(id="研究", objective="x")) == "brief"
    assert len(project_id(Brief(id="a" * 200, objective="x"))) == 63


words = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=40
).map(str.strip).filter(bool)  # fmt: skip
briefs = st.builds(
    Brief,
    id=words,
    domain=words,
    objective=words,
    hard_constraints=st.lists(words).map(tuple),
    success_criteria=st.lists(words).map(tuple),
    banned_moves=st.lists(words).map(tuple),
    risk_posture=st.sampled_from(["low", "medium", "high"]),
    budget=words,
    tasks=st.just(
        (GivenTask(id="a", title="A", acceptance=("done",), steps=("dig",), days=[1, 2, 3]),)
    ),
)


@settings(max_examples=25, phases=(Phase.explicit, Phase.generate))
@given(briefs)
def test_a_dumped_brief_reads_as_the_same_brief(brief):
    raw = brief.model_dump(mode="json")
    assert parse_brief(json.dumps(raw), "json") == brief
    assert parse_brief(yaml.safe_dump(raw, allow_unicode=True), "yaml") == brief


@settings(phases=(Phase.explicit, Phase.generate))
@given(st.text(max_size=300))
def test_any_text_is_a_brief_or_a_plain_sentence(text):
    try:
        assert parse_brief(text).objective
    except CallerError as error:
        assert "\n" not in str(error)


def test_every_sample_brief_is_read():
    for path in BRIEFS.glob("*.yaml"):
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        brief = read_brief(path)
        assert list(brief.hard_constraints) == raw["hard_constraints"]
        assert list(brief.banned_moves) == raw["banned_moves"]


def test_a_brief_without_an_id_takes_its_file_name(tmp_path):
    (tmp_path / "Night Shift.md").write_text("# Objective\n\nCount owls at night.\n")
    brief = read_brief(tmp_path / "Night Shift.md")
    assert (brief.id, project_id(brief)) == ("Night Shift", "night-shift")


def test_an_empty_name_is_an_empty_brief():
    with pytest.raises(CallerError, match="the brief is empty"):
        read_brief("")
