"""Changes to a proposal's text: pure functions of the text, and of a seeded generator.

A function that finds nothing to change returns the text as it is.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from random import Random

_SECTION = re.compile(r"^## .+$", re.MULTILINE)
_TIMES = re.compile(r"(?P<unit>weeks?|months?) (?P<from>\d+)(?:–(?P<to>\d+))?")
_ID = re.compile(r"\b[A-Z]{1,2}\d\b")
_CITATION = re.compile(r" \[(E\d+)\]")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")

# --- Sections


def sections(text: str) -> tuple[str, tuple[str, ...]]:
    """Cut a text into what stands before its first section, and its sections."""
    starts = [m.start() for m in _SECTION.finditer(text)]
    ends = [*starts[1:], len(text)]
    return text[: starts[0]], tuple(text[a:b] for a, b in zip(starts, ends, strict=True))


def heading(section: str) -> str:
    """Return the first line of a section."""
    return section.split("\n", 1)[0]


def chosen(text: str, count: int, rng: Random) -> tuple[str, ...]:
    """Draw headings; more of them with the same seed hold the fewer ones."""
    heads = [heading(s) for s in sections(text)[1]]
    rng.shuffle(heads)
    return tuple(heads[:count])


def deleted(text: str, heads: Sequence[str]) -> str:
    """Take sections out."""
    return _each(text, heads, lambda _: "")


def blanked(text: str, heads: Sequence[str]) -> str:
    """Keep the headings of sections and nothing below them."""
    return _each(text, heads, lambda s: f"{heading(s)}\n\n")


def same_below(text: str, heads: Sequence[str]) -> str:
    """Put one body, that of the first section, below all headings named."""
    body = sections(text)[1][0].split("\n", 1)[1]
    return _each(text, heads, lambda s: f"{heading(s)}\n{body}")


def shuffled_sections(text: str, rng: Random) -> str:
    """Put the sections in another order."""
    before, parts = sections(text)
    parts = tuple(p.rstrip("\n") + "\n\n" for p in parts)
    return before + "".join(rng.sample(parts, len(parts)))


def _each(text: str, heads: Sequence[str], change: Callable[[str], str]) -> str:
    before, parts = sections(text)
    return before + "".join(change(p) if heading(p) in heads else p for p in parts)


def _within(text: str, title: str, change: Callable[[str], str]) -> str:
    """Change the section whose heading names *title*."""
    return _each(text, [heading(s) for s in sections(text)[1] if title in heading(s)], change)


# --- Figures


def rescaled(text: str, factor: float) -> str:
    """Multiply the first number of a phrase and write it as it was written."""
    found = _NUMBER.search(text)
    if not found:
        return text
    mark = "." if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", found[0]) else ","
    plain = float(found[0].replace(mark, "")) * factor
    shown = f"{plain:,.0f}" if plain >= 1 else f"{plain:.2f}"
    shown = shown if mark in found[0] else shown.replace(",", "")
    return text[: found.start()] + shown.replace(",", mark) + text[found.end() :]


def restated(text: str, statement: str, factor: float = 1.5) -> str:
    """State a quantity again, under the schedule, with another value."""
    more = f"{rescaled(statement, factor)}.\n\n"
    return _within(text, "Schedule", lambda s: s.rstrip("\n") + " " + more)


def misstated(text: str, statement: str, factor: float = 1.5) -> str:
    """Change a quantity where it is stated by name; other mentions stay."""
    return text.replace(statement, rescaled(statement, factor), 1)


def total_off(text: str, factor: float) -> str:
    """Make the budget's total wrong and leave its lines."""
    line = re.compile(r"^(?:\| |- )Total.*$", re.MULTILINE)
    return _within(text, "Budget", lambda s: line.sub(lambda m: rescaled(m[0], factor), s))


def share_off(text: str, share: str, points: int) -> str:
    """Add percentage points to one of the parts of a whole."""
    if not share:
        return text
    more = re.sub(r"([\d.]+)(?= %)", lambda m: f"{float(m[1]) + points:g}", share, count=1)
    return text.replace(share, more, 1)


# --- The work plan


def late(text: str) -> str:
    """Let the last task end long after the time there is."""
    return _task(text, -1, lambda row: _last_time(row, 30))


def ring(text: str) -> str:
    """Let the first task wait for the last."""
    last = _ids(text)[-1]
    return _task(
        text,
        0,
        lambda row: (
            row.replace("| – |", f"| {last} |", 1)
            if "|" in row
            else _TIMES.sub(lambda m: f"{m[0]}, after {last}", row, count=1)
        ),
    )


