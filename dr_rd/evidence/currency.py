"""Which document is live: what its name, first lines and later versions say about it."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath

from dr_rd.evidence.corpus import DocumentStatus
from dr_rd.evidence.dates import first_date
from dr_rd.evidence.extract import Extract, Heading
from dr_rd.evidence.near import alike, shingles
from dr_rd.evidence.words import sentences, words

_HEAD = 12
"""Blocks at the start that may speak about the document itself."""
_LINE = 160
"""Characters of a line that may; a longer one is prose about the subject."""
_COPY = 0.6
"""Share of common word runs from which two documents are editions of one text."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of one document's age and validity."""

    path: str
    title: str
    dated: date | None = None
    status: DocumentStatus = "live"
    signals: tuple[str, ...] = ()
    version: tuple[int, ...] = ()
    replaces: tuple[str, ...] = ()
    """What its first lines say it replaces, in their words."""
    points_to: tuple[str, ...] = ()
    """Where its first lines send the reader, in their words."""
    successor: int | None = None
    """The position of the document that holds in its stead."""

    def with_status(
        self, status: DocumentStatus, signal: str, by: int | None = None
    ) -> "Standing":
        """Return it with *status*, unless it has another one already, and with the *signal*."""
        return replace(
            self,
            status=self.status if self.status != "live" else status,
            signals=tuple(dict.fromkeys((*self.signals, signal))),
            successor=by if self.successor is None else self.successor,
        )


def standings(files: Sequence[tuple[str, Extract]]) -> list[Standing]:
    """Judge each of *files* (path and extract) by itself, then against the others."""
    alone = [_alone(path, extract) for path, extract in files]
    found = _by_version(_by_name(_by_pointer(alone)))
    return _successors(_by_likeness(found, [_prose(extract) for _, extract in files]))


def _prose(extract: Extract) -> str:
    """The text without table rows: two years' tables are alike, and both hold."""
    return "\n".join(b.text for b in extract.blocks if b.row is None)


# --- By itself -----------------------------------------------------------------------------

_STALE = (
    "superseded|obsolete|withdrawn|deprecated|outdated|replaced by|out of date|no longer valid|"
    "no longer current|no longer in force|no longer maintained|veraltet|ersetzt durch|überholt|"
    "obsolète|remplacée? par|obsoleto|obsoleta|sustituid[oa] por|reemplazad[oa] por|已废止|已作废|已过期"
)
_ARCHIVE = "archived|archive copy|archiviert|archivée?|archivad[oa]|已存档|存档"
_DRAFT = (
    r"draft|working draft|work in progress|not yet approved|unapproved|for comment only|entwurf|"
    r"brouillon|ébauche|borrador|草案|草稿"
)
_KINDS: tuple[tuple[DocumentStatus, str], ...] = (
    ("superseded", _STALE),
    ("archive", _ARCHIVE),
    ("draft", _DRAFT),
)
_LABEL = r"\W*(?:(?:document )?(?:status|state|note|notice|warning|important|stand)\W+)?"
_THIS = (
    r"\b(?:this|the present|dieses?|ce|cette|este|esta)\s+(?:\w+\s+){1,3}?"
    r"(?:(?:is|was|has been|ist|wurde|est|a été|ha sido|está)\s+)(?:now\s+|an?\s+|formally\s+)?"
)
_AFTER = r"(?=\W|$)"
_DRAFT_AFTER = r"(?=\W*$|\W+(?:for|version|copy|of|only|v?\d|not|do|[-–—])|[:;,.–—\]\)])"


def _statements(kind: DocumentStatus, phrases: str) -> re.Pattern[str]:
    after = _DRAFT_AFTER if kind == "draft" else _AFTER
    return re.compile(
        rf"^{_LABEL}(?:{phrases}){after}"
        rf"|{_THIS}(?:{phrases}){_AFTER}"
        rf"|[\[(](?:{phrases})[^\])]{{0,60}}[\])]"
        rf"|\s[-–—]\s(?:{phrases})$",
        re.IGNORECASE,
    )


_SAYS = tuple((kind, _statements(kind, phrases)) for kind, phrases in _KINDS)

_OF_PART = r"(?=\W*$|\W+(?:by|on|in|since|version|edition|values?|figures?|prices?|text|from)\b)"
_PARTS = tuple(
    (
        kind,
        re.compile(
            rf"^\W*(?:{phrases}){_OF_PART}|[\[(](?:{phrases})\b[^\])]{{0,60}}[\])]"
            rf"|\s[-–—:]\s(?:{phrases})$",
            re.IGNORECASE,
        ),
    )
    for kind, phrases in _KINDS
)
_CELL = tuple(
    (
        kind,
        re.compile(rf"(?:^|; )(?:status|state|validity|stand): (?:{phrases})\b", re.IGNORECASE),
    )
    for kind, phrases in _KINDS
)


