"""A tool of another package: the recipe of docs/tools.md, installed and run from a temporary folder."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest
import yaml

from core.errors import CallerError
from core.graph.files import read_answers, read_plan
from core.graph.state import ToolResult
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evidence.index import index_with
from dr_rd.evidence.ingest import read_documents
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.library import load_library
from dr_rd.tools import Sources, load_tools
from dr_rd.workbench import load_workbench
from tests.conftest import finished

RECIPE = Path(__file__).parents[2] / "docs/tools.md"
FILE = re.compile(r"^(`{3,4})\w+ acme/(\S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
PRICES = "material,price\nlime mortar,80 EUR\nslate,45 EUR\n"
NAME = "find_row"


def install(folder: Path) -> None:
    """Write what installing a package writes: its modules and the entry points that it declares."""
    for _, name, text in FILE.findall(RECIPE.read_text("utf-8")):
        path = folder / "acme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    line = re.search(rf"^{NAME} = \"(.*)\"$", (folder / "acme/pyproject.toml").read_text(), re.M)[
        1
    ]
    info = folder / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[dr_rd.tools]\n{NAME} = {line}\n")


@pytest.fixture
def acme(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    install(folder)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    yield folder
    for name in [n for n in sys.modules if n.split(".")[0] == "acme"]:
        del sys.modules[name]


@pytest.fixture
def prices(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "prices.csv").write_text(PRICES)
    return folder


def run(objective, prices, folder):
    return finished(load_workbench(), Brief(objective=objective), folder, docs=(prices,))


def calls(run):
    tasks = read_plan(run.folder).tasks
    planned = [t for t in tasks if NAME in [r.name for r in t.tool_request]]
    answers = read_answers(run.folder, tasks)
    return planned, [r for a in answers.values() for r in a.tool_result if r.name == NAME]


def test_it_is_planned_called_and_shown(acme, prices, tmp_path):
    worked = run("Test whether lime repairs walls better than mortar.", prices, tmp_path / "runs")
    (task,), (result,) = calls(worked)
    assert NAME in load_library().role(task.role).tools
    assert result.output == {
        "table": "prices.csv",
        "rows": [{"material": "lime mortar", "price": "80 EUR"}],
    }
    evidence = worked.body.split("## Evidence")[1].split("## Open questions")[0]
    shown = f"**Table** [{result.id}]: 1 row of `prices.csv`.\nlime mortar, 80 EUR."
    assert shown in evidence
    assert shown in read_answers(worked.folder, (task,))[task.id].content


def test_it_fails_with_its_own_words(acme, prices, tmp_path):
    worked = run("Test whether thatch insulates attics.", prices, tmp_path / "runs")
    _, (result,) = calls(worked)
    said = (
        f"The row of the table [{result.id}] was not computed: "
        "no row of 'prices.csv' holds 'attics'."
    )
    assert said in worked.body
    error = f"tool {NAME!r}: word: Field required; its arguments are word"
    assert load_tools().failure(ToolResult(id="T1-1", name=NAME, args={}, error=error))[1] == (
        "was not computed: the word to look for is missing. "
        "Name the material in the objective as the table does."
    )


def test_its_page_holds_an_example_that_is_what_it_gives(acme, prices):
    spec, corpus = load_tools().by_name[NAME], read_documents([prices])
    tool = spec.open(Sources(corpus, index_with(corpus, None), [prices]))
    request, result = re.findall(r"```(?:yaml|json) \w+\n(.*?)```", spec.page, re.DOTALL)
    given = tool.run(tool.params.model_validate(yaml.safe_load(request)))
    assert given == json.loads(result)


@pytest.mark.parametrize("documents", [False, True])
def test_it_is_planned_only_where_there_is_what_it_needs(acme, documents):
    brief = Brief(objective="Test whether thatch insulates attics.")
    design = load_planner().design(brief, build_ledger(brief), documents=documents)
    assert documents == any(r.name == NAME for t in design.tasks for r in t.tool_request)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "plan.yaml",
            "group: evidence",
            "group: evidense",
            "no group 'evidense'; did you mean 'evidence'?",
        ),
        (
            "plan.yaml",
            "actions: []",
            "actions: [enrol-peple]",
            "tool 'find_row': unknown action 'enrol-peple'; did you mean 'enrol-people'?",
        ),
        ("plan.yaml", "actions: []\n", "", "tool 'find_row': plan.yaml"),
        ("plan.yaml", "materials", "material", "no topic 'material'; did you mean 'materials'?"),
        ("plan.yaml", "owns", "own", "tool 'find_row': plan.yaml"),
        ("failure.yaml", "result", "results", "tool 'find_row': failure.yaml"),
    ],
)
def test_a_wrong_data_file_is_named_with_what_is_wrong_in_it(acme, file, old, new, said):
    path = acme / "acme" / NAME / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ValueError, match=re.escape(said)):
        load_library()


def test_a_page_that_is_missing_is_asked_for(acme):
    (acme / "acme" / NAME / "README.md").unlink()
    with pytest.raises(ValueError, match=r"acme.find_row has no README.md; write one"):
        load_library()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("acme.nowhere:SPEC", "the tool 'find_row' of 'acme' cannot be loaded"),
        (
            "acme.find_row.tool:FindRow",
            "which is no ToolSpec of that name; mend or uninstall acme",
        ),
    ],
)
def test_an_offer_that_is_no_tool_is_refused_with_the_package_that_makes_it(acme, value, said):
    (acme / "acme-1.0.dist-info/entry_points.txt").write_text(f"[dr_rd.tools]\n{NAME} = {value}\n")
    with pytest.raises(CallerError, match=re.escape(said)):
        load_tools()


def test_a_name_that_is_taken_is_refused_with_both_that_have_it(acme):
    (acme / "acme-1.0.dist-info/entry_points.txt").write_text(
        "[dr_rd.tools]\nbudget = dr_rd.tools.budget:SPEC\n"
    )
    with pytest.raises(CallerError, match="both offer the tool 'budget'; uninstall all but one"):
        load_tools()
