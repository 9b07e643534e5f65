"""Citations: each one leads to a source, each source is used, and what is claimed of others cites."""

import re
from collections.abc import Iterator, Sequence

from core.scores import Score
from dr_rd.evaluation.cues import cue
from dr_rd.evaluation.metrics.verdicts import not_applicable, share
from dr_rd.evaluation.sentences import Segment
from dr_rd.evaluation.subject import Subject

_GROUP = re.compile(
    r"\[((?:[A-Z]{0,2}\d{1,4}(?:-\d{1,3})?)(?:\s?[,;–-]\s?[A-Z]{0,2}\d{1,4})*)(?:,\s[^\]\d][^\]]*)?\](?!\()"
)
_ID = re.compile(r"[A-Z]{0,2}\d{1,4}(?:-\d{1,3})?")
_ENTRY = re.compile(r"\[(?P<id>[A-Z]{0,2}\d{1,4})\][:.]?\s+\S")
_NUMBERED = re.compile(r"^[ \t]*\(?(?P<id>\d{1,3})[.)]\s+\S", re.MULTILINE)
_AUTHOR = re.compile(
    r"\b(?P<name>[A-Z][^\W\d_A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?)"
    r"(?: (?:et al\.?|(?:and|&) [A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?))?,? \(?(?P<year>(?:19|20)\d\d)[a-z]?(?=[);,])"
)
_DOI = re.compile(
    r"(?:\bdoi:\s?|\bDOI\s|https?://(?:dx\.)?doi\.org/)(?P<doi>[^\s)\]>,;]+)", re.IGNORECASE
)
_VALID = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"<>]*[^\s\"<>.]\.?$")
_INTERVAL = re.compile(
    r"(?:\b(?:CI|interval|range|in|from|between|∈|=|score|scale)\s?|[\w)\]])$", re.IGNORECASE
)


def citations(subject: Subject) -> Score:
    """Share of the citations, sources and claims about other work that are in order.

    A text that cites nothing scores 0 where evidence belongs into it, unless it says so. That a
    source says what it is cited for it cannot see; support does.
    """
    checks = [*_checks(subject)]
    if not checks or _unread(subject):
        return _without(subject)
    faults = [(why, quote) for why, quote in checks if why]
    return share(
        "citations", len(checks) - len(faults), len(checks), "citations and sources are in order",
        [why for why, _ in faults], "Cite a source that exists, or leave the statement out.",
        [quote for _, quote in faults],
    )  # fmt: skip


def _unread(subject: Subject) -> bool:
    """Whether documents were given, and the text cites its calculations at most."""
    given = bool(subject.corpus and subject.corpus.passages) and _belongs(subject)
    return given and not any(
        _AUTHOR.search(s.text) or _DOI.search(s.text) or any("-" not in i for i in _ids(s))
        for s in subject.sentences
    )


def _belongs(subject: Subject) -> bool:
    """Whether evidence belongs into a text of this kind."""
    return any("evidence" in s.title.lower() for s in subject.template)


def _without(subject: Subject) -> Score:
    if not _belongs(subject) or cue("no_sources").search(subject.visible):
        return not_applicable("citations", "the text cites nothing and claims nothing of others")
    why = "the text cites no source and does not say that there is none"
    hint = "Cite what the plan rests on, or say that no source was given."
    return Score(key="citations", score=0.0, rationale=why, fix_hint=hint)


def _checks(subject: Subject) -> Iterator[tuple[str, str]]:
    """For each thing to check what is wrong with it, "" if nothing, and the words."""
    entries, body = _split_reference_list(subject)
    cited: dict[str, str] = {}
    for sentence in body:
        ids = list(_ids(sentence))
        for found in () if not ids or cue("legend").search(sentence.text) else ids:
            cited.setdefault(found, sentence.text)
    numbered = any(e.isdigit() for e in entries)
    for found, quote in cited.items():
        if found.isdigit() and not numbered and len(cited) < 2 and not entries:
            yield (f"[{found}] leads to no source in the text", quote)
        elif (known := _is_known_id(found, entries, subject)) is not None:
            yield ("" if known else f"[{found}] leads to no source", quote)
    for entry, line in entries.items():
        yield ("" if entry in cited else f"source [{entry}] is cited nowhere", line)
    if not cited and not cue("no_sources").search(subject.visible):
        yield from _unused(subject, entries)
    yield from _authors(subject, body)
    yield from _dois(subject)
    yield from _claims(body)


