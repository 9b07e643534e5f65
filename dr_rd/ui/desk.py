"""What every screen works at: the one run service of the process, and what it runs with."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from core.clock import Clock, SystemClock
from core.errors import CallerError
from core.records import open_records
from core.runs import RunService
from core.scores import Scorecard
from core.settings import Flags, RunOptions, read_flags, read_services
from core.store import RunFolder, RunStore
from dr_rd.adherence import LedgerVerdict
from dr_rd.brief import Brief
from dr_rd.evaluation.claims import Judged
from dr_rd.evidence.corpus import Corpus
from dr_rd.ledger import build_ledger
from dr_rd.planning.library import Role
from dr_rd.planning.remarks import remarks_on
from dr_rd.ui.secrets import with_secrets
from dr_rd.workbench import EVIDENCE, RunBench, Workbench, load_workbench

_SLOT = "_dr_rd_desk"
"""Where the desk is found: Streamlit may load a module anew, and its globals with it."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the screens share."""

    service: RunService
    workbench: Workbench
    defaults: Flags
    """What the sidebar shows before anybody changes it."""
    opens_on: str = ""
    """The run that a visit without one in its address is shown."""
    clock: Clock = field(default_factory=SystemClock)
    held: ExitStack = field(default_factory=ExitStack)
    """What is closed after the service."""

    @property
    def store(self) -> RunStore:
        """Where runs are kept."""
        return self.service.store

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment, with what the file of secrets adds to it."""
        return self.workbench.environ()

    @property
    def roles(self) -> Mapping[str, Role]:
        """The library's roles by id."""
        return {r.id: r for r in self.workbench.planner.library.roles}

    def start(self, options: RunOptions, brief: Brief, run_id: str) -> str:
        """Start a run; a second call with the same id changes nothing."""
        asked = cast(Mapping[str, JsonValue], brief.model_dump(mode="json"))
        return self.service.start(options, asked, run_id)

    def brief(self, folder: RunFolder) -> Brief:
        """Return what a run was asked; raises CallerError if that cannot be read."""
        return folder.read(Brief, "brief.json")

    def remarks(self, folder: RunFolder) -> tuple[str, ...]:
        """Return what is to be put right in what a run was asked."""
        brief = self.brief(folder)
        alone = folder.options().served is None
        chosen = self.workbench.planner.choose(brief).remarks if alone else ()
        return (*chosen, *remarks_on(brief, build_ledger(brief), by_library=alone))

    def corpus(self, folder: RunFolder) -> Corpus | None:
        """Return the documents that a run read, or None before it read any."""
        if not folder.has(EVIDENCE):
            return None
        return folder.read(Corpus, EVIDENCE)

    def scorecard(self, folder: RunFolder) -> Scorecard | None:
        """Return the card of a finished proposal; None if evaluators were off."""
        return folder.scorecard()

    def verdicts(self, folder: RunFolder) -> tuple[LedgerVerdict, ...]:
        """Hold a finished proposal against its brief."""
        return self._bench(folder).verdicts(folder.read_text("proposal.md"))

    def claims(self, folder: RunFolder) -> tuple[Judged, ...]:
        """Hold the claims of a run's answers against what they cite."""
        plan = folder.plan()
        return self._bench(folder).claims(folder.answers(plan.tasks if plan else ()))

    def close(self) -> None:
        """Pause every run in order."""
        self.service.close()
        self.held.close()

    def _bench(self, folder: RunFolder) -> RunBench:
        return self.workbench.bench(folder)


def make_desk(audits: Path, environ: Mapping[str, str], *, opens_on: str = "") -> Desk:
    """Read the library and start the service of the runs in *audits*."""
    known, clock, held = with_secrets(environ), SystemClock(), ExitStack()
    workbench = replace(load_workbench(), environ=lambda: known)
    records = held.enter_context(open_records(read_services(environ), clock))
    return Desk(
        service=RunService(RunStore(audits, records=records), workbench.bench_for, clock),
        workbench=workbench,
        defaults=read_flags(environ, defaults=Flags(APPROVAL_REQUIRED=True)),
        opens_on=opens_on,
        clock=clock,
        held=held,
    )


def open_desk(desk: Desk) -> None:
    """Make *desk* the process's; whoever opens it closes it with `close_desk`."""
    sys.__dict__[_SLOT] = desk


def close_desk() -> None:
    """Pause every run and give up the desk."""
    desk = sys.__dict__.pop(_SLOT, None)
    if desk is not None:
        desk.close()


def the_desk() -> Desk:
    """Return the process's desk; raises CallerError where the page was started without one."""
    desk = sys.__dict__.get(_SLOT)
    if desk is None:
        raise CallerError("the workbench has no run service; start it with `dr-rd ui`")
    return cast(Desk, desk)
