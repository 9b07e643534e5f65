"""Plans written for these tests, and what each may rest on."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from core.graph.state import Claim
from core.scores import Score, Scorecard, aggregate
from dr_rd.brief import Brief
from dr_rd.checks import build_ledger
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.scorecard import load_rubric, load_template, score
from dr_rd.evaluation.subject import Subject
from dr_rd.evidence.corpus import Corpus, Document, Passage
from dr_rd.files import parse_yaml

FOLDER = Path(__file__).parents[1] / "data" / "plans"
THRESHOLD = 0.6
RUBRIC = load_rubric("proposal")
_WRAP = re.compile(r"(?<=[^\n|#])\n(?=[^\n|#*\d-])")
_CITED = re.compile(
    r"(?:^|(?<=[.!?] ))(?P<text>(?:(?!\. [A-Z])[^\n])*?) \[(?P<id>E\d+)\]", re.MULTILINE
)


@dataclass(frozen=True)
class Plan:
    """A proposal with the brief that it answers and the documents that it cites."""

    name: str
    head: Mapping[str, Any]
    """brief, documents, computed and assumed; stated and share name what a test may falsify."""
    text: str

    @property
    def stated(self) -> tuple[str, ...]:
        """Statements of a quantity with its name, as they stand in the text."""
        return tuple(self.head["stated"])

    @property
    def share(self) -> str:
        """One of the percentages that share a whole out, as it stands in the text, or ""."""
        return self.head.get("share", "")

    def subject(self, text: str) -> Subject:
        """Put *text* in the place of the plan; its claims are the sentences that cite."""
        claims = tuple(_claims(text, self._same["corpus"]))
        return Subject(text=text, claims=claims, **self._same)

    @cached_property
    def _same(self) -> dict[str, Any]:
        """What a subject has whatever its text."""
        brief = Brief.model_validate(self.head["brief"])
        return {
            "brief": brief,
            "ledger": build_ledger(brief),
            "corpus": _corpus(self.head["documents"]),
            "computed": self.head.get("computed", {}),
            "assumed": tuple(self.head.get("assumed", ())),
            "template": load_template("proposal"),
        }

    def card(self, text: str) -> Scorecard:
        """Score *text* in the place of the plan; the same text only once."""
        return _card(self.name, text)

    def fresh(self, text: str) -> Scorecard:
        """Score *text* in the place of the plan, anew."""
        return scored(self.subject(text))

    def score(self, key: str, text: str) -> Score:
        """Measure one criterion of *text* in the place of the plan."""
        return METRICS[key](self.subject(text))

    def replaced(self, found: Score) -> Scorecard:
        """Return the plan's own card with one score replaced."""
        scores = [found if s.key == found.key else s for s in self.card(self.text).scores]
        return aggregate(RUBRIC, scores, THRESHOLD)


def scored(subject: Subject) -> Scorecard:
    """Score a subject as a proposal."""
    return score(subject, RUBRIC, threshold=THRESHOLD, weights={})


@cache
def plans() -> Mapping[str, Plan]:
    """All plans by name."""
    return {p.stem: _read(p) for p in sorted(FOLDER.glob("*.md"))}


@cache
def _card(name: str, text: str) -> Scorecard:
    return plans()[name].fresh(text)


def _read(path: Path) -> Plan:
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    return Plan(path.stem, parse_yaml(head), text)


def _claims(text: str, corpus: Corpus) -> Iterator[Claim]:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    for found in _CITED.finditer(_WRAP.sub(" ", lines)):
        passage = corpus.passage_by_id.get(found["id"])
        said = passage.text if passage else found["text"]
        yield Claim(kind="quoted", text=found["text"], source=found["id"], passage=said)


def _corpus(given: list[dict[str, Any]]) -> Corpus:
    documents, passages = [], []
    for n, one in enumerate(given, 1):
        text, number = " ".join(one["passages"].values()), f"D{n:02}"
        documents.append(
            Document(id=number, path=one["path"], title=one["title"], text=text, sha256=_sha(text))
        )
        for name, said in one["passages"].items():
            start = text.index(said)
            passages.append(
                Passage(
                    id=name, document_id=number, text=said, start=start, end=start + len(said),
                    digest=_sha(said),
                )
            )  # fmt: skip
    return Corpus(documents=tuple(documents), passages=tuple(passages))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