def _split_reference_list(subject: Subject) -> tuple[dict[str, str], list[Segment]]:
    """The sources that the text lists, by id, and the sentences outside of that list."""
    entries: dict[str, str] = {}
    body = []
    for sentence in subject.sentences:
        found = _ENTRY.match(sentence.text) if sentence.kind in ("item", "prose") else None
        sources = bool(cue("sources").search(sentence.heading))
        if found and (sources or sentence.text.startswith("[")) and found["id"] not in entries:
            entries[found["id"]] = sentence.text
        elif (
            sources
            and sentence.kind == "item"
            and (
                number := _NUMBERED.match(
                    subject.visible[subject.visible.rfind("\n", 0, sentence.start) + 1 :][:80]
                )
            )
            and _DATED.search(sentence.text)
        ):
            entries[number["id"]] = sentence.text
        elif sentence.kind != "heading":
            body.append(sentence)
    return entries, body


def _unused(subject: Subject, entries: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Listed sources without an id, of a text that names none of them."""
    body = "\n".join(s.text for s in subject.sentences if not cue("sources").search(s.heading))
    for sentence in subject.sentences:
        listed = sentence.kind == "item" and cue("sources").search(sentence.heading)
        if not listed or not _DATED.search(sentence.text) or sentence.text in entries.values():
            continue
        named = any(m["name"] in sentence.text for m in _AUTHOR.finditer(body))
        why = "" if named else f"source “{sentence.text[:60]}” is cited nowhere"
        yield why, sentence.text


_DATED = re.compile(r"\b(?:19|20)\d\d\b|https?://|doi", re.IGNORECASE)


def _ids(sentence: Segment) -> Iterator[str]:
    if "[" not in sentence.text:
        return
    for match in _GROUP.finditer(sentence.text):
        before = sentence.text[: match.start()]
        inner = _ID.findall(match[1])
        if all(i.isdigit() for i in inner) and (
            _INTERVAL.search(before[-10:]) or "0" in inner or any(int(i) > 999 for i in inner)
        ):
            continue
        spans = re.fullmatch(r"(\d+)\s?[-–]\s?(\d+)", match[1])
        if spans and int(spans[1]) < int(spans[2]) < int(spans[1]) + 50:
            yield from (str(n) for n in range(int(spans[1]), int(spans[2]) + 1))
        else:
            yield from inner


def _is_known_id(found: str, entries: dict[str, str], subject: Subject) -> bool | None:
    """Whether an id leads somewhere; None if it is of a kind that is not looked up here."""
    if found in entries:
        return True
    if "-" in found:
        return found in subject.computed if subject.computed else None
    if found.startswith("E"):
        if subject.corpus is not None:
            return found in subject.corpus.passage_by_id
        return False
    if found[0].isalpha():
        defined = any(
            s.kind == "row" and s.text.lstrip("| ").startswith(found) for s in subject.sentences
        )
        return None if not defined else True
    return False


_UNVERIFIED = ", unverified"
"""What a text says of a work that it names and nobody looked up."""


def _authors(subject: Subject, body: Sequence[Segment]) -> Iterator[tuple[str, str]]:
    """Author and year, looked up in the list of sources."""
    listed = [s.text for s in subject.sentences if cue("sources").search(s.heading)]
    seen: set[tuple[str, str]] = set()
    for sentence in body:
        if cue("sources").search(sentence.heading):
            continue
        for match in _AUTHOR.finditer(sentence.text):
            key = (match["name"], match["year"])
            said = sentence.text[match.end() : match.end() + len(_UNVERIFIED)]
            if key in seen or said == _UNVERIFIED or cue("no_author").fullmatch(match["name"]):
                continue
            seen.add(key)
            known = any(match["name"] in t and match["year"] in t for t in listed)
            yield (
                "" if known else f"“{match['name']} {match['year']}” is in no list of sources",
                sentence.text,
            )


def _dois(subject: Subject) -> Iterator[tuple[str, str]]:
    for match in _DOI.finditer(subject.visible):
        good = _VALID.match(match["doi"])
        yield ("" if good else f"“{match['doi']}” is no DOI", match[0])


def _claims(body: Sequence[Segment]) -> Iterator[tuple[str, str]]:
    """Sentences that say what others found; each must say who."""
    for sentence in body:
        if (
            sentence.kind == "row"
            or not cue("claims").search(sentence.text)
            or cue("sources").search(sentence.heading)
        ):
            continue
        if cue("no_claim").search(sentence.text):
            continue
        cites = (
            _GROUP.search(sentence.text)
            or _AUTHOR.search(sentence.text)
            or _DOI.search(sentence.text)
            or re.search(r"https?://|\[\^", sentence.text)
        )
        yield ("" if cites else f"“{sentence.text[:100]}” cites nobody", sentence.text)
