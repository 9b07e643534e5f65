"""What came of what, of a run that an earlier release recorded: its plan was edited by a person."""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from core.errors import CallerError
from core.events import CallEnded, CallTried, Row
from core.files import sha256
from core.store import RunStore
from core.testing import FakeParts
from dr_rd.report.bundle import exported
from dr_rd.report.lineage import spans

RECORDED = Path(__file__).parents[1] / "recorded/0.1.0/edited"


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    """Return a run's export by its format, and the run's folder."""
    audits = tmp_path_factory.mktemp("audits")
    shutil.copytree(RECORDED, audits / "edited")
    (run,) = (p for p in (audits / "edited").iterdir() if p.is_dir())
    folder = RunStore(audits).open(run)
    parts = FakeParts((), folder.options())
    return lambda kind: exported(folder, parts, kind), folder


def test_prov_relates_every_answer_to_the_plan_and_the_answers_it_rests_on(export):
    exporter, folder = export
    found = json.loads(exporter("prov"))
    assert set(found["entity"]) == {f"run:{name}" for name in folder.files()}
    used = {(u["prov:activity"], u["prov:entity"]) for u in found["used"].values()}
    made = {g["prov:entity"]: g["prov:activity"] for g in found["wasGeneratedBy"].values()}
    answers = [name for name in folder.files() if name.startswith("answers/")]
    assert len(answers) > 1
    for name in answers:
        assert (made[f"run:{name}"], "run:plan.json") in used
        assert ("run:run", f"run:{name}") in used
    assert made["run:proposal.md"] == "run:run"
    digest = sha256((folder.path / "plan.json").read_bytes())
    assert found["entity"]["run:plan.json"]["sha256:digest"] == digest


def test_prov_names_each_relation_s_ends(export):
    found = json.loads(export[0]("prov"))
    known = {*found["entity"], *found["activity"], *found["agent"]}
    kinds = ("used", "wasGeneratedBy", "wasAssociatedWith")
    ends = {
        end for kind in kinds for relation in found[kind].values() for end in relation.values()
    }
    assert ends <= known
    people = [k for k, a in found["agent"].items() if a["prov:type"] == "prov:Person"]
    assert len(people) == 1


def test_a_crate_describes_each_of_its_files_and_the_run_as_an_action(export):
    exporter, folder = export
    with zipfile.ZipFile(io.BytesIO(exporter("rocrate"))) as archive:
        graph = {e["@id"]: e for e in json.loads(archive.read("ro-crate-metadata.json"))["@graph"]}
        names = set(archive.namelist()) - {"ro-crate-metadata.json"}
        assert names == set(folder.files()) == {p["@id"] for p in graph["./"]["hasPart"]}
        assert all(graph[name]["sha256"] == sha256(archive.read(name)) for name in names)
    action = graph["#run"]
    assert [graph[a["@id"]]["@type"] for a in action["agent"]] == ["Person"]
    assert action["instrument"]["@id"] in graph and action["result"] == [{"@id": "proposal.md"}]
    assert {"@id": "brief.json"} in action["object"]


def test_spans_lie_within_the_run_and_have_ids_of_their_own(export):
    exporter, _ = export
    (resource,) = json.loads(exporter("otlp"))["resourceSpans"]
    root, *below = resource["scopeSpans"][0]["spans"]
    assert len({s["spanId"] for s in [root, *below]}) == len(below) + 1
    assert all(s["parentSpanId"] == root["spanId"] and len(s["traceId"]) == 32 for s in below)
    for span in below:
        first, last = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        assert first <= last <= int(root["endTimeUnixNano"])
    assert {"plan", "agent"} <= {s["name"] for s in below}
    assert any(s["name"].startswith("tool ") for s in below)


def test_a_failed_try_at_a_call_is_a_span_with_its_model_tokens_and_error():
    tried = CallTried(
        call_id="c1", task_id="T1", purpose="plan", endpoint="http://localhost", attempt=1,
        outcome="transient", status=429, error="too many", elapsed_ms=250,
    )  # fmt: skip
    ended = CallEnded(
        call_id="c1", task_id="T1", purpose="plan", endpoint="http://localhost", model="m",
        request_digest="0" * 64, ok=False, tries=1, prompt_tokens=7,
    )  # fmt: skip
    rows = [
        Row(k, "r1", "2027-02-01T09:30:01.000Z", event, "", "")
        for k, event in enumerate((tried, ended))
    ]
    (span,) = spans(rows)
    assert span["name"] == "call plan" and span["status"] == {"code": 2, "message": "too many"}
    assert int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]) == 250_000_000
    known = {a["key"]: a["value"] for a in span["attributes"]}
    assert known["gen_ai.request.model"] == {"stringValue": "m"}
    assert known["gen_ai.usage.input_tokens"] == {"intValue": "7"}
    assert "gen_ai.usage.output_tokens" not in known


def test_each_is_the_same_twice(export):
    exporter, _ = export
    for kind in ("prov", "rocrate", "otlp", "docx", "pdf"):
        assert exporter(kind) == exporter(kind)


@pytest.mark.parametrize("kind", ["prov", "rocrate", "otlp"])
def test_without_its_trace_a_run_has_no_lineage_and_says_so(kind, export, tmp_path):
    shutil.copytree(export[1].path, tmp_path / "p/run")
    (tmp_path / "p/run/trace.jsonl").unlink()
    folder = RunStore(tmp_path).open(tmp_path / "p/run")
    with pytest.raises(CallerError, match="restore it from a copy"):
        exported(folder, FakeParts((), folder.options()), kind)