def dangling(text: str) -> str:
    """Let the last task wait for one that is not in the plan."""
    return _task(
        text, -1, lambda row: re.sub(r"\b([A-Z]{1,2})\d\b(?!.*\b\1\d\b)", r"\g<1>49", row)
    )


def _rows(section: str) -> list[str]:
    return [r for r in section.splitlines() if re.match(r"(?:\| |- |\d\. )[A-Z]{1,2}\d\b", r)]


def _ids(text: str) -> list[str]:
    part = next(s for s in sections(text)[1] if "Work plan" in heading(s))
    return [found[0] for row in _rows(part) if (found := _ID.search(row))]


def _task(text: str, place: int, change: Callable[[str], str]) -> str:
    def changed(section: str) -> str:
        row = _rows(section)[place]
        return section.replace(row, change(row))

    return _within(text, "Work plan", changed)


def _last_time(row: str, more: int) -> str:
    if "|" in row and not _TIMES.search(row):
        return re.sub(r"\d+(?=\D*$)", lambda m: str(int(m[0]) + more), row)
    times = list(_TIMES.finditer(row))[-1]
    end = int(times["to"] or times["from"]) + more
    begin = f"{times['unit']} {times['from']}" if times["to"] else times["unit"]
    said = f"{begin}–{end}" if times["to"] else f"{begin} {end}"
    return row[: times.start()] + said + row[times.end() :]


# --- Citations


def number_altered(text: str, rng: Random) -> str:
    """Change a number in one of the sentences that cite."""
    parts = re.split(r"(?<=\]\. )", text)
    places = [n for n, p in enumerate(parts) if re.search(r"\d.* \[E\d+\]\. $", p)]
    if not places:
        return text
    place = rng.choice(places)
    head, _, sentence = parts[place].rpartition("\n")
    parts[place] = f"{head}\n" * bool(head) + rescaled(sentence, 3)
    return "".join(parts)


def citations_swapped(text: str) -> str:
    """Let each cited sentence cite what the next one cites."""
    ids = _CITATION.findall(text)
    turned = iter([*ids[1:], *ids[:1]])
    return _CITATION.sub(lambda _: f" [{next(turned)}]", text)


def citations_stripped(text: str) -> str:
    """Leave all citations out."""
    return _CITATION.sub("", text)


def citation_invented(text: str) -> str:
    """Cite evidence that does not exist."""
    return _CITATION.sub(" [E777]", text, count=1)


# --- The same in other words


SYNONYMS = {
    "because": "since",
    "set aside": "discarded",
    "approximately": "about",
    "takes": "needs",
    "whether": "if",
    "so that": "such that",
    "lasts": "runs for",
    "fewer than": "less than",
    "begins": "starts",
    "is paid": "receives",
    "each": "every",
    "Owner": "Responsible",
}


def synonyms(text: str) -> str:
    """Put other words for common ones."""
    for word, other in SYNONYMS.items():
        text = re.sub(rf"\b{word}\b", other, text)
    return text


def starred(text: str) -> str:
    """Mark list items with a star."""
    return re.sub(r"^- ", "* ", text, flags=re.MULTILINE)


def deeper(text: str) -> str:
    """Put all sections one level lower."""
    return re.sub(r"^## ", "### ", text, flags=re.MULTILINE)


def plain_thousands(text: str) -> str:
    """Write 55,000 as 55000."""
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def spaced_thousands(text: str) -> str:
    """Write 55,000 with a narrow space that does not break."""
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "\u202f", text)


def currency_first(text: str) -> str:
    """Write 55,000 EUR as EUR 55,000."""
    return re.sub(r"\b(\d[\d,.]*\d) (EUR|USD|GBP|CHF)\b", r"\2 \1", text)


def percent_signs(text: str) -> str:
    """Write 40 percent as 40%."""
    return re.sub(r"(?<=\d) (?:percent|%)", "%", text)


def weeks_and_days(text: str) -> str:
    """Write a time in the design in another unit: 14 days as 2 weeks, 36 weeks as 252 days."""

    def other(match: re.Match[str]) -> str:
        count, unit = int(match[1]), match[2]
        if unit == "weeks":
            return f"{count * 7} days"
        return f"{count // 7} weeks" if count % 7 == 0 and count > 7 else match[0]

    return _within(text, "Design", lambda s: re.sub(r"\b(\d+) (weeks|days)\b", other, s))


