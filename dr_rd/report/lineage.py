"""What came of what in a run, for programs that read such records: PROV, RO-Crate and OTLP.

Formats: PROV-JSON (W3C member submission of 24 April 2013), RO-Crate 1.1 with its profile of a
process run, and the JSON encoding of the OpenTelemetry protocol 1.x.
"""

import json
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from core.errors import CallerError
from core.events import CallEnded, CallTried, NodeEnded, NodeStarted, Row, ToolCalled
from core.events.people import QuestionAnswered
from core.events.plan import PlanApproved
from core.files import sha256
from core.graph.files import planned_tasks
from core.graph.state import GraphTask
from core.modes.spec import RunParts
from core.store import TRACE, RunFolder
from core.trace import read_events
from dr_rd.report.archive import packed

_INPUTS = ("brief.json", "settings.json")
_MACHINE = ("", "settings", "library")
"""Who approves a plan where no person does."""


def prov(folder: RunFolder, parts: RunParts) -> bytes:
    """Return files, work and people of a run as PROV-JSON."""
    rows, tasks = _rows(folder), planned_tasks(folder)
    works = _works(rows, tasks, folder.files(), parts.mode.result_files[0])
    used = [(work, name) for work, (_, reads, _) in works.items() for name in reads]
    made = [(name, work) for work, (_, _, writes) in works.items() for name in writes]
    people = _people(rows)
    document = {
        "prefix": {
            "run": f"urn:dr-rd:{folder.project_id}:{folder.run_id}:",
            "sha256": "urn:sha256:",
        },
        "entity": {
            _id(name): {"prov:label": name, "sha256:digest": _digest(folder, name)}
            for name in folder.files()
        },
        "activity": {_id(work): times for work, (times, _, _) in works.items()},
        "agent": {
            "run:workbench": {"prov:type": "prov:SoftwareAgent", "prov:label": parts.version},
            **{_id(who): {"prov:type": "prov:Person", "prov:label": who} for who in people},
        },
        "used": _relations("u", "prov:activity", "prov:entity", used),
        "wasGeneratedBy": _relations("g", "prov:entity", "prov:activity", made),
        "wasAssociatedWith": _relations(
            "a",
            "prov:activity",
            "prov:agent",
            [*((work, "workbench") for work in works), *(("run", who) for who in people)],
        ),
    }
    return _json(document)


def crate(folder: RunFolder, parts: RunParts) -> bytes:
    """Return a run as an RO-Crate: its files in a zip archive with what each is, and of what it came."""
    rows = _rows(folder)
    names = folder.files()
    results = [n for n in parts.mode.result_files if n in names]
    data = {name: (folder.path / name).read_bytes() for name in names}
    described = [_file(name, content) for name, content in data.items()]
    described += _crate(folder, parts.version, rows, names, results)
    graph = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": described}
    return packed({"ro-crate-metadata.json": _json(graph), **data}.items())


def otlp(folder: RunFolder, parts: RunParts) -> bytes:
    """Return a run's work as spans: its nodes, the calls of tools, and those of models."""
    rows = _rows(folder)
    trace_id = sha256(folder.run_id.encode())[:32]
    root = _span_id("run", 0)
    made = [{"parentSpanId": root, **span} for span in spans(rows)]
    if rows:
        whole = _span_times(rows[0].ts, rows[-1].ts)
        made.insert(0, {"spanId": root, "name": f"run {folder.run_id}", **whole})
    common = {"traceId": trace_id, "kind": 1}
    resource = {"service.name": "dr-rd", "service.version": parts.version}
    return _json(
        {
            "resourceSpans": [
                {
                    "resource": {"attributes": _attributes(resource)},
                    "scopeSpans": [
                        {"scope": {"name": "dr_rd"}, "spans": [{**common, **s} for s in made]}
                    ],
                }
            ]
        }
    )


def _rows(folder: RunFolder) -> tuple[Row, ...]:
    """The run's events; raises CallerError where its trace is gone."""
    if not folder.has(TRACE):
        raise CallerError(
            f"{folder.path} has no {TRACE}, and nothing else says what came of what; restore it from a copy"
        )
    return tuple(read_events(folder.trace_path))


_Work = tuple[dict[str, str], Sequence[str], Sequence[str]]
"""When a piece of work was done, what it read and what it wrote."""


def _works(
    rows: Sequence[Row], tasks: Sequence[GraphTask], names: Sequence[str], result: str
) -> dict[str, _Work]:
    """The run as one piece of work, its planning, and each task."""
    answers = {t.id: f"answers/{t.id}.json" for t in tasks}
    inputs = [n for n in _INPUTS if n in names]
    found: dict[str, _Work] = {
        "run": (
            _times(rows[:1], rows[-1:]),
            [*inputs, *(n for n in answers.values() if n in names)],
            [n for n in (result,) if n in names],
        )
    }
    if "plan.json" in names:
        plans = [r for r in rows if getattr(r.event, "node", "") == "plan"]
        found["plan"] = (_times(plans[:1], plans[-1:]), inputs, ["plan.json"])
    for task in tasks:
        if answers[task.id] in names:
            own = [r for r in rows if getattr(r.event, "task_id", "") == task.id]
            reads = ["plan.json", *(answers[d] for d in task.depends_on if answers[d] in names)]
            found[f"task-{task.id}"] = (_times(own[:1], own[-1:]), reads, [answers[task.id]])
    return found


