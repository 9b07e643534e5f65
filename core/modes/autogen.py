"""The same plan, each of its tasks answered by an AutoGen assistant that calls the task's tools."""

from functools import partial
from importlib import import_module
from typing import ClassVar

from core.errors import CallerError
from core.graph.nodes import Deps
from core.graph.spec import GraphSpec
from core.graph.state import GraphState
from core.kit import Kit
from core.modes.graph import Steps, TaskMode, TaskParts, parallel, sequential
from core.settings import Flags, RunOptions

_PURPOSE = "work"
"""What a model must be asked for: without one the assistant has nothing to say."""


class AutoGen(TaskMode):
    """Plan, approve, fan out, collect and compose; an AutoGen assistant answers each task."""

    id = "autogen"
    label = "AutoGen"
    question = "The same, each task answered by an AutoGen assistant (experimental)"
    rank = 60
    own_flags: ClassVar[tuple[str, ...]] = ("AUTOGEN_ENABLED", "PARALLEL_EXEC_ENABLED")

    def check(self, options: RunOptions) -> None:
        """Refuse a run where the mode is off, its package missing, or no model works tasks."""
        if not options.flags.AUTOGEN_ENABLED:
            raise CallerError(
                "the AutoGen mode is off; set AUTOGEN_ENABLED=true or choose another mode"
            )
        import_module("core.autogen.run")
        if options.served is None or _PURPOSE not in options.served.models:
            raise CallerError(
                "the AutoGen mode needs a model that works tasks; name one with --endpoint and "
                "--model, or choose another mode"
            )

    def spec(self, flags: Flags) -> GraphSpec[GraphState, Deps]:
        """Return the graph that works on tasks side by side, or one after another."""
        return parallel() if flags.PARALLEL_EXEC_ENABLED else sequential()

    def steps(self, kit: Kit, parts: TaskParts) -> Steps:
        """Return what plans, works in conversations, scores and composes."""
        self.check(kit.options)
        # imported here: it takes a second, and is not installed everywhere
        from core.autogen.run import converse  # noqa: PLC0415

        return parts.steps(kit, partial(converse, kit.calls) if kit.calls else None)


MODE = AutoGen()
