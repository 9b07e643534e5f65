"""Whether a second reader of limits helps, measured on labelled texts: what lets it be asked at all."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from core.errors import CallerError
from core.files import sha256
from core.values import Frozen
from dr_rd.brief import Brief
from dr_rd.checks import LedgerItem, LedgerVerdict, Verdict, build_ledger, check
from dr_rd.evaluation.agreement import wilson
from dr_rd.evaluation.second_reader import Answer, LimitOpinion, SecondReader, combined
from dr_rd.files import parse_yaml, read_text, read_yaml

LEAST_LIMITS = 100
"""Labelled limits with an opinion that a measurement needs before it means anything."""

_LEAST_RIGHT = 0.9
"""The share of what it changes to a decided verdict that must be right."""

_LEAST_GAIN = 0.05
"""The share of the broken or of the kept limits that it must decide beyond what code does."""

_MOST_FLIPS = 0.05
"""The share of repeated answers that may differ."""

Share = tuple[int, int]
"""Hits, and of how many."""

Truth = Literal["broken", "kept", "unsaid"]


class LabelledText(Frozen):
    """A text, and what a person says of some limits of its brief."""

    text: str = Field(min_length=1)
    labels: Mapping[str, Truth] = Field(min_length=1)
    """By the limit's id in the ledger, such as C02."""


class LabelledBrief(Frozen):
    """A brief with texts that answer it."""

    source: str = ""
    """Where its texts come from."""
    brief: Brief
    texts: tuple[LabelledText, ...] = Field(min_length=1)


class ReadLimit(Frozen):
    """A labelled limit with what code and the reader made of it."""

    truth: Truth
    code: Verdict
    both: Verdict
    answers: tuple[Answer | None, ...]
    """The reader's each time it was asked; None where it gave nothing that could be used."""


class Rates(Frozen):
    """How verdicts compare with labels."""

    precision: Share
    """Broken, of those called violated."""
    recall: Share
    """Called violated, of the broken."""
    met: Share
    """Called met, of the kept."""
    missed: Share
    """Called met, of the broken."""


class ReaderCalibration(Frozen):
    """A second reader measured: valid for these models and this prompt only."""

    task: Literal["ledger"] = "ledger"
    panel: tuple[str, ...]
    prompt_digest: str
    limits: int
    failed: int
    """Limits on which it gave nothing that could be used."""
    code: Rates
    """Code alone."""
    both: Rates
    """Code and the reader."""
    raised: Share
    """Broken, of those that it raised to violated."""
    cleared: Share
    """Kept, of those that it cleared to met."""
    flips: float | None
    """Share of each two answers on one limit that differ; None where it was asked once."""
    because: tuple[str, ...]
    """What keeps it from being asked; () if it helps."""

    @property
    def helps(self) -> bool:
        """Whether it may be asked."""
        return not self.because

    def refusal(self, panel: Sequence[str]) -> str:
        """Why the models of *panel* are not asked, as the end of a sentence; "" if they are."""
        if self.panel != tuple(panel):
            return f"the calibration is of {', '.join(self.panel)}"
        if self.prompt_digest != prompt_digest():
            return "the calibration is of another wording of its prompt; calibrate again"
        return "; ".join(self.because)

    @property
    def sentence(self) -> str:
        """What a reader of its verdicts should know."""
        return (
            f"second reader {', '.join(dict.fromkeys(self.panel))}: on {self.limits} labelled limits "
            f'"violated" is right in {_told(self.both.precision)} and found in '
            f"{_told(self.both.recall)} of the broken, by code alone {_told(self.code.precision)} "
            f"and {_told(self.code.recall)}; broken called met {_told(self.both.missed)}, by code "
            f"alone {_told(self.code.missed)}"
        )


def _told(share: Share) -> str:
    hits, of = share
    low, high = wilson(hits, of)
    return f"{hits / of:.2f} [{low:.2f}, {high:.2f}]" if of else "none"


def prompt_digest() -> str:
    """SHA-256 of what the reader is told: another wording is another reader."""
    return sha256(read_text("prompts", "limit.md").encode())


# --------------------------------------------------------------------------------- labels

_BRIEFS = TypeAdapter(tuple[LabelledBrief, ...])


def shipped_limits() -> tuple[LabelledBrief, ...]:
    """Read the labelled limits that come with the workbench."""
    return _BRIEFS.validate_python(read_yaml("judging", "limits.yaml"))