def _times(first: Sequence[Row], last: Sequence[Row]) -> dict[str, str]:
    if not first or not last:
        return {}
    return {"prov:startTime": first[0].ts, "prov:endTime": last[0].ts}


def _people(rows: Sequence[Row]) -> list[str]:
    """Who approved or answered something, once each."""
    named = (r.event.by for r in rows if isinstance(r.event, PlanApproved | QuestionAnswered))
    return list(dict.fromkeys(who for who in named if who not in _MACHINE))


def _relations(
    prefix: str, left: str, right: str, pairs: Sequence[tuple[str, str]]
) -> dict[str, dict[str, str]]:
    return {
        f"_:{prefix}{k}": {left: _id(a), right: _id(b)} for k, (a, b) in enumerate(pairs, start=1)
    }


def _id(name: str) -> str:
    return f"run:{name}"


def _digest(folder: RunFolder, name: str) -> str:
    return sha256((folder.path / name).read_bytes())


def _file(name: str, content: bytes) -> dict[str, Any]:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "contentSize": str(len(content)),
        "encodingFormat": kind,
        "sha256": sha256(content),
    }


def _crate(
    folder: RunFolder,
    version: str,
    rows: Sequence[Row],
    names: Sequence[str],
    results: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """What describes the whole: the crate itself, the workbench, and the run as an action."""
    ended = rows[-1].ts if rows else ""
    yield {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Run {folder.run_id} of {folder.project_id}",
        "description": "A plan, the work on it and its proposal, with the trace of how they came about.",
        "datePublished": ended,
        "conformsTo": {"@id": "https://w3id.org/ro/wfrun/process/0.5"},
        "hasPart": _refs(names),
        "mentions": {"@id": "#run"},
    }
    yield {
        "@id": "https://w3id.org/ro/wfrun/process/0.5",
        "@type": "CreativeWork",
        "name": "Process Run Crate",
        "version": "0.5",
    }
    yield {
        "@id": "#workbench",
        "@type": "SoftwareApplication",
        "name": "dr-rd",
        "version": version,
    }
    people = {f"#person-{k}": who for k, who in enumerate(_people(rows), start=1)}
    for key, who in people.items():
        yield {"@id": key, "@type": "Person", "name": who}
    yield {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"dr-rd run of {folder.project_id}",
        "startTime": rows[0].ts if rows else "",
        "endTime": ended,
        "instrument": {"@id": "#workbench"},
        **({"agent": _refs(list(people))} if people else {}),
        "object": _refs([n for n in _INPUTS if n in names]),
        "result": _refs(results),
    }


def _refs(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"@id": name} for name in names]


def spans(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield a span for each node that ended, each call of a tool and each try at a model's call."""
    opened: dict[tuple[str, str], Row] = {}
    models = {r.event.call_id: r.event for r in rows if isinstance(r.event, CallEnded)}
    for row in rows:
        event = row.event
        if isinstance(event, NodeStarted):
            opened[event.node, event.task_id] = row
        elif isinstance(event, NodeEnded):
            first = opened.pop((event.node, event.task_id), row)
            yield _span(row, event.node, _span_times(first.ts, row.ts), {"task": event.task_id})
        elif isinstance(event, ToolCalled):
            named = {"task": event.task_id, "role": event.role, "error": event.error}
            yield _span(
                row, f"tool {event.name}", _before(row, event.elapsed_ms), named, good=event.ok
            )
        elif isinstance(event, CallTried):
            call = models.get(event.call_id)
            known: dict[str, Any] = {
                "task": event.task_id,
                "gen_ai.request.model": call.model if call else "",
                "gen_ai.usage.input_tokens": call.prompt_tokens if call else None,
                "gen_ai.usage.output_tokens": call.completion_tokens if call else None,
                "error": event.error,
            }
            good = event.outcome == "answered"
            yield _span(
                row, f"call {event.purpose}", _before(row, event.elapsed_ms), known, good=good
            )


def _span(
    row: Row, name: str, times: Mapping[str, str], known: Mapping[str, Any], *, good: bool = True
) -> dict[str, Any]:
    status = {"code": 1} if good else {"code": 2, "message": str(known.get("error", ""))}
    found = {k: v for k, v in known.items() if v not in ("", None)}
    return {
        "spanId": _span_id(name, row.seq),
        "name": name,
        **times,
        "attributes": _attributes(found),
        "status": status,
    }


def _span_id(name: str, seq: int) -> str:
    return sha256(f"{name} {seq}".encode())[:16]


def _span_times(first: str, last: str) -> dict[str, str]:
    return {"startTimeUnixNano": _nanoseconds(first), "endTimeUnixNano": _nanoseconds(last)}


def _before(row: Row, elapsed_ms: int) -> dict[str, str]:
    """The times of what had just ended when it was recorded."""
    first = datetime.fromisoformat(row.ts) - timedelta(milliseconds=elapsed_ms)
    return _span_times(first.isoformat(), row.ts)


def _nanoseconds(moment: str) -> str:
    """A moment since 1970, in whole milliseconds as the trace has them: floats would round."""
    since = datetime.fromisoformat(moment) - datetime.fromisoformat("1970-01-01T00:00:00+00:00")
    return str(since // timedelta(milliseconds=1) * 1_000_000)


def _attributes(known: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "key": k,
            "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": str(v)},
        }
        for k, v in known.items()
    ]


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
