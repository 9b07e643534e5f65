"""The analyst's question: objective, limits, criteria, directions, bans; and how it is read."""

import codecs
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Literal, get_args

import yaml
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from core.errors import CallerError, nearest, unknown
from core.graph.state import TASK_ID, Acceptance, ThreePoint, ToolRequest
from core.values import Frozen, unsaid

Kind = Literal["yaml", "json", "markdown", "text"]
Risk = Literal["low", "medium", "high"]

MAX_BYTES = 1_000_000
"""A brief is read by a person before a run; at a megabyte it is a document, for --docs."""

MAX_ITEMS = 200
"""Lines of one list: more limits than that nobody holds in mind; tables go to the documents."""
MAX_LENGTH = 10_000
"""Characters of one entry: some four pages."""

NAMELESS = "brief"
"""The project of a brief without a name."""

_MAX_DEPTH = 20  # the arguments of a task's tools need nine; far deeper is a mistake or an attack


def _three(value: Any) -> Any:  # noqa: ANN401 - whatever was written
    """Take one number for all three points, and a list of three in order."""
    points = value if isinstance(value, list | tuple) else [value] * 3
    wrong = len(points) != 3 or any(isinstance(p, bool) for p in points)
    if wrong or isinstance(value, ThreePoint | dict):
        return value
    return dict(zip(("low", "mode", "high"), points, strict=True))


Estimate = Annotated[ThreePoint, BeforeValidator(_three)]
"""Three points, also written as [low, most likely, high] or as the one number they all are."""


class GivenTask(Frozen):
    """A task that the brief itself prescribes."""

    source: ClassVar[Literal["brief", "model"]] = "brief"
    """What its line of the plan says of where it came from."""

    id: str
    title: str
    role: str = ""
    description: str = ""
    steps: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    depends_on: tuple[str, ...] = ()
    deliverable: str = ""
    acceptance: tuple[str, ...] = ()
    tools: tuple[ToolRequest, ...] = ()
    """Calls that the task makes, each with its arguments."""
    days: Estimate | None = Field(default=None, exclude_if=unsaid)
    """Working days."""
    cost: Estimate | None = Field(default=None, exclude_if=unsaid)
    """In the currency of the brief's limit."""

    @property
    def tests(self) -> tuple[Acceptance, ...]:
        """Return its acceptance criteria; the brief does not say which items they answer."""
        return tuple(Acceptance(text=text) for text in self.acceptance)


_NAMELESS = "brief"
"""The id of a brief that gives none; one in a file then takes the file's name."""


class Brief(Frozen):
    """What the analyst asks."""

    id: str = _NAMELESS
    domain: str = ""
    objective: str
    hard_constraints: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()
    plausible_directions: tuple[str, ...] = ()
    banned_moves: tuple[str, ...] = ()
    risk_posture: Risk = "medium"
    budget: str = ""
    deadline: str = ""
    tasks: tuple[GivenTask, ...] = ()

    @property
    def words(self) -> str:
        """What it says of the work, as one text."""
        lists = (self.hard_constraints, self.success_criteria, self.plausible_directions)
        return "\n".join(
            (self.objective, *(line for held in lists for line in held), *self.banned_moves)
        )


_ALIASES = {"idea": "objective", "constraints": "hard_constraints"}
_LISTS = frozenset(
    {"hard_constraints", "success_criteria", "plausible_directions", "banned_moves"}
) | {"steps", "depends_on", "acceptance"}
_KINDS: Mapping[str, Kind] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
}

# What stands before a list in Markdown or plain text, in lower case and without punctuation.
_LABELS = {
    "id": "id",
    "domain|field|discipline": "domain",
    "objective|objectives|idea|research question|question|goal|goals|aim|aims|purpose|brief|目标|الهدف": "objective",
    "constraint|constraints|hard constraints|requirements|limits|must|rules|约束|约束条件|القيود": "hard_constraints",
    "success criteria|success criterion|criteria|success|acceptance criteria|成功标准|معايير النجاح": "success_criteria",
    "plausible directions|directions|alternatives|options|approaches|candidate approaches": (
        "plausible_directions"
    ),
    "banned moves|bans|banned|out of scope|must not|not allowed|forbidden|do not|exclusions": (
        "banned_moves"
    ),
    "risk posture|risk|risk appetite": "risk_posture",
    "budget|cost|funding|预算|الميزانية": "budget",
    "deadline|timeline|due|due date": "deadline",
}
_FIELD_OF = {label: name for labels, name in _LABELS.items() for label in labels.split("|")}


