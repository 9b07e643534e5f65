"""What a forbidden phrase rules out: things, each with what narrows it."""

import re
from collections.abc import Iterator

from dr_rd.checks.items import Prohibition
from dr_rd.text import lexicon, stem

PARENTHESIS = re.compile(r"\(([^()]*)\)")

EXAMPLES = re.compile(r"(?:\be\.g\.|\bsuch as|\bincluding|\bfor example),?\s*", re.IGNORECASE)

OR = re.compile(r"\s*(?:,\s*(?:and|or)\b|,|\bor\b)\s*", re.IGNORECASE)

ENDS = r"(?:ends?|expires?|closes?|lapses?|runs?\sout|valid(?:\s(?:until|till|to|through))?)"
"""What is said of a thing before the last day on which there is one: "the permit ends"."""

_EXCEPTED = re.compile(r"\b(?:other than|except|besides|apart from)\b", re.IGNORECASE)


def prohibitions(text: str) -> Iterator[Prohibition]:
    """Cut a forbidden phrase into things, each with what narrows it."""
    if spared := _SPARED.fullmatch(text.strip()):
        thing = _bare(spared[1]).strip()
        if telling(thing) and telling(spared[2]):
            yield Prohibition(what=text, terms=(thing,), excepted=spared[2])
            return
    body, examples = _examples(PARENTHESIS.sub(_kept_examples, text))
    parts = _parts(body) + [(example, "") for example in examples]
    fresh = bool(_FRESH.match(body)) and not _known_as_new(body)
    narrowed: dict[str, list[str]] = {}
    for thing, where in parts:
        narrowed.setdefault(where, []).append(thing)
    for where, things in narrowed.items():
        place = where if telling(where) else ""
        terms = tuple(
            t
            for t in things
            if telling(t) or fresh or (place and lexicon().units(t) and not _bland(t))
        )
        if not terms and place:  # "data on ethnicity" is ethnicity
            terms, place = (place,), ""
        if terms and not _EXCEPTED.search(where):
            source = bool(place) and bool(re.search(rf"\bfrom\s+{re.escape(place)}", text))
            source = source and not all(DONE_TO.fullmatch(t) for t in terms)
            lacking = _WITHOUT.search(text)
            yield Prohibition(what=text, terms=terms, where=place, source=source, fresh=fresh,
                              lacking=lacking[1] if lacking else "")  # fmt: skip


_FRESH = re.compile(
    r"\s*(?:(?:any|buy|use|add|hire|recruit)\s)?(?:(?:new|more|another)\s(?=\w)"
    r"|(?:additional|extra|further)\s(?=(?:[\w-]+\s){0,2}?"
    r"(?:\w+[^s\W]s|hardware|software|staff|equipment|personnel|funding|money|data)(?:$|\s(?:in|on|at|for|of)\b)))",
    re.IGNORECASE,
)
"""How a phrase begins that rules out only more of what there is; "additional tutoring" is any."""


def _known_as_new(body: str) -> bool:
    """Whether the new thing is one that the lexicon knows by that name, such as new staff."""
    return any(unit.split()[0] in ("new", "additional") for unit in lexicon().units(body))


DONE_TO = re.compile(r"(?:be\s)?\w+ed")
"""What is done to a thing, and no thing: "moved"."""

_WITHOUT = re.compile(r"\bwithout\s+(?:an?\s|the\s|any\s)?([^,;]+)", re.IGNORECASE)


def _parts(body: str) -> list[tuple[str, str]]:
    """Things and what narrows them; one phrase of place may narrow several things."""
    bare = _joined(_whole_of(_bare(body)))
    things, where = _placed(bare)
    if where and not OR.search(things):
        return [(things, where)]
    parts = [_placed(_bare(part)) for part in _shared(OR.split(bare))]
    last = parts[-1][1] if telling(parts[-1][1]) else ""
    return [(thing, where or last) for thing, where in parts]


def _whole_of(phrase: str) -> str:
    """What an "analysis of" or a "provision of" is of."""
    found = re.fullmatch(r"(?:an?\s|the\s)?(\w+)\s(?:of|on)\s(.+)", phrase)
    empty = found and stem(found[1]) in lexicon().generic | lexicon().including
    return found[2] if found and empty else phrase


