"""A folder or git repository that the analyst chose."""

from core.tool_router import Tool
from dr_rd.tools.read_repo.tool import ReadRepo, repo_tool
from dr_rd.tools.sources import Sources
from dr_rd.tools.spec import ToolSpec


def _opened(sources: Sources) -> Tool | None:
    """Make the tool that looks into the repository, if there is one."""
    return repo_tool(sources.repo) if sources.repo else None


SPEC = ToolSpec(
    name="read_repo",
    package=__name__,
    params=ReadRepo,
    open=_opened,
)

__all__ = ["SPEC", "ReadRepo", "repo_tool"]
