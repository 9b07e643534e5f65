"""Everything about a tool is in its folder: no other module, role or template knows its name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dr_rd.templates import environment
from dr_rd.tools import load_tools

ROOT = Path(__file__).parents[2]
TOOLS, DATA = ROOT / "dr_rd/tools", ROOT / "dr_rd/data"
NAMES = sorted(load_tools().by_name)

FIELD_WORDS = {
    "budget": "the money of a brief: one of its fields, a topic, a limit",
    "sample_size": "a demand that methods make and their work packages satisfy",
    "simulate": "a verb of briefs",
}
"""Names that mean something else as well: only where a call is named are they the tool's."""

MENTIONS = {
    ("analyze_image", "dr_rd/images/__init__.py"): "why a picture is not among the documents read",
    (
        "schedule_risk",
        "dr_rd/tools/budget/tool.py",
    ): "whose seed gives a caller the same percentiles",
    ("sample_size", "dr_rd/modes/panel/figures.py"): "what an amendment does to the size",
    ("schedule_risk", "dr_rd/modes/panel/figures.py"): "what an amendment does to days and money",
    ("schedule_risk", "dr_rd/modes/panel/voices.py"): "the call by which that is on record",
    ("sample_size", "dr_rd/modes/panel/floor.py"): "which designs an amendment may size",
    ("sample_size", "dr_rd/planning/sizing.py"): "the size that follows from a brief's figures",
    ("sample_size", "dr_rd/planning/effects.py"): "which effects a design is sized for",
    ("sample_size", "dr_rd/planning/arguments.py"): "the designs there is a calculator for",
    ("sample_size", "dr_rd/planning/frontier.py"): "which number of units a plan takes",
    ("schedule_risk", "dr_rd/planning/frontier.py"): "how long a number of units takes",
    ("sample_size", "dr_rd/reading/briefs.py"): "the same, as what is understood of a brief",
    ("sample_size", "dr_rd/ui/fields.py"): "the same, of figures as they are typed",
    ("schedule_risk", "dr_rd/planning/builtin.py"): "whether a plan keeps its deadline",
    (
        "schedule_risk",
        "dr_rd/planning/edited.py",
    ): "how long the tasks take as a person edited them",
    ("schedule_risk", "dr_rd/report/charts.py"): "the dates and odds that are drawn",
}
"""Where a sentence for a reader or a caller names a tool, or a mode computes with its calculator."""

MODULES = sorted(
    path for top in ("core", "dr_rd") for path in (ROOT / top).rglob("*.py")
)  # fmt: skip


def of_tool(path: Path) -> str:
    """Return the tool whose folder a module stands in, or ""."""
    parts = path.relative_to(TOOLS).parts if path.is_relative_to(TOOLS) else ()
    return parts[0] if len(parts) > 1 else ""


def literals(tree: ast.AST) -> Iterator[str]:
    """Yield the strings of a module that are no docstrings."""
    bare = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


def names_of_calls(tree: ast.AST) -> Iterator[str]:
    """Yield the strings that a `.name` is compared with, or that are given as a `name=`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(isinstance(s, ast.Attribute) and s.attr == "name" for s in sides):
                yield from (s for side in sides for s in literals(side))
        elif isinstance(node, ast.keyword) and node.arg == "name":
            yield from literals(node.value)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{a.name}" for a in node.names))
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names)


def named_in(text: str, path: Path) -> set[str]:
    """Return the tools that a module outside of their folders knows by name."""
    tree, said = ast.parse(text), str(path.relative_to(ROOT))
    words = {w for t in literals(tree) for w in re.findall(r"\w+", t)} - set(FIELD_WORDS)
    modules = {m.split(".")[2] for m in imported(tree) if m.count(".") > 1 and "dr_rd.tools" in m}
    found = (words | set(names_of_calls(tree)) | modules) & set(NAMES)
    return {n for n in found if n != of_tool(path) and (n, said) not in MENTIONS}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_module_outside_its_folder_knows_a_tool(path):
    assert named_in(path.read_text("utf-8"), path) == set()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('x = {"unit_convert": 1}', {"unit_convert"}),
        ('x = [r for r in rows if r.name == "budget"]', {"budget"}),
        ('x = [r for r in rows if r.name in ("budget", "simulate")]', {"budget", "simulate"}),
        ('x = ToolRequest(name="sample_size")', {"sample_size"}),
        ("from dr_rd.tools.simulate import Simulate", {"simulate"}),
        ("from dr_rd.tools import read_repo", {"read_repo"}),
        ('x = brief["budget"]', set()),
        ('"""Says unit_convert."""', set()),
        ("from dr_rd.tools.context import PlanContext", set()),
    ],
)
def test_the_rule_finds_each_way_in_which_a_module_may_know_one(line, found):
    assert named_in(line, ROOT / "dr_rd/planning/calls.py") == found


def test_what_is_excepted_is_there():
    for name, said in MENTIONS:
        tree = ast.parse((ROOT / said).read_text("utf-8"))
        assert any(name in text for text in (*literals(tree), *imported(tree)))


def test_only_methods_ask_for_tools_by_name_and_no_other_data_does():
    unmistakable = set(NAMES) - set(FIELD_WORDS)
    texts = [path for path in DATA.rglob("*") if path.is_file() and path.suffix != ".npz"]
    naming = {
        str(path.relative_to(DATA).parent)
        for path in texts
        if unmistakable & set(re.findall(r"\w+", path.read_text("utf-8")))
    }
    assert naming == {"methods"}
    heads = [p.read_text("utf-8").split("---")[1] for p in DATA.glob("roles/*.md")]
    assert not any(re.search(r"^tools:", head, re.MULTILINE) for head in heads)


def test_a_role_names_groups_that_hold_every_tool():
    groups = {spec.plan.group for spec in load_tools().specs}
    heads = [p.read_text("utf-8").split("---")[1] for p in DATA.glob("roles/*.md")]
    named = {g for head in heads for g in re.findall(r"[a-z]+", head.split("groups:")[1])}
    assert named == groups


def test_the_task_that_holds_a_table_is_named_whole():
    """A task's id may have hyphens: what stands after the last is the number of the call."""
    views = [path.read_text("utf-8") for path in sorted(TOOLS.glob("*/view.md.j2"))]
    named = [
        name for view in views for name in re.findall(r"\{\{ ([^}]*) \}\} holds the table", view)
    ]
    assert named
    for name in named:
        assert environment().compile_expression(name)(id="WP-1-2") == "WP-1"