def _joined(phrase: str) -> str:
    """What is combined with another thing, and that thing, as one."""
    words = phrase.split()
    if not words or stem(words[0]) not in lexicon().joining:
        return phrase
    return re.sub(r"\s(?:with|and|into|to)\s", " ", " ".join(words[1:]))


_SPARED = re.compile(
    r"(?:any\s+)?([\w\s-]+?)\s+(?:other than|except(?: for)?|besides|apart from)\s+([\w\s-]+)",
    re.IGNORECASE,
)

_BLAND = frozenset(
    {"data", "information", "record", "records", "details", "measurement", "measurements"}
)


def _bland(phrase: str) -> bool:
    """Whether *phrase* says only that something is known, not of what."""
    return phrase.strip().lower() in _BLAND


def telling(phrase: str) -> bool:
    """Whether *phrase* names something in particular."""
    words = lexicon()
    units = {u for u in words.units(phrase) if not u[0].isdigit()}
    return bool(units - words.generic - words.sampled)


def _shared(parts: list[str]) -> list[str]:
    """Give what stands once but holds for all: a verb, or "ESG" in "ESG rating or score"."""
    first, last = parts[0].split(), parts[-1]
    thing = _placed(last)[0]
    words = lexicon()
    known = words.units(thing, generic=True) != (stem(thing),) or thing.isupper()
    verb = stem(thing) in words.including | words.stretching
    alone = len(parts) > 1 and re.fullmatch(r"\w+", thing) and len(first) > 1
    if alone and not (known or verb or stem(first[-1]) in words.generic):
        parts = [*parts[:-1], " ".join([*first[:-1], last])]
    return _shared_verb(parts)


def _shared_verb(parts: list[str]) -> list[str]:
    """Give a verb that matters, such as vary, to each of the things that follow it."""
    words = lexicon()
    first = parts[0].split()
    if not first or stem(first[0]) not in words.acting:
        return parts
    return [parts[0], *(f"{first[0]} {p}" if len(p.split()) < 4 else p for p in parts[1:])]


def _bare(part: str) -> str:
    """A part without the verb that only says that it is taken in."""
    tokens = part.split()
    if tokens and stem(tokens[0]) in lexicon().stretching:
        return re.sub(r"^.*?\bto\s+(?:include\s+)?", "", part, count=1)
    if tokens and stem(tokens[0]) in lexicon().including:
        return re.sub(r"^(?:for|of|to)\s+", "", " ".join(tokens[1:]))
    return part


def _kept_examples(match: re.Match[str]) -> str:
    return f" {match[1]}" if EXAMPLES.match(match[1]) else ""


def _examples(text: str) -> tuple[str, tuple[str, ...]]:
    """Part a phrase from the examples that it gives."""
    if not (found := EXAMPLES.search(text)):
        return text, ()
    listed = text[found.end() :]
    return text[: found.start()], tuple(_cut(t) for t in OR.split(listed) if t)


def _cut(example: str) -> str:
    """An example without what follows it: "GQ-CNN as the base policy" is GQ-CNN."""
    return re.split(r"\s(?:as|to|for|instead)\s", example)[0]


def _placed(body: str) -> tuple[str, str]:
    """Part the things from the phrase that narrows them; a phrase of reason is dropped."""
    words = body.split()
    for n, word in enumerate(words):
        if word.lower() == "to" and n and stem(words[n - 1]) in lexicon().relational:
            continue
        if word.lower() == "for" and n and stem(words[n - 1]) in lexicon().seeking:
            continue
        if n and word.lower() in lexicon().reasons:
            return " ".join(words[:n]), ""
        if n and word.lower() in lexicon().places:
            if word.lower() == "beyond":
                return " ".join(words[:n]), ""
            rest = re.split(r"\b(?:to|as|for|instead|rather)\b", " ".join(words[n + 1 :]))[0]
            return " ".join(words[:n]), rest.strip()
    return body, ""
