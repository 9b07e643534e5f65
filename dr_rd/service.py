"""The composition root of a process that serves runs: command line, API and page are its faces."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from core.clock import Clock, SystemClock, stamp
from core.errors import CallerError
from core.graph.files import notes, planned_tasks, read_answers, read_scorecard
from core.graph.revision import REVISION, ClaimEdit, Redo, Revision, amend, revise
from core.graph.state import GraphTask
from core.index import RunInfo
from core.live import LiveCall
from core.modes import find_mode
from core.records import open_records
from core.runs import RunService, Snapshot
from core.scores import Scorecard
from core.settings import Flags, RunOptions, read_flags, read_services
from core.store import RunFolder, RunStore
from core.trace import ENDED
from dr_rd.annotations import Annotations
from dr_rd.brief import Brief
from dr_rd.checks import LedgerVerdict, build_ledger
from dr_rd.comparison import Comparison, compare, compared_run
from dr_rd.drafts import Drafts
from dr_rd.evaluation.claims import Judged
from dr_rd.evidence.corpus import Corpus
from dr_rd.listing import run_index
from dr_rd.modes import find_content
from dr_rd.modes.past import PastRun, read_past
from dr_rd.modes.spec import Amending, ModeInputs, SometimesPlanning
from dr_rd.planning.library import Role
from dr_rd.planning.remarks import remarks_on
from dr_rd.planning.rework import PlannedWork, reworked
from dr_rd.report.bundle import exported
from dr_rd.report.preview import Preview
from dr_rd.tools import Registry
from dr_rd.workbench import (
    EVIDENCE,
    OFFERS,
    SERVERS,
    ResearchRun,
    Workbench,
    design_file,
    load_workbench,
)

_TAKEN_OVER = (EVIDENCE, SERVERS, OFFERS)
"""Files of a run that a revision of it works from, besides its design."""


@dataclass(frozen=True, slots=True)
class ResearchService:
    """Everything that a face of the workbench can ask for."""

    runs: RunService
    workbench: Workbench
    defaults: Flags
    """What a face shows before anybody changes it."""
    clock: Clock = field(default_factory=SystemClock)
    held: ExitStack = field(default_factory=ExitStack)
    """What is closed after the runs."""
    user: str = ""
    """Whose runs and drafts alone are there; "" where there are no users."""

    def for_user(self, user: str) -> "ResearchService":
        """Return the same service as one user has it."""
        return replace(self, runs=self.runs.seen_in(self.store.owned_by(user)), user=user)

    @property
    def store(self) -> RunStore:
        """Where runs are kept."""
        return self.runs.store

    def readable(self, sentence: str) -> str:
        """Return a sentence as whoever looks may read it: a user, without the server's folders."""
        return without_folder(sentence, self.store.root) if self.user else sentence

    @property
    def drafts(self) -> Drafts:
        """Briefs in the making, beside the runs."""
        return Drafts(self.store.root, self.clock, self.user)

    @property
    def annotations(self) -> Annotations:
        """Tags and notes on runs, beside the runs."""
        return Annotations(self.store.root)

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment that the workbench reads."""
        return self.workbench.environ()

    @property
    def roles(self) -> Mapping[str, Role]:
        """The library's roles by id."""
        return {r.id: r for r in self.workbench.planner.library.roles}

    @property
    def tools(self) -> Registry:
        """The tools that tasks may call."""
        return self.workbench.planner.library.tools

    def list(self) -> Sequence[RunInfo]:
        """Return every run, newest first; of a broken one, what is wrong with it."""
        found = self.store.list()
        return [
            replace(run, problem=self.readable(run.problem)) if run.problem else run
            for run in found
        ]

    def start(
        self,
        options: RunOptions,
        brief: Brief,
        run_id: str,
        scenario: Mapping[str, JsonValue] | None = None,
        runs: Sequence[RunFolder] = (),
        more: Mapping[str, JsonValue] | None = None,
    ) -> str:
        """Start a run; a second call with the same id changes nothing.

        *scenario* and earlier *runs* are for modes that take them; *more* are files that the run
        keeps besides, by name. Raises CallerError if the mode takes no scenario or runs.
        """
        find_mode(options.mode).check(options)
        inputs = {**mode_inputs(self.workbench, options.mode, scenario, runs), **(more or {})}
        return self.runs.start(options, _asked(brief), run_id, inputs)

    def redo(self, run_id: str, task_id: str, *, note: str = "", by: str) -> str:
        """Start a run that does one task of another again, and what rests on it; return its id."""
        return self._revised(run_id, by, redo=(Redo(task_id=task_id, note=note),))

    def take_over(self, run_id: str, taken: Sequence[str] = (), *, by: str) -> str:
        """Start a run of the plan with the amendments that another run proposes; return its id.

        Without ids those that people accepted in it.
        """
        before, at = self.store.find(run_id), stamp(self.clock.now())
        folder = begin_amended(
            self.store, self.workbench, before, taken, by=by, at=at, run_id=self.runs.new_id()
        )
        self.runs.resume(folder.run_id)
        return folder.run_id

    def edit_claim(self, run_id: str, task_id: str, number: int, text: str, *, by: str) -> str:
        """Start a run in which a claim of another, counted from 1, is the person's."""
        return self._revised(
            run_id, by, edits=(ClaimEdit(task_id=task_id, number=number, text=text),)
        )

    def preview(self, run_id: str, tasks: Sequence[GraphTask]) -> Preview:
        """Return what an edited plan of a run comes to; fast enough to follow typing."""
        return self.parts(self.store.find(run_id)).preview(tasks)

    def result(self, run_id: str, kind: str = "md") -> bytes:
        """Return a run's result, or what it has come to so far, as *kind*."""
        folder = self.store.find(run_id)
        return exported(folder, self.parts(folder), kind)

    def parts(self, folder: RunFolder) -> ResearchRun:
        """Return what a run is made of."""
        return self.workbench.parts(folder)

    def live_calls(self, look: Snapshot) -> tuple[LiveCall, ...]:
        """Return the calls that a run makes to models now; without words where it hides some."""
        return self.workbench.live_calls(look.run_id, look.options.mode)

    def brief(self, folder: RunFolder) -> Brief:
        """Return what a run was asked; raises CallerError if that cannot be read."""
        return folder.read(Brief, "brief.json")

    def remarks(self, folder: RunFolder) -> tuple[str, ...]:
        """Return what became of the plan that was sent back, and what is to be put right in the brief."""
        brief = self.brief(folder)
        alone = folder.options().served is None
        chosen = self.workbench.planner.choose(brief).remarks if alone else ()
        said = remarks_on(brief, build_ledger(brief), by_library=alone)
        return (*self.parts(folder).resent(), *chosen, *said)

    def corpus(self, folder: RunFolder) -> Corpus | None:
        """Return the documents that a run read, or None before it read any."""
        return folder.read(Corpus, EVIDENCE) if folder.has(EVIDENCE) else None

    def scorecard(self, folder: RunFolder) -> Scorecard | None:
        """Return the card of a finished proposal; None if evaluators were off."""
        return read_scorecard(folder)

    def comparison(self, run_ids: Sequence[str]) -> Comparison:
        """Lay runs side by side: what each mode came to, and what it alone found."""
        folders = [self.store.find(run_id) for run_id in run_ids]
        return compare(compared_run(folder, self.parts(folder)) for folder in folders)

    def verdicts(self, folder: RunFolder) -> tuple[LedgerVerdict, ...]:
        """Hold a finished result against its brief."""
        parts = self.parts(folder)
        return parts.verdicts(folder.read_text(parts.mode.result_files[0]))

    def claims(self, folder: RunFolder) -> tuple[Judged, ...]:
        """Hold the claims of a run's answers against what they cite."""
        return self.parts(folder).claims(read_answers(folder, planned_tasks(folder)))

    def close(self) -> None:
        """Pause every run in order."""
        self.runs.close()
        self.held.close()

    def _revised(
        self,
        run_id: str,
        by: str,
        *,
        redo: Sequence[Redo] = (),
        edits: Sequence[ClaimEdit] = (),
    ) -> str:
        before, at = self.store.find(run_id), stamp(self.clock.now())
        revision = revise(before, by=by, at=at, redo=redo, edits=edits)
        folder = begin_revision(
            self.store, self.workbench, before, revision, run_id=self.runs.new_id()
        )
        self.runs.resume(folder.run_id)
        return folder.run_id