def part_status(heading: Heading, text: str, *, is_row: bool) -> DocumentStatus:
    """Return the standing of a part: what its headings, its row or it itself says of it."""
    for kind, pattern in _PARTS:
        if any(pattern.search(h) for h in heading[1:] or heading):
            return kind
    if is_row:
        return next((kind for kind, pattern in _CELL if pattern.search(text)), "live")
    return "live"


_NAMES: tuple[tuple[DocumentStatus, frozenset[str]], ...] = (
    ("superseded", frozenset({"superseded", "obsolete", "withdrawn", "outdated", "deprecated"})),
    ("draft", frozenset({"draft", "drafts", "wip", "entwurf", "brouillon", "borrador"})),
    ("archive", frozenset({"archive", "archived", "archives", "retired", "attic"})),
)
_LAST_ONLY = frozenset({"old", "bak", "backup", "previous"})
"""Words that say "archive" at the end of a name; at its start they may describe the subject."""
_FRONT_STATUS: dict[str, DocumentStatus] = {
    "superseded": "superseded", "obsolete": "superseded", "withdrawn": "superseded",
    "deprecated": "superseded", "outdated": "superseded", "replaced": "superseded",
    "draft": "draft", "wip": "draft", "in review": "draft", "archived": "archive",
    "archive": "archive",
}  # fmt: skip


def _alone(path: str, extract: Extract) -> Standing:
    lines = _head_lines(path, extract)
    title = extract.title.strip() or _first_line(lines) or PurePosixPath(path).stem
    dated, date_signal = _dated(path, extract, title, lines)
    found = Standing(path, title, dated, signals=(date_signal,) if dated else ())
    for status, signal in (
        *_status_from_front_matter(extract),
        *_status_from_name(path),
        *_status_from_text(_own(extract, lines)),
    ):
        found = found.with_status(status, signal)
    version = (
        _version(extract.meta.get("version", ""), bare=True)
        or _version(PurePosixPath(path).stem)
        or _version(title)
    )
    return replace(
        found,
        version=version or next((v for line in lines if (v := _version(line, line=True))), ()),
        replaces=tuple(_replaced(extract, lines)),
        points_to=tuple(m.group(1) for line in lines if (m := _POINTS_TO.search(line))),
    )


def _own(extract: Extract, lines: Iterable[str]) -> Iterator[str]:
    """Those of *lines* that speak of the whole: a later heading speaks of its part."""
    headings = list(dict.fromkeys(b.heading[-1] for b in extract.blocks if b.heading))[1:]
    yield from (line for line in lines if line not in headings)


def _first_line(lines: Sequence[str]) -> str:
    """The first line, where it looks like a title: short, no sentence, no date."""
    line = lines[0] if lines else ""
    is_title = len(line) <= 90 and line[-1:] not in ".;,:!?" and not _states_date(line)
    return line if is_title else ""


def _head_lines(path: str, extract: Extract) -> list[str]:
    """The short lines at the start; neither rows of data nor the second sheet of a workbook."""
    is_data = PurePosixPath(path).suffix.lower() in _DATA
    head = [b for b in extract.blocks[:_HEAD] if not is_data or b.row is None]
    if is_data:
        head = [b for b in head if b.heading == head[0].heading]
    lines = (line.strip() for b in head for line in b.text.splitlines()[:_HEAD])
    return [line for line in lines if line and len(line) <= _LINE][:_HEAD]


_DATA = (".csv", ".tsv", ".xlsx")
"""Endings of files whose rows are data, and say nothing of the file."""


def _status_from_front_matter(extract: Extract) -> Iterator[tuple[DocumentStatus, str]]:
    stated = extract.meta.get("status", "").casefold()
    for word, status in _FRONT_STATUS.items():
        if re.match(rf"{word}\b", stated):
            yield status, f"its front matter says {stated!r}"
            return
    if extract.meta.get("superseded_by") or extract.meta.get("superseded-by"):
        yield "superseded", "its front matter names what replaces it"


def _status_from_name(path: str) -> Iterator[tuple[DocumentStatus, str]]:
    *folders, name = PurePosixPath(path).parts
    for folder in folders:
        if found := _name_status(_name_words(folder), all_words=True):
            yield found, f"it lies in a folder called {folder!r}"
    if found := _name_status(_name_words(PurePosixPath(name).stem), all_words=False):
        yield found, f"its file name is {name!r}"


