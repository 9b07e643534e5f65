"""YAML and JSON of any keys as Markdown, with the place in the source of every value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core.errors import CallerError
from dr_rd.reading.labels import label_kind
from dr_rd.reading.places import Mapped

MAX_DEPTH = 20
"""Lists in lists; far deeper is a mistake or an attack."""

_UNITS = (
    "unit",
    "units",
    "currency",
    "einheit",
    "währung",
    "unité",
    "devise",
    "unidad",
    "moneda",
    "单位",
    "币种",
)
"""Keys whose value is the unit of the figure beside them."""
_FIGURE = re.compile(r"[<>≤≥=~ ]*-?\d[\d.,'’ \u00a0]*")
_NAMES = ("name", "title", "role", "what", "property", "item", "milestone", "task", "metric", "id")
"""Keys whose value is what a mapping in a list is about."""
_COUNTING = ("", "sample", "duration", "people")
"""Kinds of keys whose bare number counts what the key names: "stations: 6"."""


def rendered(text: str, name: str) -> Mapped | None:
    """Return YAML or JSON as Markdown; None where it is no mapping and so is read as text.

    Raises CallerError where lists are nested too deeply or an alias stands for another value.
    """
    try:
        _check_events(text, name)
        node = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(node, MappingNode):
        return None
    out = Mapped()
    _Writer(text, out).mapping(node, 1)
    return out


def _check_events(text: str, name: str) -> None:
    """Refuse, before anything is built, what unfolds without end."""
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            place = f" line {event.start_mark.line + 1}" if event.start_mark else ""
            raise CallerError(f"{name}{place} has an alias (*name); write the value out")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise CallerError(f"{name}: lists are nested too deeply; {MAX_DEPTH} levels are read")


class _Run(NamedTuple):
    """Words of a value that the source has as they are."""

    at: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes nodes of a *source* as Markdown."""

    source: str
    out: Mapped

    def mapping(self, node: MappingNode, level: int) -> None:
        """Values under their keys as labelled lines, then lists and mappings under headings."""
        units = _units(node)
        for key, value in sorted(node.value, key=lambda p: not isinstance(p[1], ScalarNode)):
            label = _words(key)
            if isinstance(value, ScalarNode):
                if value is not units:
                    self.out.add(f"{label}: ")
                    self.scalar(value, units, label)
                    self.out.add("\n\n")
                continue
            self.out.add(f"{'#' * min(level, 6)} {label}\n\n")
            if isinstance(value, MappingNode):
                self.mapping(value, level + 1)
            elif isinstance(value, SequenceNode):
                self.sequence(value)

    def sequence(self, node: SequenceNode) -> None:
        """A list as items."""
        for item in node.value:
            self.out.add("- ")
            self.inline(item)
            self.out.add("\n")
        self.out.add("\n")

    def inline(self, node: Node) -> None:
        """A value inside of a list, on one line."""
        if isinstance(node, ScalarNode):
            self.scalar(node)
        elif isinstance(node, SequenceNode):
            for n, item in enumerate(node.value):
                self.out.add(", " if n else "")
                self.inline(item)
        elif isinstance(node, MappingNode):
            self._pairs(node)

    def _pairs(self, node: MappingNode) -> None:
        units = _units(node)
        pairs = sorted(node.value, key=lambda p: _words(p[0]).lower() not in _NAMES)
        shown = [p for p in pairs if p[1] is not units]
        single = len(shown) == 1
        for n, (key, value) in enumerate(shown):
            self.out.add(", " if n else "")
            if single or _words(key).lower() not in _NAMES:
                self.out.add(f"{_words(key)}{':' if single else ''} ")
            if isinstance(value, ScalarNode):
                self.scalar(value, units)
            else:
                self.inline(value)

    def scalar(self, node: ScalarNode, units: ScalarNode | None = None, label: str = "") -> None:
        """A value, with the unit that another key names for it."""
        value = re.sub(r"\n\s*\n", "\n", str(node.value).strip())
        begin, stop = node.start_mark.index, node.end_mark.index
        exact = self.source.find(value, begin, stop)
        runs = [_Run(0, value, exact)] if exact >= 0 else self._runs(value, begin, stop)
        at = 0
        for run in runs:
            self.out.add(value[at : run.at])  # a line break that YAML folds
            self.out.add(run.text, run.start)
            at = run.at + len(run.text)
        if not runs:
            self.out.add(value, begin, stop)
        if units is not None and _FIGURE.fullmatch(value):
            self.out.add(f" {units.value}", units.start_mark.index, units.end_mark.index)
        elif label and value.isdigit() and label_kind(label) in _COUNTING:
            self.out.add(f" {label}", begin, stop)

    def _runs(self, value: str, begin: int, stop: int) -> list[_Run]:
        """The lines of a folded text, each where the source has it; none where words are escaped."""
        header = _HEADER.match(self.source, begin, stop)
        at, runs = header.end() if header else begin, list[_Run]()
        for word in re.finditer(r"\S+", value):
            start = self.source.find(word[0], at, stop)
            if start < 0:
                return []
            last = runs[-1] if runs else None
            if last and start - last.start == word.start() - last.at:
                runs[-1] = last._replace(text=value[last.at : word.end()])
            else:
                runs.append(_Run(word.start(), word[0], start))
            at = start + len(word[0])
        return runs


_HEADER = re.compile(r"[>|][-+\d]{0,2}[^\n]*\n")
"""What begins a block of several lines (YAML 1.2.2, 8.1)."""


def _units(node: MappingNode) -> ScalarNode | None:
    """The value that names the unit of the one figure of a mapping."""
    named = [v for k, v in node.value if _words(k).lower() in _UNITS and isinstance(v, ScalarNode)]
    figures = [v for v in _scalars(node) if _FIGURE.fullmatch(v.value)]
    return named[0] if len(named) == 1 and figures else None


def _scalars(node: MappingNode) -> Iterator[ScalarNode]:
    return (v for _, v in node.value if isinstance(v, ScalarNode))


def _words(key: Node) -> str:
    return (
        " ".join(re.sub(r"[_\s]+", " ", str(key.value)).split())
        if isinstance(key, ScalarNode)
        else ""
    )
