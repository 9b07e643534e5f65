"""The page that says what the runs showed."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from bench.engine.machine import describe
from bench.models.runs import Figures
from bench.models.server import NAME

VERDICTS = ("met", "promised", "violated", "unclear", "not_shown", "not_checkable")
COLUMNS: Mapping[str, Callable[[Figures], object]] = {
    "tasks valid": lambda f: f"{f.valid} of {f.tasks}",
    "failed": lambda f: f.failed,
    "attempts": lambda f: f.attempts,
    "calls": lambda f: f.calls,
    "lost": lambda f: f.lost,
    "repairs": lambda f: f.repairs,
    "continued": lambda f: f.more,
    "tokens in": lambda f: f"{f.prompt_tokens:,}",
    "out": lambda f: f"{f.completion_tokens:,}",
    "citations removed": lambda f: f.removed,
    "sentences left out": lambda f: f.left_out,
    "assumed": lambda f: f.assumed,
    "claims unsupported": lambda f: f.unsupported,
    "ledger": lambda f: verdicts(f),
    "seconds": lambda f: f"{f.seconds:,.0f}",
    "replay": lambda f: "identical" if f.identical else "**different**",
}


def verdicts(found: Figures) -> str:
    """Count the ledger's verdicts, in words."""
    told = [f"{found.verdicts[v]} {v.replace('_', ' ')}" for v in VERDICTS if found.verdicts[v]]
    return ", ".join(told) or "–"


def page(
    found: Sequence[Figures],
    asked: int,
    threads: int,
    abilities: str,
    first: Mapping[str, int],
    command: str,
) -> str:
    """Write the whole page.

    Args:
        found: The runs.
        asked: How many there should have been.
        threads: The model's.
        abilities: What the server can do.
        first: In how many runs the model does each purpose.
        command: What gave them.

    """
    does = ", ".join(f"{purpose} in {min(n, len(found))}" for purpose, n in first.items())
    short = "" if len(found) == asked else f" of {asked}, then the time was up"
    rows = [f"| {f.brief} | {' | '.join(str(c(f)) for c in COLUMNS.values())} |" for f in found]
    return "\n".join(
        (
            "# Runs with a small real model",
            "",
            f"`{command}`, {datetime.now(UTC):%Y-%m-%d}; runs: {len(found)}{short}. "
            f"{describe()}; threads for the model: {threads}.",
            "",
            f"{NAME}, served by llama.cpp on loopback, is asked to {does} of the runs; it plans the first. It is "
            "small: what it says is often wrong, and what the checks make of that is the point.",
            "",
            summary(found),
            "",
            f"| | {' | '.join(COLUMNS)} |",
            "|---" + "|---:" * len(COLUMNS) + "|",
            *rows,
            "",
            *notes(found),
            "What the server can do, by `dr-rd endpoint test`:",
            "",
            "```text",
            abilities.strip(),
            "```",
            "",
        )
    )


def summary(found: Sequence[Figures]) -> str:
    """Add the runs up."""
    total = Counter[str]()
    for f in found:
        total.update(
            tasks=f.tasks, valid=f.valid, calls=f.calls, repairs=f.repairs, removed=f.removed,
            left_out=f.left_out, unsupported=f.unsupported, same=int(f.identical),
            violated=f.verdicts.get("violated", 0),
        )  # fmt: skip
    return (
        f"Together: {total['valid']} of {total['tasks']} tasks valid, {total['calls']} calls, "
        f"{total['repairs']} of them repairs; {total['removed']} citations and "
        f"{total['left_out']} sentences taken out, {total['unsupported']} claims that their source "
        f"does not bear out and {total['violated']} violated limits shown as such; "
        f"{total['same']} of {len(found)} replays identical."
    )


def notes(found: Sequence[Figures]) -> list[str]:
    """Say why a run did not end well, and where a replay differs."""
    told = [f"- {f.brief}: {f.status}: {f.why}" for f in found if f.why]
    told += [f"- {f.brief}: the replay differs: {f.difference}" for f in found if f.difference]
    return [*told, ""] if told else []
