"""The recipes of CONTRIBUTING.md, each installed from the page into a temporary folder and used."""

import asyncio
import importlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

import core.modes
from core.driving import drive
from core.errors import CallerError
from core.modes import find_mode
from core.scores import Criterion
from core.settings import RunOptions
from core.store import RunStore
from core.testing import FakeClock, FakeParts
from core.trace import verify
from dr_rd.cli import main
from dr_rd.evaluation.plugins import Plugins, ask
from dr_rd.evaluation.subject import Subject
from dr_rd.files import data_folder
from dr_rd.planning.library import load_library
from dr_rd.referee import find_rules, rule_sets
from dr_rd.report.bundle import exported

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = FILE.findall(PAGE.read_text("utf-8"))
OPTIONS = RunOptions(mode="count")


@pytest.fixture
def acme(tmp_path, monkeypatch):
    """Install the package of the page, as far as Python can tell."""
    site = tmp_path / "site"
    offers = []
    for name, text in FILES:
        if name == "acme/pyproject.toml":
            offers.append(re.sub(r'\[project\.entry-points\."(.*)"\]', r"[\1]", text))
        elif name.startswith("acme/"):
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
    info = site / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(offers).replace('"', ""))
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    core.modes.modes.cache_clear()
    rule_sets.cache_clear()
    yield site
    core.modes.modes.cache_clear()
    rule_sets.cache_clear()
    for name in [n for n in sys.modules if n.split(".")[0] == "acme"]:
        del sys.modules[name]


def test_the_mode_runs_and_is_verified_and_its_run_is_exported(acme, tmp_path):
    folder = RunStore(tmp_path / "audits").create(
        "run", OPTIONS, {"objective": "three short words"}
    )
    parts = FakeParts((), OPTIONS)
    assert find_mode("count").label == "Word count"
    assert asyncio.run(drive(folder, parts, FakeClock())).status == "finished"
    assert folder.read_text("result.md") == "3 words\n"
    assert verify(folder.path).problems == ()
    assert exported(folder, parts, "count") == b"1\n"
    with pytest.raises(CallerError, match=r"unknown format 'odt'.*count,.* html, .*md, .*zip"):
        exported(folder, parts, "odt")


def test_the_metric_scores_a_text(acme):
    score = Plugins().score(ask(Criterion(key="brevity"), Subject(text="We count. We stop.")))
    assert (score.score, score.rationale) == (1.0, "2 words a sentence.")


def test_the_rule_set_is_played_by_its_scenario_and_verified(acme, tmp_path, capsys):
    scenario = tmp_path / "heap.yaml"
    scenario.write_text("title: A heap of seven\nrules: countdown\nsetup: {heap: 7}\n")
    assert find_rules("countdown").title == "Countdown"
    audits = str(tmp_path / "audits")
    words = ["run", "--mode", "referee", "--scenario", str(scenario), "--audits", audits]
    assert main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    text = Path(shown["proposal"]).read_text()
    assert text.startswith("# Countdown: the first takes the last.")
    assert verify(Path(shown["run_dir"])).problems == ()
    scenario.write_text("title: A heap\nrules: countup\n")
    assert main(words) == 2
    assert "countdown" in capsys.readouterr().err


@pytest.fixture
def library(tmp_path):
    """A copy of the library's data that a test may add to."""
    folder = tmp_path / "data"
    shutil.copytree(str(data_folder()), folder)
    return folder


def test_the_role_is_found_with_its_tools(library):
    before = {role.id for role in load_library(library).roles}
    for name, text in FILES:
        if name.startswith("roles/"):
            (library / name).write_text(text)
    (added,) = [role for role in load_library(library).roles if role.id not in before]
    assert (added.id, added.title) == ("archivist", "Archivist")
    assert "search_documents" in added.tools


def test_a_method_that_is_copied_is_found_and_one_that_is_none_is_refused(library):
    nearest = library / "methods" / "survey.yaml"
    text = re.sub(r"^title: .*$", "title: Census", nearest.read_text("utf-8"), flags=re.MULTILINE)
    (library / "methods" / "census.yaml").write_text(text.replace("id: survey\n", "id: census\n"))
    assert load_library(library).method("census").title == "Census"
    (library / "methods" / "nothing.yaml").write_text("title: Nothing\n")
    with pytest.raises((CallerError, ValueError), match="nothing"):
        load_library(library)


def test_every_recipe_of_the_page_is_used_here():
    kinds = {name.partition("/")[0] for name, _ in FILES}
    assert kinds == {"acme", "roles"}
    assert len([name for name, _ in FILES if name == "acme/pyproject.toml"]) == 4
