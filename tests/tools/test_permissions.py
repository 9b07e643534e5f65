"""Who may call what: the roles' own files say so, and nobody else."""

import pytest

from core.clock import SystemClock
from core.graph.state import ToolRequest
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import index_with
from dr_rd.planning.builtin import load_planner
from dr_rd.tools import Sources

PLANNER = load_planner()
ROLES = {role.id: role.tools for role in PLANNER.library.roles}
ALWAYS = PLANNER.library.tools.open(Sources(Corpus(), index_with(Corpus(), None)))
NAMES = {tool.name for tool in ALWAYS} | {"read_repo", "analyze_image"}


def toolbox():
    return Toolbox(ALWAYS, allowed=ROLES, record=lambda _: None, keep=digest, clock=SystemClock())


async def called(name, role, **args):
    request = ToolRequest(name=name, args=args)
    return await toolbox().call(request, task_id="T1", role=role, planned=None)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_call_tools_that_exist_each_named_once(role):
    assert set(ROLES[role]) <= NAMES
    assert len(set(ROLES[role])) == len(ROLES[role])


def with_first(library, field, **changed):
    """Return the library with the first of its roles or methods changed, read again."""
    first, *rest = getattr(library, field)
    kept = {name: getattr(library, name) for name in type(library).model_fields}
    return type(library)(**kept | {field: (first.model_copy(update=changed), *rest)})


def test_a_role_that_names_a_group_without_tools_is_refused():
    with pytest.raises(ValueError, match=r"cost-engineer: no tool is of the groups \['magic'\]"):
        with_first(PLANNER.library, "roles", groups=("magic",))


def test_a_package_that_asks_for_a_tool_that_does_not_exist_is_refused():
    first, *rest = PLANNER.library.methods[0].packages
    packages = (first.model_copy(update={"tools": ("unit_converter",)}), *rest)
    with pytest.raises(ValueError, match=r"no tools \['unit_converter'\] exist"):
        with_first(PLANNER.library, "methods", packages=packages)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_tool_is_open_to_some_role(name):
    assert any(name in tools for tools in ROLES.values())


@pytest.mark.anyio
@pytest.mark.parametrize("role", ROLES)
async def test_each_cell_of_the_matrix_is_kept(role):
    for tool in ALWAYS:
        found = await called(tool.name, role)
        refused = f"tool {tool.name!r} is not open to role {role!r}"
        assert found.error.startswith(refused) is (tool.name not in ROLES[role])


@pytest.mark.anyio
async def test_an_unknown_role_or_tool_is_refused_with_the_choices():
    stranger = await called("budget", "passer-by")
    assert stranger.error == "tool 'budget' is not open to role 'passer-by'; no tool is open here"
    strange = await called("budgets", "cost-engineer")
    assert strange.error.startswith("no tool 'budgets'; did you mean 'budget'?; choose from:")


STATED = {
    "perturbed": "The gene is silenced with siRNA in every culture but the controls.",
    "levels": "One factor at five levels, everything else held constant.",
    "living": "Lots are drawn over the hens of every pen.",
    "land": "The soil of every plot is ploughed on the same day.",
    "intact": "The two classes stay as the school formed them.",
}
"""Lines that state the facts for which a family has a method of its own."""


@pytest.fixture(scope="module")
def designs():
    """A plan by each method, of a brief that has documents, pictures, a repository and units."""
    found = {}
    families = {f.method: (f.id, "") for f in PLANNER.ranker.families.values()}
    for family in PLANNER.ranker.families.values():
        families |= {m: (family.id, STATED[fact]) for fact, m in family.variants.items()}
    for method in PLANNER.library.methods:
        family, line = families[method.id]
        brief = Brief(
            objective="Find out what late frost does to the yield of pears.",
            family=family,
            hard_constraints=(
                "samples are taken to a depth of at least 30 cm",
                *([line] * bool(line)),
            ),
        )
        found[method.id] = PLANNER.design(
            brief, build_ledger(brief), documents=True, pictures=True, repository=True
        )
    return found


def test_a_plan_gives_each_of_its_tools_to_a_role_that_may_call_it(designs):
    assert {d.method_id for d in designs.values()} == set(designs)
    for design in designs.values():
        for task in design.tasks:
            assert {r.name for r in task.tool_request} <= set(ROLES[task.role])


def test_each_tool_is_called_by_the_plan_of_some_method(designs):
    called_ = {r.name for d in designs.values() for t in d.tasks for r in t.tool_request}
    assert called_ == NAMES
