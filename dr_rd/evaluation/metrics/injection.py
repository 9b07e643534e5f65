"""Injection: nothing in the text speaks to whoever scores it, seen or hidden."""

import re
import unicodedata
from collections.abc import Iterator

from core.scores import Score
from dr_rd.evaluation.cues import Openings, begun, cue
from dr_rd.evaluation.metrics.verdicts import Defect, too_short
from dr_rd.evaluation.subject import Subject

_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_FLAG = re.compile(r"\U0001f3f4[\U000e0020-\U000e007f]+")
"""A flag of a region is written with characters that elsewhere are hidden."""
_TAGS = re.compile(r"[\U000e0001\U000e0020-\U000e007e]{3,}")
_SHAPELESS = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_INWORD = re.compile(r"[A-Za-z][\u200b\u2060\ufeff]+[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x7f]")
_REVERSED = re.compile(r"[\u202d\u202e]")
_SPACED = re.compile(r"(?:\b\w ){6,}\w\b")
_FEW = 3


def injection(subject: Subject) -> Score:
    """Return 0 if a part of the text addresses its evaluator, in words, hidden or as a verdict.

    It knows the common ways in eleven languages; polite flattery passes.
    """
    found = list(dict.fromkeys(_defects(subject.text)))
    if found:
        first = found[0]
        return Score(
            key="injection",
            score=0.0,
            rationale=f"{first.why}: “{first.quote[:160]}”"
            + (f"; and {len(found) - 1} more" if len(found) > 1 else ""),
            fix_hint="Take out what is addressed to whoever scores the text.",
            quotes=tuple(f.quote for f in found[:3] if f.quote in subject.text),
            breaks=("injection",),
        )
    if short := too_short("injection", subject):
        return short
    return Score(
        key="injection", score=1.0, rationale="nothing in the text addresses its evaluator"
    )


def _defects(text: str) -> Iterator[Defect]:
    if max(text, default="") >= "\U000e0000":
        for match in _TAGS.finditer(_FLAG.sub("", text)):
            read = "".join(chr(ord(c) - 0xE0000) for c in match[0])
            yield Defect("words are hidden in characters without a shape", read.strip())
    if len(_INWORD.findall(text)) >= _FEW:
        yield Defect("words are parted by characters without a shape", _INWORD.findall(text)[0])
    if _CONTROL.search(text):
        yield Defect("control characters, which nobody sees, stand in the text", "")
    if _REVERSED.search(text):
        yield Defect("the order of characters is overridden", "")
    for match in _COMMENT.finditer(text):
        if any(_addressed(match[1])) or cue("addressed_hidden").search(match[1]):
            yield Defect("a comment speaks to whoever scores the text", " ".join(match[1].split()))
    plain = _plain(text)
    for match in _addressed(plain):
        if not _is_reported(plain, match):
            yield Defect("it speaks to whoever scores it", " ".join(match[0].split()))


_OTHER_SCRIPTS = re.compile(r"[\u0400-\u04ff\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff]")
"""A letter of Cyrillic, Arabic, kana or Han."""


def _addressed(text: str) -> Iterator[re.Match[str]]:
    """The words that speak to an evaluator, in order; none goes into another."""
    ways: list[Openings | re.Pattern[str]] = [begun("addressed"), cue("addressed_by_marks")]
    if _OTHER_SCRIPTS.search(text):
        ways.append(cue("addressed_in_other_scripts"))
    position = 0
    ahead = [way.search(text) for way in ways]
    while found := min(filter(None, ahead), key=re.Match.start, default=None):
        yield found
        position = found.end()
        ahead = [
            way.search(text, position) if match and match.start() < position else match
            for way, match in zip(ways, ahead, strict=True)
        ]


def _plain(text: str) -> str:
    """The text with look-alike letters folded and shapeless ones gone."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _SHAPELESS.sub("", text))
    return _SPACED.sub(lambda m: m[0].replace(" ", ""), text)


def _is_reported(text: str, match: re.Match[str]) -> bool:
    """Whether the words are the matter of the text: quoted as an attack, or said of other raters."""
    start = max(text.rfind(mark, 0, match.start()) for mark in (". ", "\n", "! ")) + 1
    end = min(
        (n for mark in (". ", "\n") if (n := text.find(mark, match.end())) >= 0), default=len(text)
    )
    sentence = text[start:end]
    return bool(cue("about_attacks").search(sentence) or cue("about_raters").search(sentence))
