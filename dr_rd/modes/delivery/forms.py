"""The form of a limit, and the test that a form asks for, filled from the plan."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal

from pydantic import Field, field_validator

from core.graph.state import GraphTask
from core.values import Frozen
from dr_rd.modes.delivery.wording import data, phrases, stems

_ENDS = (
    r"with|at|on|per|in|from|across|for|of|before|after|to|using|during|and|or|the|above|below|aged|"
    r"including|not|each"
)
_BOUND = re.compile(
    r"(?P<how>at least|minimum(?: of)?|no more than|more than|not exceed|at most|exactly|between|"
    r"up to|beyond(?: the specified)?|longer than|fewer than|less than|under|above|over|exceeds?|"
    r"capped at|maximum(?: of)?)?\s*"
    r"(?P<figure>(?:\b(?:p|alpha))? ?[<≤=>≥]? ?[£$€]?(?<![\w.-])\+?\d[\d.,:]*[kMG]?)"
    r"(?:\s*(?:to|and|-|–)\s*(?P<to>\d[\d.,:]*[kMG]?)|\s*(?P<by>\+/-\s*[\d.]+))?"
    r"(?P<unit>\s?%|\s?percent)?"
    rf"(?P<noun>[ -]°?[A-Za-z][\w-]*(?:\s+(?!(?:{_ENDS})\b)[a-z][\w-]*){{0,3}})?"
    r"(?P<or>\s+or\s+(?:better|more|less|fewer|higher|lower|later|earlier)\b)?",
    re.IGNORECASE,
)
_SIGN = {
    "at least": "≥", "minimum": "≥", "minimum of": "≥", "no more than": "≤", "at most": "≤",
    "up to": "≤", "capped at": "≤", "maximum": "≤", "maximum of": "≤", "not exceed": "≤",
    "under": "<", "fewer than": "<", "less than": "<", "more than": ">", "above": ">",
    "over": ">", "beyond": ">", "longer than": ">", "exceed": ">", "exceeds": ">", "exactly": "=", 
}  # fmt: skip
_TURNED = {">": "≤", "≥": "<", "<": "≥", "≤": ">"}
_CUT = re.compile(rf"\s(?:{_ENDS})\b.*")
_LATER = re.compile(r"\b(?:before|prior to)\s+(?:the\s+|any\s+)?(.+?)(?:[,;(]|$)", re.IGNORECASE)
_EARLIER = re.compile(r"\bafter\s+(?:the\s+|any\s+)?(.+?)(?:[,;(]|$)", re.IGNORECASE)
_EXAMPLE = re.compile(r"\s*\((?:e\.?g|i\.?e)\b[^)]*\)", re.IGNORECASE)
_BEGINS = re.compile(r"\s+(?:begins?|starts?|takes? place)$", re.IGNORECASE)
_PER = re.compile(
    r"\bper ([a-z]+(?: [a-z]+)?)(?= of\b|[,;]|$)|^(?:all )?([a-z]+)s (?:aged|must|are)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"^(?:must )?(?:reports?|includes?|provides?|identif(?:y|ies)|performs?|demonstrates?(?: that)?|"
    r"obtains?)\s+",
    re.IGNORECASE,
)
"""With what a limit says that something is to be there."""
_INTERVAL = re.compile(r"\b(?:intervals?|confidence|error bars?)\b", re.IGNORECASE)
_ABOUT: Mapping[str, re.Pattern[str]] = {
    "absence": re.compile(
        r"^(?:no|not|without|never)\s+([^;]+?)(?:,? (?:permitted|allowed|offered|only)\b[^;]*)?(?:;|$)"
        r"|\bmust not\s+([^;]+)",
        re.IGNORECASE,
    ),
    "adjustment": re.compile(
        r"\bwhether (.+?) confounds\b|\b(?:for|from) [^;]*\bsuch as (.+)"
        r"|\b(?:for(?: at least)?|from) (.+?)"
        r"(?: (?:using|by|in|within|with|through|across)\b|[;(]|$)",
        re.IGNORECASE,
    ),
    "definition": re.compile(
        r"^(.+?) (?:is|must be|are)\b|^(?:must )?defines? (?:an? |one |the )?(?:clear |single )*(.+?)"
        r"(?: for\b| measurable\b|[,;(]|$)|^(.+?) defined as\b",
        re.IGNORECASE,
    ),
    "source": re.compile(r"\bus(?:e[sd]?|ing)\s+(?:only\s+)?([^,;]+)", re.IGNORECASE),
    "equality": re.compile(
        r"\b(?:same|identical|equal|constant|consistent) (?!across|in|for|between|to|over|and)"
        r"([a-z][\w-]*(?: (?!taught|and|in|for|across|between)[a-z][\w-]*){0,4})"
        r"|(?:number of )?([a-z][\w-]*(?: [a-z][\w-]*){0,3}?)(?: must be| are| is)? "
        r"(?:identical|equal|constant|consistent)\b(?=\s+(?:across|in|for|between|over|to|and)\b|[,;]|$)",
        re.IGNORECASE,
    ),
}
"""What a limit of a form is about, by the words that the form hangs on."""
_BESIDE = re.compile(
    r"\s(?:instead of|rather than|for|to (?!include|cover|add)\w+)\s.*", re.IGNORECASE
)
_IS = re.compile(
    r"\b(?:must be|defined as|limited to|restricted to|by|is|using|uses?|only|exclusively|measured using)\s+"
    r"(?:only\s+)?(.+)",
    re.IGNORECASE,
)
_NOT = re.compile(r"[,;]\s*(?:and\s+)?(?:not|no)\s+(.+)", re.IGNORECASE)
_SHORT = re.compile(
    r"\s(?:with|that|which|plus|in which|for the|holding|showing|of which|comparing|at|by|under|in)\b|[;:(]"
)
_FEWEST = 3
"""Words, with its article, from which on what stands before a comma is a name."""


class Form(Frozen):
    """A kind of statement and its test."""

    form: str
    pattern: str
    kinds: tuple[str, ...] = ()
    """The kinds of limit that it is for; empty is every kind."""
    runs_on: Literal["rows", "analysis", ""] = ""
    """What it needs: the rows of a table, or a model that was fitted; "" for any document."""
    test: str = Field(min_length=20)

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        re.compile(pattern)
        return pattern

    def fits(self, kind: str, text: str) -> bool:
        """Whether a limit of that kind with those words has this form."""
        right = not self.kinds or kind in self.kinds
        return right and re.search(self.pattern, text, re.IGNORECASE) is not None


@cache
def forms() -> tuple[Form, ...]:
    """Return every form, the one that is tried first before the others."""
    return tuple(Form.model_validate(entry) for entry in data("forms.yaml"))


def form_of(kind: str, text: str) -> Form:
    """Return the form of a limit; the last fits any."""
    return next(f for f in forms() if f.fits(kind, _EXAMPLE.sub("", text)))


_ROWS = re.compile(
    r"\b(?:tables?|registers?|lists?|logs?|data ?sets?|data|panels?|records?|samples?(?!-size)|inventor(?:y|ies)|files?|databases?|extracts?"
    r"|matri(?:x|ces))\b",
    re.IGNORECASE,
)
"""Deliverables that have rows; a memo, a protocol and a statement have none."""
_WITH_ROWS = ("sourcing", "pilot", "execution", "processing")


def where_run(
    form: Form,
    text: str,
    owner: GraphTask,
    later: Sequence[GraphTask],
    *,
    earlier: Sequence[GraphTask] = (),
    unit: str = "",
) -> GraphTask:
    """Return the task on whose deliverable a test can be run: the owner, one *later* or *earlier*.

    What needs rows is run on the first table that says what the limit is about, or that has a row
    for each *unit* where one is looked at after the other, else on the first table; what needs a
    model, on the analysis.
    """
    if form.runs_on == "analysis":
        return next((t for t in (owner, *later) if t.phase == "analysis"), owner)
    if not form.runs_on or _ROWS.search(short_name(owner)):
        return owner
    tables = [t for t in later if _has_rows(t)] or [t for t in earlier if _has_rows(t)]
    about = stems(text) | (stems(unit) if form.form == "measure" else frozenset())
    named = (t for t in tables if about & (stems(t.deliverable) | stems(t.title)))
    return next(named, next(iter(tables), owner))


def _has_rows(task: GraphTask) -> bool:
    return task.phase in _WITH_ROWS and _ROWS.search(short_name(task)) is not None


def short_name(task: GraphTask) -> str:
    """Return what a task hands over, in a few words: "the site register of T05"."""
    head = _SHORT.split(task.deliverable.strip(), maxsplit=1)[0].rstrip(".")
    first, _, rest = head.partition(",")
    words = (head if len(first.split()) < _FEWEST and rest else first).split()
    if words and words[0].lower() in ("a", "an", "the"):
        words = words[1:]
    name = " ".join(words) or "result"
    return f"the {name if name[:2].isupper() else name[:1].lower() + name[1:]} of {task.id}"


def bounds(text: str, *, banned: bool = False) -> str:
    """Return a text's figures with their bounds as signs: "≥ 8 paired sites and ≥ 2 classes".

    Of what is *banned* the bound is turned round.
    """
    found: list[str] = []
    bare: list[str] = []
    for match in _BOUND.finditer(text):
        sign = _SIGN.get((match["how"] or "").lower().removesuffix(" the specified"), "")
        figure = match["figure"].strip().rstrip(".,")
        to, by = match["to"], match["by"]
        figure += f" to {to.rstrip('.,')}" if to else f" {by}" if by else ""
        what = figure + (match["unit"] or "") + _CUT.sub("", match["noun"] or "").rstrip(".,")
        what += match["or"] or ""
        (found if sign or match["noun"] or figure[0].isalpha() else bare).append(
            f"{_TURNED.get(sign, sign) if banned else sign} {what}".strip()
        )
    return " and ".join(dict.fromkeys(found or bare))


def distinct_phrases(text: str, common: Collection[str]) -> tuple[str, ...]:
    """Return the phrases that say more than what is *common*, in their order."""
    return tuple(p for p in phrases(text) if stems(p) - set(common))


def named_things(text: str, common: Collection[str]) -> tuple[str, ...]:
    """Return the phrases by which a limit names what it is about, not what that is for."""
    short = _BESIDE.sub("", text)
    return (
        distinct_phrases(short, common)
        or distinct_phrases(text, common)
        or phrases(text)
        or (text,)
    )


def test_text(
    form: Form,
    kind: str,
    text: str,
    task: GraphTask,
    *,
    common: Collection[str],
    more: Mapping[str, str],
) -> str:
    """Return the test of a form for a limit, to be run on what *task* hands over."""
    plain = _EXAMPLE.sub("", text).strip().rstrip(".")
    bare = _NOT.split(plain)[0]
    own = named_things(bare, common)
    later, earlier = _LATER.search(plain), _EARLIER.search(plain)
    thing = _thing(form, plain, own)
    if later and form.form == "order":
        head = plain[: later.start()]
        thing = next(iter((*distinct_phrases(head, common), *phrases(head))), thing)
    after = _BEGINS.sub("", later[1]) if later else "results"
    if earlier and not later:
        thing, after = earlier[1], thing
    elif not later and form.form == "order":
        thing = "its registration"
    is_, not_ = _IS.search(bare), _NOT.search(plain)
    yes = (is_[1] if is_ else bare).strip().removeprefix("by ")
    each = _PER.search(plain) if form.form == "measure" else None
    values = {
        "doc": short_name(task),
        "said": _SHOWS.sub("", plain),
        "thing": thing,
        "bound": bounds(plain, banned=kind == "ban") or f"“{thing}”",
        "words": ", ".join(f"“{p}”" for p in own[:4]),
        "later": after.rstrip(".").removeprefix("first "),
        "bare": bare,
        "yes": thing if form.form == "source" else yes.removesuffix(" only"),
        "not": f"“{not_[1].strip().rstrip('.')}”" if not_ else "anything else",
        **more,
        **({"unit": (each[1] or each[2]).lower()} if each else {}),
    }
    return form.test.format_map(values)


def _thing(form: Form, text: str, own: Sequence[str]) -> str:
    """Return what a limit is about, as the test of its form names it."""
    found = _ABOUT[form.form].search(text) if form.form in _ABOUT else None
    if found:
        return next(part for part in found.groups() if part).strip(" ,;.").removesuffix(" only")
    spoken = phrases(text)
    if form.form == "interval":
        return next((p for p in spoken if not _INTERVAL.search(p)), "what is estimated")
    if form.form == "method":
        return next(iter(spoken), text)
    return max(own[:2], key=lambda phrase: len(phrase.split()))