def without_folder(sentence: str, folder: Path) -> str:
    """Return a sentence in which what is inside *folder* is named without it."""
    return sentence.replace(f"{folder}/", "").replace(str(folder), "this server")


def hides(look: Snapshot) -> bool:
    """Whether a run holds what some who take part may not see before its end."""
    return find_mode(look.options.mode).hides and look.status not in ENDED


def mode_inputs(
    workbench: Workbench,
    mode: str,
    scenario: Mapping[str, JsonValue] | None = None,
    runs: Sequence[RunFolder] = (),
) -> dict[str, JsonValue]:
    """Return the files that a run in *mode* is given besides its brief, by name.

    Raises CallerError if the mode cannot use that scenario or build on those runs.
    """
    if scenario is None and not runs:
        return {}
    content = find_content(find_mode(mode).id)
    if content is None:
        raise CallerError(
            f"mode {mode!r} takes neither a scenario nor earlier runs; leave out --scenario "
            "and --from, or choose another mode (dr-rd modes lists them)"
        )
    past = tuple(_past(workbench.parts(folder), folder) for folder in runs)
    files = content.check(ModeInputs(scenario=scenario, runs=past)).files()
    documents = next((f for f in runs if f.has(EVIDENCE)), None)
    return {**files, EVIDENCE: documents.read_json(EVIDENCE)} if documents else files