def read_limits(path: Path) -> tuple[LabelledBrief, ...]:
    """Read labelled limits of somebody's own; raises CallerError with the first thing wrong."""
    try:
        found = _BRIEFS.validate_python(parse_yaml(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as wrong:
        raise CallerError(f"the labels {str(path)!r} cannot be read; name a UTF-8 file") from wrong
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise CallerError(f"the labels {str(path)!r}: {place}: {first['msg'].lower()}") from wrong
    except (yaml.YAMLError, ValueError) as wrong:
        raise CallerError(f"the labels {str(path)!r} are no YAML or JSON: {wrong}") from wrong
    for held in found:
        known = {item.id for item in build_ledger(held.brief).items}
        if strange := sorted({i for t in held.texts for i in t.labels} - known):
            raise CallerError(
                f"the labels {str(path)!r} name {strange[0]!r}, and its brief has "
                f"{', '.join(sorted(known)) or 'no limit'}; name a limit by its id in the ledger"
            )
    return found


def read_reader_calibration(path: Path) -> ReaderCalibration:
    """Read what `calibrate --task ledger` wrote; raises CallerError if the file is nothing of the kind."""
    try:
        return ReaderCalibration.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as wrong:
        raise CallerError(
            f"{str(path)!r} is no calibration of a second reader; make one with "
            "dr-rd calibrate --task ledger"
        ) from wrong


# ------------------------------------------------------------------------------- measures


async def read_labelled(
    briefs: Iterable[LabelledBrief], reader: SecondReader, repeats: int
) -> AsyncIterator[ReadLimit]:
    """Yield each labelled limit with both readings; the first of *repeats* opinions is the one that counts."""
    for held in briefs:
        ledger = build_ledger(held.brief)
        for labelled in held.texts:
            found = {v.id: v for v in check(ledger, labelled.text)}
            for item_id, truth in labelled.labels.items():
                item, text = ledger.item(item_id), labelled.text
                said = [await reader.opinion(text, item, take=n) for n in range(repeats)]
                yield _read_limit(truth, found[item_id], said, item, text, reader.name)


def _read_limit(
    truth: Truth,
    found: LedgerVerdict,
    said: Sequence[LimitOpinion | None],
    item: LedgerItem,
    text: str,
    name: str,
) -> ReadLimit:
    return ReadLimit(
        truth=truth,
        code=found.verdict,
        both=combined(found, said[0], item, text, name).verdict,
        answers=tuple(o.answer if o else None for o in said),
    )


def measure_reader(read: Sequence[ReadLimit], panel: Sequence[str]) -> ReaderCalibration:
    """Compare what code says alone with what it says with the reader."""
    changed = [r for r in read if r.both != r.code]
    raised = [r.truth == "broken" for r in changed if r.both == "violated"]
    cleared = [r.truth == "kept" for r in changed if r.both == "met"]
    answered = [r for r in read if r.answers[0]]
    pairs = [a != b for r in answered for a, b in combinations(r.answers, 2)]
    found = ReaderCalibration(
        panel=tuple(panel),
        prompt_digest=prompt_digest(),
        limits=len(read),
        failed=len(read) - len(answered),
        code=_rates([(r.truth, r.code) for r in read]),
        both=_rates([(r.truth, r.both) for r in read]),
        raised=(sum(raised), len(raised)),
        cleared=(sum(cleared), len(cleared)),
        flips=sum(pairs) / len(pairs) if pairs else None,
        because=(),
    )
    return found.model_copy(update={"because": tuple(_because(found))})


def _rates(verdicts: Sequence[tuple[Truth, Verdict]]) -> Rates:
    broken = [v for truth, v in verdicts if truth == "broken"]
    kept = [v for truth, v in verdicts if truth == "kept"]
    found = broken.count("violated")
    return Rates(
        precision=(found, sum(v == "violated" for _, v in verdicts)),
        recall=(found, len(broken)),
        met=(kept.count("met"), len(kept)),
        missed=(broken.count("met"), len(broken)),
    )


def _because(c: ReaderCalibration) -> Iterable[str]:
    """Say what keeps a reader from being asked."""
    answered = c.limits - c.failed
    if answered < LEAST_LIMITS:
        yield f"{answered} labelled limits with an opinion, {LEAST_LIMITS} are needed"
    for name, share in (("raises to violated", c.raised), ("clears to met", c.cleared)):
        if share[1] and share[0] < _LEAST_RIGHT * share[1]:
            yield f"of what it {name} {_told(share)} is right, {_LEAST_RIGHT:.2f} is needed"
    gains = (_gain(c.code.recall, c.both.recall), _gain(c.code.met, c.both.met))
    if max(gains) < _LEAST_GAIN:
        yield f"it decides {max(gains):.0%} more of the broken or the kept, {_LEAST_GAIN:.0%} is needed"
    if c.flips is None:
        yield "it was asked once a limit; ask again to see whether it keeps to its answer"
    elif c.flips > _MOST_FLIPS:
        yield f"{c.flips:.0%} of repeated answers differ, {_MOST_FLIPS:.0%} may"


def _gain(before: Share, after: Share) -> float:
    return (after[0] - before[0]) / after[1] if after[1] else 0.0