def _name_status(tokens: list[str], *, all_words: bool) -> DocumentStatus | None:
    if all_words and len(tokens) > 3:
        return None
    ends = tokens if all_words else [*tokens[:1], *tokens[-1:]]
    for status, known in _NAMES:
        if known & set(ends):
            return status
    return "archive" if _LAST_ONLY & set(tokens if all_words else tokens[-1:]) else None


def _name_words(name: str) -> list[str]:
    """The words of a file's or folder's name, without numbers, versions and dates."""
    tokens = re.findall(r"[^\W\d_]+|\d+", _LETTER.sub(" ", name).casefold())
    return [t for t in tokens if not t.isdigit() and t not in _NOT_NAMES]


_NOT_NAMES = frozenset({"v", "ver", "version", "rev", "revision", "final", "copy", "of", "r"})


def _status_from_text(lines: Iterable[str]) -> Iterator[tuple[DocumentStatus, str]]:
    for line in lines:
        for status, pattern in _SAYS:
            match = pattern.search(line)
            if match and not re.search(r"\bnot\s+$", line[: match.start()]):
                yield status, f"it says {line[:80]!r}"


_DATE_LABEL = re.compile(
    r"^\W*(?:draft|entwurf|date|dated|issued?|published|publication|effective|in force|valid from|last|updated|"
    r"revised|revision|version|approved|adopted|signed|written|prepared|compiled|meeting|minutes|as of|as at|status|"
    r"stand|sitzung|datum|réunion|reunión|fecha|fait le|日期|更新|发布|修订)"
    r"|\b(?:issued|published|updated|revised|approved|adopted|in force from|effective from|valid from)"
    r"(?=\W+(?:\w+\W+){0,3}?(?:\d|19|20))",
    re.IGNORECASE,
)
_NOT_ITS_DATE = re.compile(
    r"\b(?:until|expires?|next review|due|deadline|supersedes?|superseded|replaces?|replaced|"
    r"between|born|since)\b",
    re.IGNORECASE,
)
_FRONT_DATES = (
    "date", "updated", "last-modified", "modified", "issued", "effective", "published",
    "dcterms.modified", "dcterms.date", "dc.date", "article:modified_time",
    "article:published_time",
)  # fmt: skip
_OWN_PROPERTIES = frozenset({"modified", "created"})


def _dated(
    path: str, extract: Extract, title: str, lines: Sequence[str]
) -> tuple[date | None, str]:
    """Find the day of issue: what the document states, its names, its properties, in order.

    Front matter is text that a person writes; the meta tags of a page are properties.
    """
    meta = extract.meta
    parts = PurePosixPath(path)
    ending = parts.suffix.lower()
    is_office = ending in (".pdf", ".docx", ".xlsx")
    front = [k for k in _FRONT_DATES if not (is_office and k in _OWN_PROPERTIES)]
    properties = [(meta.get(k, ""), f"its {k!r} property") for k in front]
    is_page = ending in (".html", ".htm")
    said = [line[a:b] for line in lines for a, b in sentences(line)]
    sources = [
        *(() if is_page else properties),
        *((line, f"it says {line[:60]!r}") for line in said if _states_date(line)),
        (parts.stem, f"its file name is {parts.name!r}"),
        (title, "its title"),
        *((folder, f"its folder is {folder!r}") for folder in reversed(parts.parts[:-1])),
        *(properties if is_page else ()),
        *((_pdf_date(meta.get(k, "")), "its properties") for k in ("modified", "created")),
    ]
    found = ((first_date(text), why) for text, why in sources if text)
    return next(((d, f"dated {d}: {why}") for d, why in found if d), (None, ""))


def _states_date(line: str) -> bool:
    if _NOT_ITS_DATE.search(line):
        return False
    if _DATE_LABEL.search(line):
        return first_date(line) is not None
    return len(words(line)) <= 5 and first_date(line, bare_year=False) is not None


def _pdf_date(value: str) -> str:
    match = re.match(r"D:(\d{4})(\d\d)(\d\d)", value)
    return "-".join(match.groups()) if match else value


_VERSION = re.compile(
    r"(?:^|[\W_])(?:v|ver|version|rev|revision)[\s._-]?(\d+(?:\.\d+)*)(?![\d.])", re.I
)
_LETTER = re.compile(r"(?:^|[\W_])[Rr]ev(?:ision|\.)?[\s._-]([A-Z])(?![\w.]*\w)")


def _version(text: str, *, bare: bool = False, line: bool = False) -> tuple[int, ...]:
    if line and not re.match(r"\W*(?:document )?(?:version|revision|rev|v)\b", text, re.I):
        return ()
    match = re.match(r"v?(\d+(?:\.\d+)*)$", text) if bare else _VERSION.search(text)
    if match is None and (letter := _LETTER.search(text)):
        return (ord(letter.group(1)) - ord("A") + 1,)
    return tuple(int(n) for n in match.group(1).split(".")) if match else ()


