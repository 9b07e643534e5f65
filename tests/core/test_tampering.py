"""Five hundred ways to change a finished run, by kind: which of them `verify` finds.

Who changes a file may write the checksums anew; who forges the trace may chain all of it anew,
and then only a hash that was noted elsewhere tells.
"""

import asyncio
import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from core.driving import drive
from core.errors import CallerError
from core.files import SUMS, lasting, sha256
from core.graph.nodes import Stamp
from core.graph.state import GraphState, ToolRequest
from core.settings import RunOptions
from core.store import RunStore
from core.testing import FakeClock, FakeParts, fake_task, join_answers
from core.trace import graph_trace, read_events, row_hash, verify
from core.values import canonical
from tests.core.test_crashes import DOUBLE

CASES = (5, pytest.param(46, marks=pytest.mark.exhaustive))
"""Of each kind."""
PLAN = (
    fake_task("T1", tools=(ToolRequest(name="double", args={"n": 4}),)),
    fake_task("T2"),
    fake_task("T3", "T1", "T2"),
)
INPUTS = {
    "design-1.json": {"method": "field trial", "units": 12},
    "evidence.json": {"documents": ["a price list", "a standard"]},
}


async def _stamped(state: GraphState, stamp: Stamp) -> str:
    return f"{await join_answers(state, stamp)}\nTrace head `{stamp.head}`.\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = RunOptions()
    brief = {"idea": "bake", "budget": "under 50000 GBP"}
    folder = RunStore(tmp_path_factory.mktemp("a")).create("run", options, brief, INPUTS)
    parts = FakeParts(PLAN, options, tools=(DOUBLE,), synthesize=_stamped)
    assert asyncio.run(drive(folder, parts, FakeClock())).status == "finished"
    assert verify(folder.path).problems == ()
    return folder.path


def with_sums_anew(path: Path) -> None:
    lines = (f"{sha256((path / name).read_bytes())}  {name}\n" for name in lasting(path))
    (path / SUMS).write_text("".join(lines))


def chained_anew(path: Path, change: Callable[[list[dict]], None]) -> None:
    """Change rows, then make the trace, its end and the checksums fit each other again."""
    trace = path / "trace.jsonl"
    rows = [json.loads(line) for line in trace.read_bytes().splitlines()]
    change(rows)
    head = "0" * 64
    for number, row in enumerate(rows):
        row["seq"], row["prev"] = number, head
        if row["event"]["kind"] == "proposal_stamped":
            row["event"]["head"] = head
        if row["event"]["kind"] == "run_ended":
            row["event"]["count"] = len(rows)
        head = row["hash"] = row_hash(row)
    trace.write_text("".join(f"{canonical(row)}\n" for row in rows))
    with suppress(CallerError):  # where no event may say so
        view = graph_trace(read_events(trace), run_id="run", project_id="default", mode="graph")
        (path / "graph_trace.json").write_text(canonical(view) + "\n")
    with_sums_anew(path)


def edit_bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return chance.choice(
        [
            data[:at] + bytes([data[at] ^ (1 << chance.randrange(7))]) + data[at + 1 :],
            data[:at] + b"9" + data[at:],
            data[:at],
            data + b"\n",
            data[:at] + bytes(len(data) - at),
        ]
    )


def a_file(path: Path, chance: random.Random, *but: str) -> Path:
    return path / chance.choice([n for n in lasting(path) if n not in but])


def edited(path: Path, chance: random.Random) -> None:
    file = a_file(path, chance)
    file.write_bytes(edit_bytes(file.read_bytes(), chance))


def edited_with_sums(path: Path, chance: random.Random) -> None:
    edited(path, chance)
    with_sums_anew(path)


def plausible_with_sums(path: Path, chance: random.Random) -> None:
    """Change a value of a JSON file, as somebody would who wants it to say something else."""
    names = ("brief.json", "settings.json", "graph_trace.json", "graph.json", "plan.json", *INPUTS)
    file = path / chance.choice(names)
    value = json.loads(file.read_text())

    def change(held: object) -> object:
        if isinstance(held, dict) and held:
            name = chance.choice(sorted(held))
            return {**held, name: change(held[name])}
        if isinstance(held, list) and held:
            at = chance.randrange(len(held))
            return [*held[:at], change(held[at]), *held[at + 1 :]]
        if isinstance(held, bool):
            return not held
        return held + 1 if isinstance(held, int | float) else f"{held}0"

    text = canonical(change(value)) + "\n"
    file.write_text(text if file.name == "graph_trace.json" else json.dumps(json.loads(text)))
    with_sums_anew(path)


def removed(path: Path, chance: random.Random) -> None:
    a_file(path, chance, "trace.jsonl").unlink()


def removed_with_sums(path: Path, chance: random.Random) -> None:
    removed(path, chance)
    with_sums_anew(path)


