"""How often the ledger check is right, on labelled texts: `python -m bench.ledger_check`.

`tests/data/planted` holds short texts, each of which breaks or keeps one item of a brief in
`tests/data/briefs`; `held_out` and `unseen` are blind: nobody who works on the check reads them.
`plans_labelled.jsonl` and `plans_unread.jsonl` there hold whole plans whose limits are labelled
broken, kept or unsaid; nobody who works on the check reads the latter.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time

import yaml

from dr_rd.brief import Brief
from dr_rd.checks import Exclusive, LedgerItem, Limit, Period, Prohibition, build_ledger, check
from dr_rd.quantity import quantities
from dr_rd.reading import read_brief

DATA = Path(__file__).parents[1] / "tests/data"
PLANS = ("plans_labelled", "plans_unread")
PARTS = ("tuning", "strangers", "newcomers", "held_out", "unseen")
BLIND = ("held_out", "unseen")
KINDS = ("figure", "prohibition", "requirement")
_BY = {"number": "figure", "ban": "prohibition", "demand": "requirement"}
_FIELDS = {"hard_constraints": "constraint", "banned_moves": "ban"}


@dataclass(frozen=True)
class Judged:
    """One labelled limit and the verdict on it."""

    kind: str
    breaks: bool
    verdict: str


@cache
def planted(part: str) -> tuple[Judged, ...]:
    """Every planted text of a set that nobody disputes, with its verdict."""
    return tuple(_planted(part))


def _planted(part: str) -> Iterator[Judged]:
    for path in sorted((DATA / "planted" / part).glob("*.yaml")):
        ledger = build_ledger(read_brief(DATA / "briefs" / path.name))
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            if case.get("disputed"):
                continue  # a careful reader could hold the other
            field, place = re.findall(r"\w+", case["item"])
            item = [i for i in ledger.items if i.kind == _FIELDS[field]][int(place)]
            (verdict,) = (v for v in check(ledger, case["text"]) if v.id == item.id)
            kind = _BY[case["by"]] if "by" in case else kind_of(item, case["text"])
            yield Judged(kind, case["breaks"], verdict.verdict)


def kind_of(item: LedgerItem, text: str) -> str:
    """What a text that does not say it turns on: a figure where the item and the text state one."""
    if quantities(text) and any(isinstance(c, Limit | Period) for c in item.checks):
        return "figure"
    if item.kind == "ban" or any(isinstance(c, Prohibition | Exclusive) for c in item.checks):
        return "prohibition"
    return "requirement"


@dataclass(frozen=True)
class Shares:
    """Hits and of how many: precision, recall, found or in doubt; kept texts in doubt and accused; broken called met."""

    precision: tuple[int, int]
    recall: tuple[int, int]
    noticed: tuple[int, int]
    doubted: tuple[int, int]
    accused: tuple[int, int]
    missed: tuple[int, int]

    def rate(self, name: str) -> float:
        """The share; 0 of none."""
        hits, of = getattr(self, name)
        return hits / of if of else 0.0


def shares(cases: Sequence[Judged]) -> Shares:
    """Count the verdicts of *cases*."""
    broken = [c.verdict for c in cases if c.breaks]
    kept = [c.verdict for c in cases if not c.breaks]
    found, invented = broken.count("violated"), kept.count("violated")
    return Shares(
        precision=(found, found + invented),
        recall=(found, len(broken)),
        noticed=(found + broken.count("unclear"), len(broken)),
        doubted=(kept.count("unclear"), len(kept)),
        accused=(invented, len(kept)),
        missed=(broken.count("met"), len(broken)),
    )


def plans(name: str) -> Counter[tuple[str, str]]:
    """Count the limits of a set of whole plans by label and verdict."""
    found: Counter[tuple[str, str]] = Counter()
    for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        ledger = build_ledger(Brief.model_validate(row["brief"]))
        verdicts = {_plain(v.text): v.verdict for v in check(ledger, row["plan"])}
        for item in row["items"]:
            found[item["verdict"], verdicts.get(_plain(item["item"]), "missing")] += 1
    return found


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def plan_shares(name: str) -> dict[str, float]:
    """The shares of a set of whole plans that have goals."""
    n = plans(name)

    def count(label: str, *verdicts: str) -> int:
        return sum(v for (x, y), v in n.items() if x == label and (not verdicts or y in verdicts))

    called = sum(count(label, "violated") for label in ("broken", "kept", "unsaid"))
    return {
        "broken called violated": count("broken", "violated") / count("broken"),
        "broken noticed": count("broken", "violated", "unclear") / count("broken"),
        "violated is right": count("broken", "violated") / max(1, called),
        "broken called met": count("broken", "met") / count("broken"),
        "kept called met": count("kept", "met") / count("kept"),
    }


def rows(parts: Sequence[str]) -> Iterator[str]:
    """The shares of each kind over some sets, a line each."""
    cases = [c for part in parts for c in planted(part)]
    for kind in KINDS:
        s = shares([c for c in cases if c.kind == kind])
        told = " ".join(
            f"{name} {s.rate(name):.3f}"
            for name in ("precision", "recall", "noticed", "doubted", "accused", "missed")
        )
        yield f"{kind:12} {told}"


def seconds(size: int = 100_000) -> float:
    """CPU seconds that a check of *size* characters of plans takes, the reader's data loaded."""
    lines = (DATA / "plans_labelled.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    ledger = build_ledger(Brief.model_validate(rows[0]["brief"]))
    check(ledger, rows[0]["plan"])
    text = "\n\n".join(row["plan"] for row in rows)
    begun = process_time()
    check(ledger, (text * (1 + size // len(text)))[:size])
    return process_time() - begun


def main() -> None:
    """Print every figure."""
    for name, parts in (*((p, [p]) for p in PARTS), ("blind", BLIND)):
        print(f"{name} ({sum(len(planted(p)) for p in parts)} texts)")
        print("\n".join(f"  {row}" for row in rows(parts)))
    for name in PLANS:
        print(name, " | ".join(f"{k} {v:.2f}" for k, v in plan_shares(name).items()))
    print(f"100 kB in {seconds():.2f} s of CPU")


if __name__ == "__main__":
    main()
