"""What a check finds: a verdict, why, and the sentence that decides it."""

from dataclasses import dataclass
from typing import Literal

from dr_rd.text import Sentence

Verdict = Literal["met", "violated", "promised", "unclear", "not_shown", "not_checkable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    verdict: Verdict
    reason: str
    sentence: Sentence | None = None
