"""Measure plans: `python -m bench.plans [--visible FILE] [--shown N]`.

Two figures over the labelled briefs: the share of identical lines between two plans of one family
over different topics, and words of other fields, which each brief of `briefs` names for itself.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from statistics import median

import yaml

from core.errors import CallerError
from dr_rd.brief import Brief
from dr_rd.planning.design import Design
from dr_rd.reading import parse_brief, read_brief
from dr_rd.report.preview import plan_text
from dr_rd.workbench import Workbench, load_workbench

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "tests/data/briefs"


def lines(design: Design) -> set[str]:
    """Return what a plan says, a line each, without numbers of lines and marks."""
    said = [plan_text(design.tasks)]
    said += [f"{r.text}\n{r.sign}\n{r.mitigation}" for r in design.risks]
    said += ["\n".join((g.question, *g.must_meet, g.kill)) for g in design.gates]
    said += design.questions
    found = (
        re.sub(r"^(?:\d+\.|-|#+ T\d+)\s*", "", line.strip())
        for line in "\n".join(said).splitlines()
    )
    return {line for line in found if line}


def identical(one: set[str], other: set[str]) -> float:
    """Return the share of the lines of two plans that both hold."""
    return 2 * len(one & other) / (len(one) + len(other))


def labelled(visible: Path | None, most: int) -> Iterator[tuple[str, Brief]]:
    """Yield briefs with the family that a person gave them, at most so many a family."""
    taken: dict[str, int] = defaultdict(int)
    for line in visible.read_text("utf-8").splitlines() if visible else ():
        item = json.loads(line)
        family = item["gold"]["family"][0]
        if family == "not_research" or taken[family] >= most or not item["gold"].get("objective"):
            continue
        taken[family] += 1
        gold = item["gold"]
        by_role = {role: tuple(x["quote"] for x in gold["limits"] if x["role"] == role)
                   for role in ("constraint", "criterion", "ban")}  # fmt: skip
        yield item["id"], Brief(
            id=item["id"], domain=item["field"], objective=gold["objective"], family=family,
            hard_constraints=by_role["constraint"], success_criteria=by_role["criterion"],
            banned_moves=by_role["ban"],
        )  # fmt: skip


def plans(bench: Workbench, briefs: Iterable[tuple[str, Brief]]) -> dict[str, Design]:
    """Return the plan of each brief that one can be made of."""
    found = {}
    for name, brief in briefs:
        try:
            found[name] = bench.design(brief, ())
        except CallerError as mistake:
            print(f"{name}: {mistake}")
    return found


def foreign(design: Design, words: Iterable[str]) -> list[str]:
    """Return those of *words* that a plan holds."""
    text = "\n".join(lines(design)).lower()
    return [
        w for w in words if re.search(rf"(?<![a-z]){re.escape(w.lower())}(?:s|es)?(?![a-z])", text)
    ]


def _brief(path: Path) -> Brief:
    """Read a brief as it was handed in, with keys that readers may not know yet under theirs."""
    if path.suffix != ".yaml":
        return read_brief(str(path))
    held = yaml.safe_load(path.read_text("utf-8"))
    known = {_KEYS.get(k, k): v for k, v in held.items() if k not in _DROPPED}
    return parse_brief(json.dumps(known), "json", path.name)


_KEYS = {"bans": "banned_moves", "alternatives": "plausible_directions"}
_DROPPED = ("title",)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--visible", type=Path, help="labelled briefs, one JSON object a line")
    asked.add_argument("--most", type=int, default=3, help="briefs of one family")
    asked.add_argument("--sealed", action="store_true", help="the briefs kept unread as well")
    given = asked.parse_args()
    bench = load_workbench()
    briefs = [(p.stem, read_brief(str(p))) for p in sorted(SAMPLES.glob("*.yaml"))]
    made = plans(bench, [*briefs, *labelled(given.visible, given.most)])
    by_method: dict[str, list[set[str]]] = defaultdict(list)
    for design in made.values():
        by_method[design.method_id].append(lines(design))
    shares = []
    for method, texts in sorted(by_method.items()):
        own = [identical(a, b) for a, b in combinations(texts, 2)]
        shares += own
        if own:
            print(
                f"{method}: {len(texts)} plans, identical {median(own):.0%} (most {max(own):.0%})"
            )
    print(f"all: {len(shares)} pairs, median {median(shares):.0%}, most {max(shares):.0%}; "
          f"{median(len(t) for ts in by_method.values() for t in ts):.0f} lines a plan")  # fmt: skip
    for path in sorted((HERE / "briefs").glob("*.expect.yaml")):
        if path.name.startswith("sealed") and not given.sealed:
            continue
        expected = yaml.safe_load(path.read_text("utf-8"))
        brief = _brief(path.parent / expected["brief"])
        design = bench.design(brief.model_copy(update={"family": expected["family"]}), ())
        print(
            f"{path.stem}: {design.method_id}, foreign {foreign(design, expected['foreign']) or 'none'}"
        )


if __name__ == "__main__":
    main()