def read_brief(source: str | Path, stdin: BinaryIO | None = None) -> Brief:
    """Read a brief from a file, from *stdin* for "-", or from quoted text (the objective).

    Raises CallerError with one sentence if it cannot be used.
    """
    if not str(source):
        raise CallerError("the brief is empty; name a file or write at least an objective")
    if str(source) == "-":
        stream = stdin or (sys.stdin.buffer if sys.stdin else None)
        if stream is None:
            raise CallerError("standard input is closed; name a file instead of -")
        return parse_brief(_decoded(stream.read(MAX_BYTES + 1), "standard input"), None, "brief")
    if not _looks_like_path(source):
        return _quoted(str(source))
    path = Path(source)
    kind = _KINDS.get(path.suffix.lower())
    brief = parse_brief(_decoded(_bytes(path), str(path)), kind, path.name)
    named = brief.id != _NAMELESS or not path.stem
    return brief if named else brief.model_copy(update={"id": path.stem})


def _quoted(text: str) -> Brief:
    """Read text from the command line: one line is the objective, whole."""
    brief = parse_brief(text, "text", "the brief")
    line = text.strip()
    return brief if "\n" in line else brief.model_copy(update={"objective": line})


def parse_brief(text: str, kind: Kind | None = None, name: str = "brief") -> Brief:
    """Read a brief from *text*; *name* is what error messages call it.

    Without *kind*, JSON is known by its brace, YAML by a first key, Markdown by a heading.
    """
    if not text.strip():
        raise CallerError(f"{name} is empty; write at least an objective")
    readers = {"yaml": _yaml, "json": _json, "markdown": _prose, "text": _prose}
    return _brief(readers[kind or _guessed(text)](text, name), name)


def project_id(brief: Brief) -> str:
    """Return the brief's id as a name that is safe for a folder: [a-z0-9][a-z0-9-]{0,62}."""
    name = re.sub(r"[^a-z0-9]+", "-", brief.id.lower()).strip("-")
    return name[:63].strip("-") or NAMELESS


def _looks_like_path(source: str | Path) -> bool:
    """Whether *source* names a file, not the idea itself."""
    if isinstance(source, Path):
        return True
    if len(source) > 1024 or "\n" in source or "\0" in source:
        return False
    return (
        Path(source).suffix.lower() in _KINDS
        or (" " not in source.strip() and source.isascii() and source.strip() != "")
        or source.startswith(("/", "./", "../", "~/"))
        or _exists(source)
    )


def _exists(source: str) -> bool:
    try:
        return Path(source).exists()
    except OSError:  # a sentence can be too long for a file name
        return False


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise CallerError(f"{str(path)!r} is a folder; name a brief in it, such as brief.yaml")
        if path.exists() and not path.is_file():
            raise CallerError(f"{str(path)!r} is no ordinary file; save the brief to one")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as e:
        raise CallerError(
            f"there is no file {str(path)!r}; name a YAML, JSON, Markdown or text file, "
            "or write the objective as a sentence in quotes"
        ) from e
    except OSError as e:
        raise CallerError(f"cannot read {str(path)!r}: {(e.strerror or 'unknown').lower()}") from e


