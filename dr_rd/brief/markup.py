"""YAML and JSON, read strictly: nothing twice, nothing too deep, no aliases."""

import json
import re
from typing import Any

import yaml

from core.errors import CallerError, clipped

_SHOWN = 60
"""Characters of a line that are shown of it."""

_MAX_DEPTH = 20  # the arguments of a task's tools need nine; far deeper is a mistake or an attack


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


def from_yaml(text: str, name: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Read YAML; *name* is what error messages call it."""
    try:
        return yaml.load(text, _UniqueKeys)  # noqa: S506 - a SafeLoader, only stricter
    except yaml.MarkedYAMLError as e:
        raise CallerError(_yaml_error_sentence(e, text, name)) from e
    except (yaml.YAMLError, ValueError) as e:
        raise CallerError(f"{name} cannot be read as YAML: {str(e).splitlines()[0]}") from e
    except (KeyError, AttributeError, TypeError, OverflowError) as e:  # tags that do not fit
        raise CallerError(f"{name} cannot be read as YAML: a value does not fit its tag") from e


_QUOTE = "put the value in quotes, or on the next line after >-"
_REMEDIES = (
    ("mapping values are not allowed", f"a colon stands inside a value; {_QUOTE}"),
    ("expected alphabetic or numeric", f"a value begins with a sign of YAML's own; {_QUOTE}"),
    ("character '\\t'", "a tab stands where blanks must indent; write blanks"),
    ("that cannot start any token", f"a value begins with a sign of YAML's own; {_QUOTE}"),
    ("unexpected end of stream", "a quotation mark is opened here and never closed; close it"),
    ("could not find expected ':'", "no colon stands after a key; write 'key: value'"),
    (
        "expected <block end>",
        "it is not indented as the lines about it are, or text follows a closed quotation mark",
    ),
)
"""What the parser says, and what that comes from as an analyst would put it."""

_INNER_KEY = re.compile(r"\s+[a-z_]+:(?:\s|$)")
_SHIFTED = "it is indented, and so goes on with the value above it; begin the key at the left"


def _yaml_error_sentence(wrong: yaml.MarkedYAMLError, text: str, name: str) -> str:
    """Say in one sentence which line cannot be read, how it begins, and what to write."""
    said = wrong.problem or ""
    plain = next((remedy for words, remedy in _REMEDIES if words in said), said)
    left_open = "unexpected end" in said or "could not find" in said
    mark = (wrong.context_mark if left_open else None) or wrong.problem_mark
    if mark is None:
        return f"{name} cannot be read as YAML: {plain}"
    line = next(iter(text.splitlines()[mark.line :]), "")
    shown = f" (“{clipped(line, _SHOWN)}”)" if line.strip() else ""
    plain = _SHIFTED if "mapping values" in said and _INNER_KEY.match(line) else plain
    return f"{name} line {mark.line + 1}{shown} cannot be read as YAML: {plain}"


def from_json(text: str, name: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Read JSON; *name* is what error messages call it."""
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