def decomposed(text: str) -> str:
    """Write letters with marks as two characters."""
    return unicodedata.normalize("NFD", text)


def fixed_spaces(text: str) -> str:
    """Part numbers from their units by a space that does not break."""
    return re.sub(r"(?<=\d) (?=[A-Za-zµ%])", "\u00a0", text)


def hyphens(text: str) -> str:
    """Write ranges and blanks with a hyphen."""
    return text.replace("–", "-")


def aligned_tables(text: str) -> str:
    """Mark the alignment of table columns, and pad the cells."""
    ruled = re.sub(
        r"^\|(?:---\|)+$", lambda m: m[0].replace("---", ":----"), text, flags=re.MULTILINE
    )
    return re.sub(r"^\| ", "|   ", ruled, flags=re.MULTILINE)


def wrapped(text: str) -> str:
    """Break paragraphs after some eighty characters."""
    return "\n".join(
        line if line[:1] in "|#-1234" else re.sub(r"(.{60,80}) ", r"\1\n", line)
        for line in text.split("\n")
    )


def emphasised(text: str) -> str:
    """Mark bold words with underscores."""
    return re.sub(r"\*\*(.+?)\*\*", r"__\1__", text)


def trailing_spaces(text: str) -> str:
    """End lines with spaces and paragraphs with more blank lines."""
    return text.replace("\n\n", "\n\n\n").replace("\n", "  \n")


# --- More of the same, and more of nothing


def _paragraphs(text: str) -> list[str]:
    return [p for p in text.split("\n\n") if p[:1].isalpha()]


def repeated_paragraphs(text: str, rng: Random) -> str:
    """Say half of the paragraphs again at the end of the same section."""
    told = _paragraphs(text)
    for paragraph in rng.sample(told, len(told) // 2):
        text = text.replace(paragraph, f"{paragraph}\n\n{paragraph}", 1)
    return text


def twice(text: str) -> str:
    """Say the whole text again."""
    return f"{text}\n{text}"


FILLER = (
    "Throughout the work the team attaches great importance to quality, and all involved share a "
    "common understanding of what matters.",
    "A robust and holistic approach ensures that the results will be meaningful for everybody.",
    "Careful attention to detail and open communication are at the heart of this endeavour.",
    "The planned activities build on each other in a natural way and form a coherent whole.",
)


def padded(text: str, rng: Random) -> str:
    """End each section with sentences that say nothing."""
    before, parts = sections(text)
    more = [" ".join(rng.sample(FILLER, 2)) for _ in parts]
    return before + "".join(f"{p.rstrip()}\n\n{m}\n\n" for p, m in zip(parts, more, strict=True))


def stuffed_words(text: str, words: Sequence[str]) -> str:
    """Paste words that a rubric may look for at the end."""
    return f"{text}\n\nKeywords: {', '.join(words)}.\n"


def stuffed_numbers(text: str, rng: Random) -> str:
    """Sprinkle figures over the paragraphs."""
    for paragraph in _paragraphs(text):
        figures = " ".join(f"({rng.randrange(2, 99)} units)" for _ in range(4))
        text = text.replace(paragraph, f"{paragraph} {figures}", 1)
    return text


def stuffed_headings(text: str) -> str:
    """Paste all headings again at the end, each with a promise below it."""
    heads = [heading(s) for s in sections(text)[1]]
    return text + "".join(
        f"\n{h}\n\nThis section will be comprehensive and complete.\n" for h in heads
    )


# --- Sentences


def appended(text: str, more: str) -> str:
    """Put a paragraph at the end of the first section."""
    before, (first, *rest) = sections(text)
    return before + first.rstrip() + f"\n\n{more}\n\n" + "".join(rest)


def shuffled_sentences(text: str, rng: Random) -> str:
    """Put the sentences of each paragraph in another order."""
    for paragraph in _paragraphs(text):
        parts = re.split(r"(?<=[.?!]) (?=[A-ZÄÖÜ])", paragraph)
        text = text.replace(paragraph, " ".join(rng.sample(parts, len(parts))), 1)
    return text


def negated_conclusion(text: str) -> str:
    """Turn what the design rests on: the recommended alternative is the one not to take."""
    return text.replace("(recommended)", "(not recommended)").replace(
        "(empfohlen)", "(nicht empfohlen)"
    )