def _decoded(raw: bytes, where: str) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark."""
    if len(raw) > MAX_BYTES:
        raise CallerError(
            f"{where} is larger than {MAX_BYTES:,} bytes, the most a brief may have; "
            "keep the question in the brief and give the rest as documents"
        )
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as e:
        raise CallerError(
            f"{where} is not UTF-8 text (byte {e.start} cannot be read); save it as UTF-8"
        ) from e
    if "\0" in text:
        raise CallerError(f"{where} is a binary file; a brief is YAML, JSON, Markdown or text")
    return text


def _guessed(text: str) -> Kind:
    start = text.lstrip()
    if start.startswith("{"):
        return "json"
    tops = [line for line in start.splitlines() if line[:1].strip()]
    keyed = [t for t in tops if _KEY.match(t)]
    if keyed and keyed[0] == next(t for t in tops if t[0] != "#") and _all_yaml(tops):
        return "yaml"
    return "markdown"


def _all_yaml(tops: list[str]) -> bool:
    """Whether every unindented line is a key, an item, a comment or a bracket."""
    return all(t[0] in "-#]}" or _KEY.match(t) for t in tops)


_KEY = re.compile(r"[a-z_]+:(?:\s|$)")


class _UniqueKeys(yaml.SafeLoader):
    """A YAML loader that refuses repeated keys, aliases and deep nesting."""

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - yaml's own types
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(
                None, None, "an alias (*name) stands here; write the value out", mark
            )
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "lists are nested too deeply", mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: ANN401, FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands here a second time", key.start_mark
                )
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


# Dates and numbers stay as they were written: "deadline: 2027-03-31" is text.
_UniqueKeys.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in found if not tag.endswith(":timestamp")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _yaml(text: str, name: str) -> Any:  # noqa: ANN401 - whatever the file holds
    try:
        return yaml.load(text, _UniqueKeys)  # noqa: S506 - a SafeLoader, only stricter
    except yaml.MarkedYAMLError as e:
        line = f" line {e.problem_mark.line + 1}" if e.problem_mark else ""
        raise CallerError(f"{name}{line} cannot be read as YAML: {e.problem}") from e
    except (yaml.YAMLError, ValueError) as e:
        raise CallerError(f"{name} cannot be read as YAML: {str(e).splitlines()[0]}") from e
    except (KeyError, AttributeError, TypeError, OverflowError) as e:  # tags that do not fit
        raise CallerError(f"{name} cannot be read as YAML: a value does not fit its tag") from e


def _json(text: str, name: str) -> Any:  # noqa: ANN401 - whatever the file holds
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _unique(pairs, name))
    except json.JSONDecodeError as e:
        raise CallerError(f"{name} line {e.lineno} cannot be read as JSON: {e.msg.lower()}") from e
    except ValueError as e:
        raise CallerError(f"{name} cannot be read as JSON: a number is too long") from e
    except RecursionError as e:
        raise CallerError(f"{name} cannot be read as JSON: its lists are nested too deeply") from e


def _unique(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    keys = [k for k, _ in pairs]
    if twice := next((k for k in keys if keys.count(k) > 1), None):
        raise CallerError(f"{name} gives the key {twice!r} twice; keep one of them")
    return dict(pairs)


def _brief(raw: Any, name: str) -> Brief:  # noqa: ANN401 - whatever the file holds
    if isinstance(raw, str):
        raw = {"objective": raw}
    given = _mapping(raw, Brief, name, _ALIASES)
    fields = {k: _value(k, v, f"{name}: {k}") for k, v in given.items() if k != "tasks"}
    if not str(fields.get("objective", "")).strip():
        raise CallerError(
            f"{name} has no objective; say in a sentence what is to be found out, "
            "under the key 'objective'"
        )
    _check_size(fields, name)
    return Brief(**fields, tasks=_tasks(given.get("tasks"), name))


def _check_size(fields: Mapping[str, Any], name: str) -> None:
    """Refuse what no person holds in mind, before anything is made of it."""
    for key, value in fields.items():
        entries = value if isinstance(value, tuple) else (str(value),)
        if len(entries) > MAX_ITEMS:
            raise CallerError(
                f"{name}: {key} has {len(entries):,} entries; a brief may have {MAX_ITEMS} of a "
                "kind, give the rest as documents"
            )
        if longest := next((e for e in entries if len(e) > MAX_LENGTH), ""):
            raise CallerError(
                f"{name}: an entry of {key} has {len(longest):,} characters; it may have "
                f"{MAX_LENGTH:,}, give the rest as documents"
            )


def _mapping(
    raw: Any,  # noqa: ANN401 - whatever the file holds
    model: type[Frozen],
    where: str,
    aliases: Mapping[str, str],
) -> dict[str, Any]:
    """Return *raw* as a mapping of fields of *model*; empty ones are left out."""
    if not isinstance(raw, dict):
        raise CallerError(f"{where} is {_named(raw)}; it must be a mapping of keys to values")
    known = [*model.model_fields, *aliases]
    given: dict[str, Any] = {}
    for key, value in raw.items():
        if key not in known:
            raise unknown(f"key in {where}", str(key), known)
        if (field := aliases.get(key, key)) in given:
            first = next(k for k in raw if aliases.get(k, k) == field)
            raise CallerError(f"{where} gives both {first!r} and {key!r}; keep one of them")
        if value is not None:
            given[field] = value
    return given


def _value(key: str, value: Any, where: str) -> Any:  # noqa: ANN401 - by field
    if key in _LISTS:
        return _list(value, where)
    if key in ("days", "cost"):
        return _estimate(value, where)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and key in ("budget", "deadline", "id"):
        return str(value)
    if not isinstance(value, str):
        raise CallerError(f"{where} is {_named(value)}; it must be text")
    text = value.strip()
    if key == "risk_posture":
        return _risk(text, where)
    return text


_ESTIMATE: TypeAdapter[ThreePoint] = TypeAdapter(Estimate)


def _estimate(value: Any, where: str) -> ThreePoint:  # noqa: ANN401 - whatever the file holds
    try:
        return _ESTIMATE.validate_python(value)
    except ValidationError as wrong:
        raise CallerError(
            f"{where} is {value!r:.60}; write one number, or three that do not fall: "
            "[low, most likely, high]"
        ) from wrong


def _risk(text: str, where: str) -> str:
    if text.lower() not in get_args(Risk):
        hint = nearest(text.lower(), get_args(Risk))
        raise CallerError(f"{where} is {text!r}{hint}; choose low, medium or high")
    return text.lower()


def _list(value: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401 - whatever the file holds
    if isinstance(value, str):
        return tuple(_items(value))
    if not isinstance(value, list):
        raise CallerError(f"{where} is {_named(value)}; it must be a list of sentences")
    return tuple(_item(item, f"{where}, item {n}") for n, item in enumerate(value, 1) if item)


def _item(item: Any, where: str) -> str:  # noqa: ANN401 - whatever the file holds
    if isinstance(item, dict) and len(item) == 1:
        (key, value) = next(iter(item.items()))
        if isinstance(value, (str, int, float)):  # "- budget: 5000 GBP" was meant as a sentence
            return f"{key}: {value}"
    if isinstance(item, bool) or not isinstance(item, (str, int, float)):
        raise CallerError(f"{where} is {_named(item)}; each item must be a sentence")
    return str(item).strip()


def _items(text: str) -> Iterator[str]:
    """Split one string into items: by bullets where there are any, otherwise by lines."""
    for line in text.splitlines():
        if item := _BULLET.sub("", line).strip():
            yield item


def _named(value: Any) -> str:  # noqa: ANN401 - whatever the file holds
    kinds = {
        bool: f"the truth value {str(value).lower()}",
        int: f"the number {value}",
        float: f"the number {value}",
        list: "a list",
        dict: "a mapping",
        str: f"the text {value!r:.60}",
    }
    return kinds.get(type(value), "empty" if value is None else f"a {type(value).__name__}")


def _tasks(raw: Any, name: str) -> tuple[GivenTask, ...]:  # noqa: ANN401 - whatever the file holds
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise CallerError(f"{name}: tasks is {_named(raw)}; it must be a list of tasks")
    tasks = tuple(_task(r, f"{name}: task {n}") for n, r in enumerate(raw, 1))
    _check_ids(tasks, name)
    _check_order(tasks, name)
    return tasks


def _task(raw: Any, where: str) -> GivenTask:  # noqa: ANN401 - whatever the file holds
    given = _mapping(raw, GivenTask, where, {})
    calls = _calls(given.pop("tools", None), where)
    fields = {k: _value(k, v, f"{where}, {k}") for k, v in given.items()}
    for key in ("id", "title"):
        if not fields.get(key):
            raise CallerError(f"{where} has no {key}; every task needs an id and a title")
    if not re.match(TASK_ID, str(fields["id"])) or "\n" in str(fields["id"]):
        raise CallerError(
            f"{where} has the id {fields['id']!r}; use up to 31 letters, digits, '-' and '_', "
            "starting with a letter or digit"
        )
    return GivenTask(**fields, tools=calls)


def _calls(raw: Any, where: str) -> tuple[ToolRequest, ...]:  # noqa: ANN401 - whatever it holds
    """Read the tools of a task: names, each alone or with its arguments."""
    listed = [] if raw is None else raw if isinstance(raw, list) else [raw]
    return tuple(_call(r, f"{where}, tool {n}") for n, r in enumerate(listed, 1))


def _call(raw: Any, where: str) -> ToolRequest:  # noqa: ANN401 - whatever it holds
    try:
        return ToolRequest.model_validate({"name": raw} if isinstance(raw, str) else raw)
    except (ValidationError, TypeError) as wrong:
        raise CallerError(
            f"{where} is {_named(raw)}; write a tool's name, or its name and args that JSON can hold"
        ) from wrong


def _check_ids(tasks: tuple[GivenTask, ...], name: str) -> None:
    ids = [t.id for t in tasks]
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise CallerError(f"{name} has two tasks with the id {twice!r}; give each its own id")
    for task in tasks:
        if stranger := next((d for d in task.depends_on if d not in ids), None):
            raise CallerError(
                f"{name}: task {task.id!r} depends on {stranger!r}, which is not among its tasks"
                f"{nearest(stranger, ids)}; they are {', '.join(ids)}"
            )


def _check_order(tasks: tuple[GivenTask, ...], name: str) -> None:
    """Take away tasks whose needs are met until none is left; what stays waits for itself."""
    waiting = {t.id: set(t.depends_on) for t in tasks}
    while free := [i for i, needs in waiting.items() if not needs & waiting.keys()]:
        for done in free:
            del waiting[done]
    if waiting:
        raise CallerError(
            f"{name}: the tasks {', '.join(waiting)} wait for each other in a ring; "
            "remove one of their dependencies"
        )


_BULLET = re.compile(r"^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(.+?):?(?:\*\*|__):?\s*(.*)$")
_LABEL = re.compile(r"^\s*([^\W\d_][\w /-]{0,40}?)\s*[:：]\s*(.*)$")
_LIMIT = re.compile(
    r"\b(?:must|only|at least|at most|no more than|no fewer than|exactly|budget|cannot|may not)\b"
    r"|^(?:no|without|under|minimum|maximum)\b",
    re.IGNORECASE,
)
_BAN = re.compile(r"^(?:do not|don't|never|avoid)\b\s*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s+(?=\S)")


@dataclass(slots=True)
class _Part:
    """The lines found under one label."""

    field: str
    lines: list[str]


def _prose(text: str, name: str) -> dict[str, Any]:
    """Read labelled lines and lists; what has no label is the objective and its limits."""
    del name
    parts = [_Part("", [])]
    for line in text.splitlines():
        if label := _labelled(line):
            parts.append(_Part(label[0], [label[1]] if label[1] else []))
        elif not _HEADING.match(line):
            parts[-1].lines.append(line)
        elif parts[-1].field or len(parts) > 1:
            parts.append(_Part("", []))
    return _fields(parts) or {"objective": text.strip().lstrip("# ")}


def _labelled(line: str) -> tuple[str, str] | None:
    """The field that a line names, and the rest of the line."""
    for pattern in (_HEADING, _BOLD, _LABEL):
        if match := pattern.match(line):
            title, _, rest = match[1].partition(":")
            field = _FIELD_OF.get(re.sub(r"[\s_*:]+", " ", title).strip().lower())
            if field:
                return field, (match[2] if match.re.groups > 1 else rest).strip()
    return None


def _fields(parts: list[_Part]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        text = "\n".join(part.lines).strip()
        if not text:
            continue
        if part.field in _LISTS:
            found[part.field] = [*found.get(part.field, []), *_entries(part.lines)]
        elif part.field:
            found[part.field] = " ".join(filter(None, [found.get(part.field), _joined(text)]))
        else:
            _add_loose(found, text)
    if "objective" not in found and (first := found.get("hard_constraints")):
        return found | {"objective": " ".join(first)} if not any(p.field for p in parts) else found
    if "risk_posture" in found:
        found["risk_posture"] = _risk_word(found["risk_posture"])
    return found


def _risk_word(text: str) -> str:
    words = re.findall(r"\b(low|medium|high)\b", text.lower())
    return words[0] if words else text


def _add_loose(found: dict[str, Any], text: str) -> None:
    """Sort the sentences of unlabelled text into objective, constraints and bans."""
    objective: list[str] = []
    for n, sentence in enumerate(_sentences(text)):
        if n and _BAN.match(sentence):
            found.setdefault("banned_moves", []).append(sentence)
        elif n and _LIMIT.search(sentence):
            found.setdefault("hard_constraints", []).append(sentence)
        else:
            objective.append(sentence)
    found["objective"] = " ".join(filter(None, [found.get("objective"), *objective]))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)", text):
        bare = _joined(_BULLET.sub("", paragraph))
        yield from (s for s in _SENTENCE_END.split(bare) if s)


def _entries(lines: list[str]) -> list[str]:
    """List items; an indented line goes on with its item."""
    entries: list[str] = []
    bulleted = any(_BULLET.match(line) for line in lines)
    for line in lines:
        if not line.strip():
            continue
        if bulleted and entries and not _BULLET.match(line) and line[:1].isspace():
            entries[-1] += " " + line.strip()
        else:
            entries.append(_BULLET.sub("", line).strip())
    return entries


def _joined(text: str) -> str:
    return " ".join(text.split())
