"""Runs over HTTP: started, looked at, answered, paused, resumed and taken home."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import Field, JsonValue, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute
from typing_extensions import TypedDict  # Python 3.12 has one that pydantic reads

from core.clock import Clock
from core.errors import CallerError
from core.events import QuestionAnswered, QuestionAsked, Row, RunStarted
from core.files import sha256
from core.graph.files import PLAN, read_plan
from core.live import LiveCall
from core.modes import find_mode
from core.questions import ANYBODY, OpenQuestion
from core.runs import Snapshot
from core.settings import SEEDS, RunOptions, read_flags
from core.store import RunFolder
from core.trace import ENDED, Status
from core.values import Frozen
from dr_rd.api.bodies import brief_of
from dr_rd.api.problems import (
    NotFound,
    Parameter,
    ServiceOf,
    TooSoon,
    json_route,
    off_loop,
    read_body,
)
from dr_rd.api.seats import check_holds, holds, new_tokens, people_of, seats_file
from dr_rd.brief import Brief, check_objective, project_id
from dr_rd.modes.scenario import scenario_brief
from dr_rd.modes.spec import read_inputs
from dr_rd.planning.choice import check_research
from dr_rd.report.bundle import exported
from dr_rd.service import ResearchService, hides, mode_inputs, plans_brief

_ROW = TypeAdapter(Row)
_WHOLE = re.compile(r"-?[0-9]{1,12}")

STREAM_S = 10.0
"""How long one response of events lasts: an open one would hold up the server's end."""
POLL_S = 0.25
"""How often a run is looked at for a stream of events."""
BEAT_S = 1.0
"""After how long a listener is told of a call under way again, though nothing more has come."""


class RunBody(Frozen):
    """What starts a run."""

    brief: Mapping[str, JsonValue] | str | None = None
    """Keys and values as in a YAML brief, or text; left out, the first run's or the scenario's."""
    mode: str = RunOptions().mode
    seed: int = Field(default=0, ge=0, lt=SEEDS)
    project: str = ""
    """The project's id; by default the brief's."""
    flags: Mapping[str, JsonValue] = {}
    scenario: Mapping[str, JsonValue] | None = None
    runs: tuple[str, ...] = ()
    """Ids of runs to build on."""


class AnswerBody(Frozen):
    """A person's answer to a question."""

    question_id: str
    answer: JsonValue
    by: str = Field(min_length=1, max_length=200)
    """Who answers."""


class RunLine(TypedDict):
    """A run in the list of all, with further facts where its workbench knows some."""

    run_id: str
    project_id: str
    mode: str
    status: Status | None
    """None if the run is broken; `problem` then says why."""
    problem: str


class RunLook(TypedDict):
    """Where a run is."""

    run_id: str
    project_id: str
    mode: str
    seed: int | None
    """None while the run hides it."""
    status: Status
    reason: str
    """What it waits for, or why it stopped."""
    stopping: str
    calls: list[dict[str, Any]]
    """The calls to models under way."""
    count: int
    """How many events there are: the next `since`."""
    events: list[dict[str, Any]]
    """Rows of its trace.jsonl, from `since` on."""
    questions: list[dict[str, Any]]
    tasks: list[dict[str, Any]]
    """Its plan."""
    result: str | None
    """What it came to, once it has ended."""


class StartedRun(RunLook, total=False):
    """A run just started."""

    tokens: dict[str, str]
    """By who holds a seat, the token that shows it."""


class RunNamed(TypedDict):
    """Which run was paused or resumed."""

    run_id: str


_SINCE = Parameter("since", "query", "The number of the first event that is wanted.", int)
_AFTER = Parameter("since", "query", "The number of the last event that is known.", int)
_LAST = Parameter("Last-Event-ID", "header", "The same; it goes before.", int)
_KEY = Parameter("Idempotency-Key", "header", "The same key with the same body is the same run.")