def plans_brief(mode: str, scenario: Mapping[str, JsonValue] | None = None) -> bool:
    """Whether a run in *mode* plans its brief; a scripted table and a game do not."""
    content = find_content(find_mode(mode).id)
    if not isinstance(content, SometimesPlanning):
        return True
    return content.plans(ModeInputs(scenario=scenario))


def _past(parts: ResearchRun, folder: RunFolder) -> PastRun:
    planned = folder.has(design_file(0))
    return read_past(folder, parts.design if planned else None, parts.brief)


def begin_revision(
    store: RunStore, workbench: Workbench, before: RunFolder, revision: Revision, *, run_id: str
) -> RunFolder:
    """Make the folder of a run that takes over what holds of the one *before*."""
    brief = workbench.parts(before).brief
    folder = store.create(run_id, before.options(), _asked(brief))
    _take_over(before, folder)
    design = design_file(len(notes(before)))
    if before.has(design):
        folder.write_text(design_file(0), before.read_text(design))
    folder.write_json(REVISION, revision)
    return folder


def begin_amended(
    store: RunStore,
    workbench: Workbench,
    before: RunFolder,
    taken: Sequence[str],
    *,
    by: str,
    at: str,
    run_id: str,
) -> RunFolder:
    """Make the folder of a run that works the plan with the amendments that were *taken* over.

    Raises CallerError if the run *before* has not ended, or proposes no such amendments.
    """
    options, content = before.options(), find_content(before.options().mode)
    if not isinstance(content, Amending):
        raise CallerError(
            f"run {before.run_id!r} is of mode {options.mode!r}, which proposes no amendments; "
            "name a run whose result has some"
        )
    result = next(n for n in find_mode(options.mode).result_files if n.endswith(".json"))
    if not before.has(result):
        raise CallerError(
            f"run {before.run_id!r} has not ended; finish it first: dr-rd resume {before.path}"
        )
    parts = workbench.parts(before)
    material = parts.material()
    design = content.amended(material, before.read_json(result), taken)
    revision = amend(
        before.run_id, by=by, at=at, old=material.tasks, new=design.tasks, answers=material.answers
    )
    plain = options.model_copy(update={"mode": RunOptions().mode})
    folder = store.create(run_id, plain, _asked(parts.brief))
    _take_over(before, folder)
    folder.write_json(design_file(0), design)
    folder.write_json(REVISION, revision)
    return folder


def begin_rerun(
    store: RunStore,
    workbench: Workbench,
    before: RunFolder,
    brief: Brief,
    *,
    by: str,
    at: str,
    run_id: str,
) -> tuple[RunFolder, Revision]:
    """Make the folder of a run that asks *brief* with all of *before* that it leaves as it was.

    Answers are kept where neither the task nor anything it rests on has changed. Raises CallerError
    if the run *before* has no plan of the library's.
    """
    parts, options = workbench.parts(before), before.options()
    tasks = planned_tasks(before)
    if not tasks or parts.design.planned_by:
        who = "a model planned it" if tasks else "it has no plan"
        raise CallerError(
            f"run {before.run_id!r} cannot be asked again with another brief: {who}; "
            "start a new run with dr-rd run"
        )
    design = workbench.design(brief, options.docs, options.repo)
    again = reworked(
        PlannedWork(parts.brief, parts.design, tasks),
        PlannedWork(brief, design, design.tasks),
        workbench.planner.library,
        options.seed,
    )
    revision = amend(
        before.run_id,
        by=by,
        at=at,
        old=tasks,
        new=design.tasks,
        answers=read_answers(before, tasks),
        also=again,
    )
    folder = store.create(run_id, options, _asked(brief))
    _take_over(before, folder)
    folder.write_json(design_file(0), design)
    folder.write_json(REVISION, revision)
    return folder, revision


def _take_over(before: RunFolder, folder: RunFolder) -> None:
    for name in _TAKEN_OVER:
        if before.has(name):
            folder.write_text(name, before.read_text(name))


def _asked(brief: Brief) -> Mapping[str, JsonValue]:
    return cast(Mapping[str, JsonValue], brief.model_dump(mode="json"))


@contextmanager
def open_store(audits: Path, environ: Mapping[str, str], clock: Clock) -> Iterator[RunStore]:
    """Open the runs in *audits*, recorded and indexed as the environment says."""
    with open_records(read_services(environ), clock) as records:
        yield RunStore(audits, records=records, index=run_index(audits))


def make_service(audits: Path, environ: Mapping[str, str]) -> ResearchService:
    """Read the library and start the service of the runs in *audits*; its owner closes it."""
    clock, held = SystemClock(), ExitStack()
    workbench = replace(load_workbench(), environ=lambda: environ)
    store = held.enter_context(open_store(audits, environ, clock))
    return ResearchService(
        runs=RunService(store, workbench.parts, clock),
        workbench=workbench,
        defaults=read_flags(environ, defaults=Flags(APPROVAL_REQUIRED=True)),
        clock=clock,
        held=held,
    )
