"""One run by the command line, what it shows, and whether its replay is the same."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dr_rd
from bench.models.server import NAME, ROOT, Served
from core.events import CallEnded
from core.settings import environment
from core.trace import read_events
from dr_rd.commands.codes import BUG, MISTAKE
from dr_rd.models.served.endpoint import NOBODY, PURPOSES, Purpose

BRIEFS = Path(__file__).parent / "briefs"
SAMPLES = Path(dr_rd.__file__).parent / "data" / "briefs"
DOCUMENTS = ROOT / "bench/evidence/documents"
LEFT_OUT = re.compile(r"^Of what the model wrote, code left out:.*$", re.MULTILINE)
GRACE_S = 600.0
"""How long after its cap on time a run may take to stop: a call that is under way is let end."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run came to."""

    brief: str
    status: str
    why: str
    tasks: int
    valid: int
    failed: int
    attempts: int
    calls: int
    repairs: int
    more: int
    lost: int
    """Calls without a reply that could be used."""
    prompt_tokens: int
    completion_tokens: int
    removed: int
    left_out: int
    assumed: int
    """Sentences that stand as the model's assumptions."""
    unsupported: int
    verdicts: Mapping[str, int]
    seconds: float
    identical: bool
    difference: str
    folder: Path


def briefs() -> list[Path]:
    """The briefs, in order of their names; documents of the same name belong to one."""
    return sorted(BRIEFS.glob("*.yaml"))


def whole_briefs() -> list[Path]:
    """The sample briefs that leave the tasks to the planner, in order of their names."""
    return sorted(SAMPLES.glob("*.yaml"))


def work(
    brief: Path, served: Served, audits: Path, seed: int, wall_s: float, does: Collection[Purpose]
) -> Figures:
    """Work *brief* within *wall_s* seconds, the model doing what it *does*, then replay the run."""
    folder = DOCUMENTS / brief.stem
    documents = ["--docs", str(folder)] if folder.is_dir() else []
    within = f"{wall_s:.0f}"  # for one call too: a plan's reply alone takes a quarter of an hour
    limits = ["--set", f"MAX_WALL_S={within}", "--set", f"CALL_TIMEOUT_S={within}"]
    options = ["--audits", str(audits), "--seed", str(seed), *limits]
    model = ["--endpoint", served.base_url, "--model", NAME]
    asked = ["run", str(brief), *model, *documents, *options, "--json"]
    told = said(asked, served.key, wall_s + GRACE_S, does)
    again = said(["replay", told["run_dir"], "--json"], "", wall_s + GRACE_S)
    return figures(brief.stem, told, again)


def said(
    arguments: Sequence[str], key: str, seconds: float, does: Collection[Purpose] = ()
) -> dict[str, Any]:
    """Run `dr-rd` and read what it prints; its progress and complaints go to our stderr."""
    command = [sys.executable, "-m", "dr_rd", *arguments]
    nobody = {f"DRRD_MODEL_{p.upper()}": NOBODY for p in PURPOSES if p not in does}
    env = {**environment(), "DRRD_API_KEY": key, **nobody}
    done = subprocess.run(
        command, env=env, cwd=ROOT, stdout=subprocess.PIPE, timeout=seconds, check=False
    )
    if done.returncode in (BUG, MISTAKE):
        raise SystemExit(f"dr-rd {arguments[0]} ended with code {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def figures(brief: str, told: Mapping[str, Any], again: Mapping[str, Any]) -> Figures:
    """Count what a run told and what its trace holds."""
    answers = [*told["answers"].values()]
    calls = [r.event for r in read_events(Path(told["trace"])) if isinstance(r.event, CallEnded)]
    purposes = Counter(call.purpose.rpartition("-")[2] for call in calls)
    return Figures(
        brief=brief,
        status=told["status"],
        why=told["reason"].replace(told["run_dir"], Path(told["run_dir"]).name),
        tasks=len(told["tasks"]),
        valid=sum(a["status"] == "done" for a in answers),
        failed=sum(a["status"] == "failed" for a in answers),
        attempts=sum(a["attempts"] for a in answers),
        calls=len(calls),
        repairs=purposes["repair"],
        more=purposes["more"],
        lost=sum(not call.ok for call in calls),
        prompt_tokens=sum(call.prompt_tokens or 0 for call in calls),
        completion_tokens=sum(call.completion_tokens or 0 for call in calls),
        removed=sum(a.get("removed", 0) for a in answers),
        left_out=sum(left_out(a["content"]) for a in answers),
        assumed=sum(assumed(a) for a in answers),
        unsupported=len((told["claims"] or {}).get("not_supported", ())),
        verdicts=Counter(item["verdict"] for item in told["ledger"]["items"]),
        seconds=told["seconds"],
        identical=again["identical"],
        difference=again["first_difference"] or "",
        folder=Path(told["run_dir"]),
    )


def left_out(content: str) -> int:
    """Count the model's sentences that an answer says were left out."""
    return sum(line.count(" a sentence, because ") for line in LEFT_OUT.findall(content))


def assumed(answer: Mapping[str, Any]) -> int:
    """Count the sentences that a model's answer takes for granted."""
    return sum(bool(re.fullmatch(r".+-M\d+", claim["source"])) for claim in answer["claims"])
