"""Draw the labelled limits that ship for second readers: `python -m bench.limit_labels`.

Written to `dr_rd/data/judging/limits.yaml`: short texts of `tests/data/planted`, of the sets that
whoever works on the check may read, as many broken as kept, and the whole plans of
`plans_labelled.jsonl` of which three limits or more are broken.
"""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import yaml

from bench.ledger_check import DATA
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.files import data_folder
from dr_rd.reading import read_brief

_SETS = ("tuning", "strangers", "newcomers")
_BRIEFS, _OF_EACH, _LEAST_BROKEN = 12, 5, 3
_FIELDS = {"hard_constraints": "C", "success_criteria": "S", "banned_moves": "B"}
_KEPT = ("objective", *_FIELDS)


def drawn(seed: int = 18) -> list[dict[str, Any]]:
    """Return the briefs with their labelled texts; the same *seed* draws the same ones."""
    chance = random.Random(seed)  # noqa: S311 - it must draw the same again
    return [*_planted(chance), *_plans()]


def _planted(chance: random.Random) -> Iterator[dict[str, Any]]:
    names = sorted(p.name for p in (DATA / "planted" / _SETS[0]).glob("*.yaml"))
    for number, name in enumerate(sorted(chance.sample(names, _BRIEFS))):
        part = _SETS[number % len(_SETS)]
        path = DATA / "planted" / part / name
        cases = yaml.safe_load(path.read_text(encoding="utf-8"))
        clear = [c for c in cases if not c.get("disputed")]
        texts = [
            {"text": c["text"], "labels": {_id(c["item"]): "broken" if breaks else "kept"}}
            for breaks in (True, False)
            for c in chance.sample([c for c in clear if c["breaks"] is breaks], _OF_EACH)
        ]
        brief = read_brief(str(DATA / "briefs" / name))
        yield {"source": f"planted/{part}/{name}", "brief": _short(brief), "texts": texts}


def _id(item: str) -> str:
    field, place = re.findall(r"\w+", item)
    return f"{_FIELDS[field]}{int(place) + 1:02}"


def _short(brief: Brief) -> dict[str, Any]:
    """What of a brief its ledger is built from."""
    found = brief.model_dump(mode="json", include={*_KEPT, "budget", "deadline"})
    return {key: value for key, value in found.items() if value}


def _plans() -> Iterator[dict[str, Any]]:
    for line in (DATA / "plans_labelled.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if sum(i["verdict"] == "broken" for i in row["items"]) < _LEAST_BROKEN:
            continue
        brief = Brief.model_validate(row["brief"])
        ids = {_plain(i.text): i.id for i in build_ledger(brief).items}
        labels = {ids[_plain(i["item"])]: i["verdict"] for i in row["items"]}
        texts = [{"text": row["plan"], "labels": labels}]
        yield {"source": f"plans_labelled/{row['id']}", "brief": _short(brief), "texts": texts}


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".")


def written() -> str:
    """Return the file as it ships."""
    return yaml.safe_dump(drawn(), allow_unicode=True, sort_keys=False, width=200)


if __name__ == "__main__":
    target = data_folder().joinpath("judging", "limits.yaml")
    with open(str(target), "w", encoding="utf-8") as file:
        file.write(written())