def added(path: Path, chance: random.Random) -> None:
    name = chance.choice(
        ["lease.bak", "SHA256SUMS.old", "checkpoint.sqlite.gz", "x.part", "answers/T1.json.draft",
         "notes.md", "decisions/ok.json", "leases/x", "redo.log.1", ".hidden"]
    )  # fmt: skip
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).write_text("more")
    if chance.random() < 0.5:
        with_sums_anew(path)


def added_artifact_with_sums(path: Path, chance: random.Random) -> None:
    data = chance.randbytes(40)
    (path / "artifacts" / sha256(data)).write_bytes(data)
    with_sums_anew(path)


def linked(path: Path, chance: random.Random) -> None:
    if chance.random() < 0.5:
        os.symlink(a_file(path, chance), path / chance.choice(["link", "lease2", "x.part"]))
    else:
        file = a_file(path, chance, "trace.jsonl")
        moved = path / "lease"
        moved.unlink(missing_ok=True)
        file.rename(moved)
        os.symlink(moved, file)
    if chance.random() < 0.5:
        with_sums_anew(path)


def line_changed(path: Path, chance: random.Random) -> None:
    """Change lines of the trace, and the checksums, but not the whole chain."""
    trace = path / "trace.jsonl"
    lines = trace.read_bytes().splitlines(keepends=True)
    at = chance.randrange(len(lines) - 1)
    row = json.loads(lines[at])
    row["ts"] = "2020-01-01T00:00:00+00:00"
    row["hash"] = row_hash(row)
    redated = f"{canonical(row)}\n".encode()
    trace.write_bytes(
        b"".join(
            chance.choice(
                [
                    lines[:at] + lines[at + 1 :],
                    [*lines[:at], lines[at], *lines[at:]],
                    [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
                    lines[: at + 1],
                    [*lines[:at], redated, *lines[at + 1 :]],
                    [*lines, lines[at]],
                ]
            )
        )
    )
    with_sums_anew(path)


def chained_with_files(path: Path, chance: random.Random) -> None:
    """Forge the trace before the proposal was stamped, with all that is derived from it."""

    def change(rows: list[dict]) -> None:
        stamp = next(n for n, r in enumerate(rows) if r["event"]["kind"] == "proposal_stamped")
        row = rows[chance.randrange(stamp)]
        name = chance.choice([n for n in row["event"] if n not in ("kind", "settings")])
        held = row["event"][name]
        row["event"][name] = held + 1 if isinstance(held, int) else f"{held}0" if held else held
        row["ts"] = f"{row['ts'][:-7]}1+00:00"

    chained_anew(path, change)


def redated(path: Path, chance: random.Random) -> None:
    """Turn time round for one event, in a trace that is chained anew."""

    def change(rows: list[dict]) -> None:
        rows[chance.randrange(1, len(rows))]["ts"] = "2025-12-31T23:59:59.000000+00:00"

    chained_anew(path, change)


KINDS = (
    edited,
    edited_with_sums,
    plausible_with_sums,
    removed,
    removed_with_sums,
    added,
    added_artifact_with_sums,
    linked,
    line_changed,
    chained_with_files,
    redated,
)


@pytest.mark.parametrize("cases", CASES)
def test_whatever_is_changed_is_found(run: Path, tmp_path: Path, cases: int) -> None:
    missed, tried = Counter[str](), 0
    for kind in KINDS:
        for seed in range(cases):
            path = tmp_path / "case"
            shutil.copytree(run, path)
            kind(path, random.Random(f"{kind.__name__}/{seed}"))  # noqa: S311 - no secret
            tried += 1
            missed[kind.__name__] += verify(path).ok
            shutil.rmtree(path)
    assert tried == cases * len(KINDS) >= (500 if cases > 40 else 50)
    assert +missed == Counter()


def test_a_problem_is_one_line_that_names_the_file(run: Path, tmp_path: Path) -> None:
    path = shutil.copytree(run, tmp_path / "run")
    brief = (path / "brief.json").read_text()
    (path / "brief.json").write_text(brief.replace("50000", "90000"))
    (path / "design-1.json").write_text("{}")
    (path / "lease.bak").write_text("x")
    (path / "link").symlink_to(path / "brief.json")
    with_sums_anew(path)
    assert verify(path).problems == (
        "brief.json is not what the trace recorded",
        "design-1.json is not what the trace recorded",
        "lease.bak was added after the run ended",
        "link is a link, or no file at all",
    )


def test_a_forgery_of_everything_is_told_by_a_hash_that_was_noted_outside(
    run: Path, tmp_path: Path
) -> None:
    path = shutil.copytree(run, tmp_path / "run")
    head = verify(path).head

    def change(rows: list[dict]) -> None:
        rows[-2]["ts"] = rows[-1]["ts"]
        rows[-3]["event"]["duration_ms"] = 77  # of the last step, after the proposal

    chained_anew(path, change)
    assert verify(path).ok
    assert any("forged" in problem for problem in verify(path, head).problems)
    assert verify(run, head).ok
    proposal = (run / "proposal.md").read_text()
    assert verify(run, proposal.partition("head `")[2][:64]).ok
    assert not (path / SUMS).samefile(run / SUMS)