_REPLACES = re.compile(
    r"\b(?:supersedes|replaces|supersedes and replaces|ersetzt(?! durch)|remplace|sustituye)\s+"
    r"(.{3,120})",
    re.IGNORECASE,
)


_POINTS_TO = re.compile(
    r"\b(?:(?:replaced|superseded) by|see|see now|see instead|now in|ersetzt durch|siehe|"
    r"remplacée? par|voir|sustituid[oa] por|véase)\s+(.{3,120})",
    re.IGNORECASE,
)


def _replaced(extract: Extract, lines: Iterable[str]) -> Iterator[str]:
    yield from (extract.meta[k] for k in ("supersedes", "replaces") if k in extract.meta)
    yield from (m.group(1) for line in lines if (m := _REPLACES.search(line)))


# --- Against the others --------------------------------------------------------------------


def _by_pointer(found: Sequence[Standing]) -> list[Standing]:
    """Name the document that a stale one itself sends its readers to."""
    result = list(found)
    for n, older in enumerate(found):
        if older.status == "live":
            continue
        for i, newer in enumerate(found):
            named = set(_title_words(newer.title))
            if i != n and len(named) > 1 and any(named <= set(words(p)) for p in older.points_to):
                result[n] = replace(older, successor=i)
    return result


def _title_words(title: str) -> list[str]:
    return [w for w in words(title) if w not in _NOT_NAMES and not w.isdigit()]


def _by_name(found: Sequence[Standing]) -> list[Standing]:
    """Supersede what another document says it replaces."""
    result = list(found)
    speakers = [(n, s, phrase) for n, s in enumerate(found) for phrase in s.replaces]
    for n, newer, phrase in speakers:
        for i, older in enumerate(found):
            if i != n and newer.status == "live" and _means(phrase, older, newer):
                why = f"{newer.path} says it replaces it"
                result[i] = result[i].with_status("superseded", why, n)
    return result


def _means(phrase: str, older: Standing, newer: Standing) -> bool:
    """Whether *phrase*, from *newer*, names *older*: by file, by title, or by version or year."""
    name = PurePosixPath(older.path)
    if name.name.casefold() in phrase.casefold():
        return True
    if not set(_keys(older)) & set(_keys(newer)):
        title = set(words(older.title))
        return len(title) >= 3 and title <= set(words(phrase))
    year = str(older.dated.year) if older.dated else "none"
    return year in phrase or (bool(older.version) and _version(phrase) == older.version)


def _keys(standing: Standing) -> tuple[Hashable, ...]:
    """What editions of one document share: their file name or title, without the numbers."""
    statuses = frozenset().union(_LAST_ONLY, *(known for _, known in _NAMES))
    names = (PurePosixPath(standing.path).stem, standing.title)
    keys = (tuple(t for t in _name_words(n) if t not in statuses) for n in names)
    return tuple(key for key in keys if key)


def _groups(found: Sequence[Standing]) -> Iterator[list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for i, standing in enumerate(found):
        for key in dict.fromkeys(_keys(standing)):
            groups[key].append(i)
    yield from (g for g in groups.values() if len(g) > 1)


def _by_version(found: Sequence[Standing]) -> list[Standing]:
    """Supersede every version that a higher live one of the same name has."""
    result = list(found)
    for group in _groups(found):
        live = [i for i in group if found[i].version and found[i].status == "live"]
        latest = max(live, key=lambda i: found[i].version, default=None)
        for i in group:
            if latest is not None and () < found[i].version < found[latest].version:
                why = f"{found[latest].path} is a later version"
                result[i] = result[i].with_status("superseded", why, latest)
    return result


def _by_likeness(found: Sequence[Standing], texts: Sequence[str]) -> list[Standing]:
    """Supersede the older of two live documents that are nearly one text."""
    result = list(found)
    for a, b in alike([shingles(t) for t in texts], _COPY):
        first, second = found[a].dated, found[b].dated
        if first and second and first != second:
            older, newer = (a, b) if first < second else (b, a)
            if (result[older].status, result[newer].status) == ("live", "live"):
                why = f"{found[newer].path} of {found[newer].dated} says nearly the same"
                result[older] = result[older].with_status("superseded", why, newer)
    return result


def _successors(found: Sequence[Standing]) -> list[Standing]:
    """Name a live edition of each document that is not live, where its successor is not."""
    result = list(found)
    for group in _groups(found):
        live = [i for i in group if found[i].status == "live"]
        newest = max(live, key=lambda i: found[i].dated or date.min, default=None)
        for i in group:
            known = result[i].successor
            if found[i].status != "live" and (known is None or found[known].status != "live"):
                result[i] = replace(result[i], successor=newest)
    return result