def routes(service: ServiceOf) -> Sequence[BaseRoute]:
    """Return the routes of runs."""
    api, one = _Runs(service), "/api/runs/{run_id}"
    return [
        json_route("/api/runs", api.listed, gives=list[RunLine]),
        json_route(
            "/api/runs",
            *(api.started, "POST", 201),
            body=RunBody,
            gives=StartedRun,
            parameters=[_KEY],
            problems=[409],
        ),
        json_route(one, api.looked_at, gives=RunLook, parameters=[_SINCE]),
        json_route(
            f"{one}/events", api.events, gives="text/event-stream", parameters=[_LAST, _AFTER]
        ),
        json_route(f"{one}/questions", api.questions, gives=list[dict[str, Any]]),
        json_route(
            f"{one}/answers",
            *(api.answered, "POST"),
            body=AnswerBody,
            gives=RunLook,
            problems=[403, 409],
        ),
        json_route(f"{one}/pause", api.paused, "POST", 202, gives=RunNamed, problems=[409]),
        json_route(f"{one}/resume", api.resumed, "POST", 202, gives=RunNamed, problems=[409]),
        json_route(f"{one}/bundle", api.bundle, gives="application/zip", problems=[409]),
    ]


class _Runs:
    def __init__(self, service: ServiceOf) -> None:
        self._service = service

    async def listed(self, _: Request) -> list[dict[str, Any]]:
        """List every run, newest first."""
        found = await off_loop(self._service().list)
        return [
            {
                "run_id": run.run_id,
                "project_id": run.project_id,
                "mode": run.mode,
                "status": run.status,
                "problem": run.problem,
                **run.facts,
            }
            for run in found
        ]

    async def started(self, request: Request) -> Response:
        """Start a run; the same Idempotency-Key with the same body is the same run.

        Where people have seats, a new run's answer holds the `tokens` by which they show whose.
        """
        body = await read_body(request, RunBody)
        key = request.headers.get("idempotency-key", "")
        service = self._service()
        own = f"{service.user}\n{key}" if service.user else key  # two users may choose the same
        run_id = f"k-{sha256(own.encode())[:24]}" if key else service.runs.new_id()
        tokens = new_tokens(people_of(body.scenario))
        fresh = await off_loop(_start, service, body, run_id, tokens)
        look = await off_loop(_look, service, run_id, 0)
        return JSONResponse({**look, "tokens": tokens} if fresh else look, 201 if fresh else 200)

    async def looked_at(self, request: Request) -> dict[str, Any]:
        """Return where a run is, its plan, its events from `since` on, and its result."""
        since = _number(request.query_params.get("since", "0"), "since")
        return await self._looked(request, since)

    async def _looked(self, request: Request, since: int) -> dict[str, Any]:
        run_id = await self._known(request)
        found: dict[str, Any] = await off_loop(_look, self._service(), run_id, since)
        return found

    async def events(self, request: Request) -> Response:
        """Send the events since Last-Event-ID as they come, for some seconds at a time.

        Between them stands how each call to a model comes on (`call`, without an id): its `text`
        takes the place of what had come from character `from` on. It is on no record.
        """
        run_id = await self._known(request)
        last = request.headers.get("last-event-id", request.query_params.get("since", "-1"))
        since, service = _number(last, "Last-Event-ID", least=-1) + 1, self._service()
        first = await off_loop(service.runs.snapshot, run_id, since)  # a broken run is told here
        return StreamingResponse(_stream(service, first), media_type="text/event-stream")

    async def questions(self, request: Request) -> list[dict[str, Any]]:
        """List what people are asked, oldest first; whoever shows a seat's token sees its own."""
        run_id = await self._known(request)
        found: list[dict[str, Any]] = await off_loop(_asked, self._service(), run_id, request)
        return found

    async def answered(self, request: Request) -> dict[str, Any]:
        """Take an answer; the first one stands, and whoever comes second is told."""
        run_id = await self._known(request)
        body = await read_body(request, AnswerBody)
        runs = self._service().runs
        await off_loop(_check_seat, self._service(), run_id, body.question_id, request)
        folder = await off_loop(self._service().store.find, run_id)
        try:
            await off_loop(lambda: runs.answer(run_id, body.question_id, body.answer, by=body.by))
        except CallerError as mistake:
            if folder.decision(body.question_id) is None:
                raise
            answered = f"question {body.question_id!r} is answered already; its answer stands"
            raise TooSoon(answered) from mistake
        return await self._looked(request, 0)

    async def paused(self, request: Request) -> dict[str, Any]:
        """Pause a run; what is finished stays."""
        run_id = await self._known(request)
        try:
            await off_loop(self._service().runs.pause, run_id)
        except CallerError as mistake:
            raise TooSoon(str(mistake)) from mistake
        return {"run_id": run_id}

    async def resumed(self, request: Request) -> dict[str, Any]:
        """Go on with a run that was paused or cut off."""
        run_id = await self._known(request)
        try:
            await off_loop(self._service().runs.resume, run_id)
        except CallerError as mistake:
            raise TooSoon(str(mistake)) from mistake
        return {"run_id": run_id}

    async def bundle(self, request: Request) -> Response:
        """Return everything that a run wrote, as a zip archive."""
        run_id = await self._known(request)
        data = await off_loop(_zip, self._service(), run_id)
        named = {"Content-Disposition": f'attachment; filename="{run_id}.zip"'}
        return Response(data, media_type="application/zip", headers=named)

    async def _known(self, request: Request) -> str:
        run_id = str(request.path_params["run_id"])
        try:
            await off_loop(self._service().store.find, run_id)
        except CallerError as mistake:
            raise NotFound(f"there is no run {run_id!r}; GET /api/runs lists them") from mistake
        return run_id


