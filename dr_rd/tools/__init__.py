"""Typed functions that agents may call. A tool is a folder here, or in another package.

NAME/__init__.py    its ToolSpec, which names the others
NAME/tool.py        the call
NAME/args.py        what a plan calls it with
NAME/plan.yaml      when a plan calls it, and where a proposal shows what it gave
NAME/view.md.j2     how that is shown
NAME/failure.yaml   how a call that gave nothing is told
NAME/README.md      its page
"""

from dr_rd.tools.context import CallContext, PlanContext
from dr_rd.tools.registry import Registry, load_tools
from dr_rd.tools.sources import Sources
from dr_rd.tools.spec import ToolSpec

__all__ = ["CallContext", "PlanContext", "Registry", "Sources", "ToolSpec", "load_tools"]
