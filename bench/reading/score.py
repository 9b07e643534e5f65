"""Counts how much of the labelled briefs is read: `python -m bench.reading.score [--show KEY] [--folds N]`.

The visible briefs are read with weights that were trained without them; the others with the shipped ones.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from bench.reading.examples import (
    APART,
    BRIEFS,
    FRESH,
    OWN,
    TOLD,
    UNREAD,
    WRITTEN,
    Example,
    load,
)
from bench.reading.train import labelled, objective_rows, rows, taggers
from dr_rd.families import load_ranker
from dr_rd.reading.reader import Reader
from dr_rd.reading.tagger import Taggers, load_taggers
from dr_rd.tools.sample_size.needed import needed


def words(text: str | None) -> Counter[str]:
    return Counter(re.findall(r"\w+", (text or "").lower()))


def alike(one: str | None, two: str | None) -> float:
    """Token F1 of two texts, or the share of the shorter that the longer holds."""
    x, y = words(one), words(two)
    both = sum((x & y).values())
    if not both:
        return 0.0
    return max(2 * both / (x.total() + y.total()), 0.95 * both / min(x.total(), y.total()))


def near(x: object, y: object, tol: float = 0.005) -> bool:
    try:
        return abs(float(str(x)) - float(str(y))) <= tol * abs(float(str(y))) + 1e-9
    except (TypeError, ValueError):
        return x == y


def paired(gold: Iterable[Any], found: Iterable[Any], same: Callable[[Any, Any], bool]) -> int:
    left, n = list(found), 0
    for g in gold:
        for f in left:
            if same(g, f):
                left.remove(f)
                n += 1
                break
    return n


def end(x: object) -> object:
    return (x.get("date") or x.get("months")) if isinstance(x, dict) else x


def quoted(x: dict, y: dict) -> bool:
    return alike(x["quote"], y["quote"]) >= 0.6


def typed(x: dict, y: dict) -> bool:
    same = x["type"] == y["type"] and (x["role"] == "ban") == (y["role"] == "ban")
    return quoted(x, y) and same and near(x["low"], y["low"]) and near(x["high"], y["high"])


LISTS = {
    "limits": quoted,
    "limits typed": typed,
    "people": lambda x, y: alike(x.get("role"), y.get("role")) >= 0.5 and near(x.get("count"), y.get("count")) and near(x.get("rate"), y.get("rate")),
    "durations": lambda x, y: near(x.get("value"), y.get("value")) and str(x.get("unit"))[:3] == str(y.get("unit"))[:3],
    "counts": lambda x, y: near(x.get("low"), y.get("low")) and near(x.get("high"), y.get("high")) and alike(x.get("what"), y.get("what")) >= 0.5,
    "closed": lambda x, y: x["from"] == y["from"] and x["to"] == y["to"],
}  # fmt: skip


SETS = {
    "visible": BRIEFS,
    "written": WRITTEN,
    "own": OWN,
    "unread": UNREAD,
    "fresh": FRESH,
    "told": TOLD,
    "apart": APART,
}


class Score:
    """Hits and tries of each key."""

    def __init__(self, show: str = "") -> None:
        self.hit: Counter[str] = Counter()
        self.of: Counter[str] = Counter()
        self.show = show

    def count(self, key: str, ok: object, e: Example, told: object = "") -> None:
        """Count one label."""
        self.of[key] += 1
        self.hit[key] += bool(ok)
        if not ok and key == self.show:
            print(f"{key} | {e.id} | {told}"[:600])

    def add(self, e: Example, f: dict) -> None:  # noqa: C901 - one line a label
        """Count what was read of one brief."""
        g = e.gold
        family = g.get("family") or []
        if "not_research" in family:
            self.count("not research refused", f["not_research"], e, f["families"][:2])
            return
        ranked = [x["id"] for x in f["families"]]
        self.count("research kept", not f["not_research"], e)
        self.count("family first", ranked[:1] and ranked[0] in family, e, ranked[:3])
        self.count(
            "objective",
            alike(f["objective"], g.get("objective_quote")) >= 0.6,
            e,
            f"{f['objective']} WANTED {g.get('objective_quote')}",
        )
        b, fb = g.get("budget"), f["budget"]
        if b:
            self.count(
                "budget",
                fb and near(fb["amount"], b["amount"]) and fb["currency"] == b["currency"],
                e,
                f"{fb} wanted {b}",
            )
        if fb:
            self.count(
                "budget precision", b and near(fb["amount"], b["amount"]), e, f"{fb} wanted {b}"
            )
        for key in ("start", "deadline"):
            if g.get(key):
                self.count(
                    key, near(end(f[key]), end(g[key]), 0.02), e, f"{f[key]} wanted {g[key]}"
                )
            if f[key]:
                self.count(
                    f"{key} precision",
                    near(end(f[key]), end(g.get(key)), 0.02),
                    e,
                    f"{f[key]} wanted {g.get(key)}",
                )
        gs = {
            k: v for k, v in (g.get("statistics") or {}).items() if v is not None and k != "design"
        }
        fs = {k: v for k, v in f["statistics"].items() if v is not None and k != "design"}
        for k, v in gs.items():
            self.count("statistics", near(fs.get(k), v), e, f"{k}: {fs.get(k)} wanted {v}")
        for k, v in fs.items():
            self.count(
                "statistics precision", near(gs.get(k), v), e, f"{k}: {v} wanted {gs.get(k)}"
            )
        if g.get("needed"):
            n = (f.get("needed") or {}).get("n")
            low, high = (g["needed"].get("accept") or [g["needed"]["n"]] * 2)[:2]
            self.count(
                "needed",
                n is not None and low <= n <= high,
                e,
                f"{f.get('needed')} wanted {g['needed']} {f['statistics']}",
            )
        for key, same in LISTS.items():
            name = key.split()[0]
            want, have = g.get(name) or [], f[name]
            n = paired(want, have, same)
            self.of[key] += len(want)
            self.hit[key] += n
            self.of[f"{key} precision"] += len(have)
            self.hit[f"{key} precision"] += n
            if n < len(want) and key == self.show:
                print(
                    f"{key} | {e.id} | {n} of {len(want)}\n   WANT {[tuple(w.values()) for w in want]}\n   GOT {[tuple(h.values()) for h in have]}"
                )

    def lines(self) -> dict[str, str]:
        """Return the share of each key, and of how many."""
        return {k: f"{self.hit[k] / n:.2f} ({n})" for k, n in sorted(self.of.items()) if n}


def score(
    examples: Iterable[Example],
    weights: Callable[[int], Taggers],
    show: str = "",
    *,
    embed: bool = True,
) -> Score:
    ranker, out = load_ranker(find=embed), Score(show)
    for n, e in enumerate(examples):
        study = Reader(weights(n), ranker, needed).read(e.document)
        out.add(e, study.model_dump(mode="json", by_alias=True))
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", default="")
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--set", choices=("all", *SETS), default="visible")
    a = parser.parse_args()
    examples = labelled() if a.set == "all" else load(SETS[a.set])
    shipped = load_taggers()
    trained = [shipped]
    if a.folds:
        held, more = rows(examples), objective_rows()
        trained = [
            taggers(held, [n for n in range(len(examples)) if n % a.folds != k], more)
            for k in range(a.folds)
        ]
    found = score(examples, lambda n: trained[n % len(trained)], a.show, embed=not a.folds)
    for key, said in found.lines().items():
        print(f"{key:28} {said}")


if __name__ == "__main__":
    main()