def _start(
    service: ResearchService, body: RunBody, run_id: str, tokens: Mapping[str, str]
) -> bool:
    """Start the run unless it is there; returns whether it was not."""
    earlier = tuple(service.store.find(name) for name in body.runs)
    given = tuple(f"{name}={_written(value)}" for name, value in body.flags.items())
    flags = read_flags({}, given, defaults=service.defaults)
    service.workbench.check(flags)
    brief = _brief(service, body, earlier)
    options = RunOptions(
        mode=find_mode(body.mode).id,
        seed=body.seed,
        project_id=body.project or project_id(brief),
        flags=flags,
    )
    if service.store.has(run_id):
        inputs = mode_inputs(service.workbench, options.mode, body.scenario, earlier)
        _check_same(service.store.find(run_id), options, brief, inputs)
        return False
    service.start(options, brief, run_id, body.scenario, earlier, seats_file(tokens))
    return True


def _check_same(
    folder: RunFolder, options: RunOptions, brief: Brief, inputs: Mapping[str, JsonValue]
) -> None:
    """Raise TooSoon if a run was started otherwise, scenario and earlier runs among it."""
    same = folder.options() == options and folder.read(Brief, "brief.json") == brief
    given = {name: folder.read_json(name) for name in inputs if folder.has(name)}
    before = read_inputs(folder).files()
    if not same or given != inputs or not set(before) <= set(inputs):
        raise TooSoon(
            "this Idempotency-Key has started a run with another body; send that one, or a new key"
        )


def _brief(service: ResearchService, body: RunBody, earlier: Sequence[RunFolder]) -> Brief:
    if body.brief is None and earlier:
        return service.parts(earlier[0]).brief
    if body.brief is None and body.scenario is not None:
        return scenario_brief(body.scenario)
    found = brief_of(body.brief or "")
    check_objective(found)
    if plans_brief(body.mode, body.scenario):
        check_research(found, service.workbench.planner.ranker)
    return found


