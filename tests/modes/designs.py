"""The workbench and its plans of sample briefs, made once for all tests of a process."""

from functools import cache

from dr_rd.brief import Brief
from dr_rd.planning.design import Design
from dr_rd.reading import read_brief
from dr_rd.workbench import Workbench, load_workbench
from tests.conftest import ROOT


@cache
def workbench() -> Workbench:
    """Return the workbench."""
    return load_workbench()


@cache
def sample(name: str) -> Brief:
    """Return the sample brief of that name, such as "agri_01"."""
    return read_brief(str(ROOT / f"tests/data/briefs/{name}.yaml"))


@cache
def planned(brief: Brief) -> Design:
    """Return the plan of a brief."""
    return workbench().design(brief, ())
