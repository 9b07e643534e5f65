"""The composition root: from settings and a library to runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version as release
from pathlib import Path
from random import SystemRandom

from core.compute import Compute, in_thread
from core.modes.spec import RunPartsFor
from core.store import RunFolder
from core.values import digest
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evaluation.scorecard import load_rubric, load_template
from dr_rd.evidence.corpus import Corpus, Refused
from dr_rd.evidence.files import find
from dr_rd.evidence.index import open_index
from dr_rd.files import data_digest
from dr_rd.images import NO_DOCUMENT
from dr_rd.models.typed.ask import Model
from dr_rd.planning.builtin import load_planner
from dr_rd.planning.design import Design
from dr_rd.planning.proposed import proposed_design
from dr_rd.prompts import delimiter
from dr_rd.tools import Sources
from dr_rd.workbench.run import ResearchRun
from dr_rd.workbench.shared import Shared


@dataclass(frozen=True)
class Workbench(Shared):
    """Plans briefs, and makes the parts of each run."""

    def parts(self, folder: RunFolder) -> ResearchRun:
        """Return the parts of the run in *folder*."""
        return ResearchRun(self, folder)

    def design(self, brief: Brief, docs: tuple[Path, ...], repo: Path | None = None) -> Design:
        """Plan *brief* without running it."""
        return self.planner.design(
            brief,
            build_ledger(brief),
            documents=bool(docs),
            pictures=any(isinstance(f, Refused) and f.reason == NO_DOCUMENT for f in find(docs)),
            repository=bool(repo),
        )

    async def design_by(
        self,
        model: Model,
        brief: Brief,
        docs: tuple[Path, ...],
        repo: Path | None,
        theirs: Mapping[str, str],
    ) -> Design:
        """Have *model* plan *brief* without running it; the library does if it cannot.

        It may plan with *theirs*, tools of the analyst's own servers, with what those say of them.
        """
        sources = Sources(Corpus(), open_index(Corpus()), docs, repo)
        tools = self.planner.library.tools.open(sources)
        return await proposed_design(
            model,
            brief,
            build_ledger(brief),
            library=self.planner.library,
            tools={tool.name: tool.description for tool in tools},
            mark=delimiter(
                str(SystemRandom().getrandbits(96)), "\n".join((brief.words, *theirs.values()))
            ),
            theirs=theirs,
            designed=lambda asked: self.design(asked, docs, repo),
        )


def load_workbench(compute: Compute = in_thread) -> Workbench:
    """Read the library and the rubrics; heavy tools go where *compute* says."""
    planner = load_planner()
    read = digest([data_digest(), planner.library.tools.digest()])
    return Workbench(
        planner=planner,
        answer_rubric=load_rubric("answer"),
        answer_template=load_template("answer"),
        proposal_rubric=load_rubric("proposal"),
        proposal_template=load_template("proposal"),
        version=f"dr-rd {release('dr-rd')}, library {read[:12]}",
        compute=compute,
    )


def parts_on(compute: Compute) -> RunPartsFor:
    """Return what makes the parts of a worker's runs."""
    return load_workbench(compute).parts