def _written(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _look(service: ResearchService, run_id: str, since: int) -> dict[str, Any]:
    look, folder = service.runs.snapshot(run_id, since), service.store.find(run_id)
    plan = read_plan(folder) if folder.has(PLAN) else None
    hidden = hides(look)
    result = next((n for n in find_mode(look.options.mode).result_files if folder.has(n)), "")
    return {
        "run_id": run_id,
        "project_id": folder.project_id,
        "mode": look.options.mode,
        "seed": None if hidden else look.options.seed,
        "status": look.status,
        "reason": look.reason,
        "stopping": look.stopping,
        "calls": [asdict(call) for call in service.live_calls(look)],
        "count": look.count,
        "events": [_row(row, hidden=hidden) for row in look.events],
        "questions": [_question(asked, hidden=hidden) for asked in look.questions],
        "tasks": [t.model_dump(mode="json") for t in plan.tasks] if plan else [],
        "result": folder.read_text(result) if result and look.status in ENDED else None,
    }


def _row(row: Row, *, hidden: bool) -> dict[str, Any]:
    """Return a row of the trace; where *hidden*, without what tells a hand, a role or a ballot.

    The seed deals and labels, a question shows its player's view, and of a digest of an answer its
    few possible texts can be tried.
    """
    shown: dict[str, Any] = _ROW.dump_python(row, mode="json")
    if hidden and isinstance(row.event, RunStarted):
        shown["event"]["settings"]["seed"] = None
    if hidden and isinstance(row.event, QuestionAsked):
        shown["event"]["question"].pop("context", None)
    if hidden and isinstance(row.event, QuestionAnswered):
        shown["event"]["decision_digest"] = None
    return {**shown, "prev": None, "hash": None} if hidden else shown


def _question(asked: OpenQuestion, *, hidden: bool) -> dict[str, Any]:
    return asked.model_dump(mode="json", exclude={"question": {"context"}} if hidden else None)


def _asked(service: ResearchService, run_id: str, request: Request) -> list[dict[str, Any]]:
    look, folder = service.runs.snapshot(run_id), service.store.find(run_id)
    hiding = hides(look)
    return [
        _question(asked, hidden=hiding and not _may_see(folder, asked.question.who, request))
        for asked in look.questions
    ]


def _may_see(folder: RunFolder, who: str, request: Request) -> bool:
    return who == ANYBODY or holds(folder, who, request)


def _check_seat(service: ResearchService, run_id: str, question_id: str, request: Request) -> None:
    """Raise NotYours if a question in a run that hides is another's than the token shows."""
    look, folder = service.runs.snapshot(run_id), service.store.find(run_id)
    asked = next((a.question for a in look.questions if a.question.id == question_id), None)
    if asked and hides(look) and asked.who != ANYBODY:
        check_holds(folder, asked.who, request)


def _zip(service: ResearchService, run_id: str) -> bytes:
    if hides(service.runs.snapshot(run_id)):
        raise TooSoon(
            "the run's files hold what its players hide; take them home once it has ended"
        )
    folder = service.store.find(run_id)
    return exported(folder, service.parts(folder), "zip")


class _CallNews:
    """What one listener has not heard yet of the calls under way."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: dict[str, tuple[str, float]] = {}

    def tell(self, calls: Sequence[LiveCall]) -> Iterator[dict[str, Any]]:
        """Yield what is new of each call; of one without news that it goes on, every second."""
        now = self._clock.monotonic()
        self._told = {c.call_id: self._told.get(c.call_id, ("", -BEAT_S)) for c in calls}
        for call in calls:
            said, at = self._told[call.call_id]
            if call.text != said or now - at >= BEAT_S:
                self._told[call.call_id] = call.text, now
                same = _alike(said, call.text)
                yield {**asdict(call), "from": same, "text": call.text[same:]}


def _alike(before: str, now: str) -> int:
    """Return how many characters two texts have in common from their beginning on."""
    if now.startswith(before):
        return len(before)
    return next(n for n in range(len(before)) if before[n] != now[n : n + 1])


async def _stream(service: ResearchService, look: Snapshot) -> AsyncIterator[bytes]:
    """Yield server-sent events until the run stops or the response has lasted long enough.

    The first are those of *look*.
    """
    clock = service.clock
    until, calls = clock.monotonic() + STREAM_S, _CallNews(clock)
    yield b"retry: 500\n\n"
    while True:
        for row in look.events:
            data = json.dumps(_row(row, hidden=hides(look)), ensure_ascii=False)
            yield f"id: {row.seq}\nevent: {type(row.event).__name__}\ndata: {data}\n\n".encode()
        for news in calls.tell(await off_loop(service.live_calls, look)):
            yield f"event: call\ndata: {json.dumps(news, ensure_ascii=False)}\n\n".encode()
        if look.status != "running" or clock.monotonic() >= until:
            yield f"event: standing\ndata: {json.dumps({'status': look.status})}\n\n".encode()
            return
        await clock.sleep(POLL_S)
        try:
            look = await off_loop(service.runs.snapshot, look.run_id, look.count)
        except CallerError as broken:  # since the first look
            yield f"event: problem\ndata: {json.dumps({'detail': str(broken)})}\n\n".encode()
            return


def _number(text: str, name: str, least: int = 0) -> int:
    if not _WHOLE.fullmatch(text) or int(text) < least:
        raise CallerError(f"{name} is {text[:40]!r}; give a whole number from {least}")
    return int(text)
