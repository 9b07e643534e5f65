"""YAML and JSON, read strictly: nothing twice, nothing too deep, no aliases."""

import json
from typing import Any

import yaml

from core.errors import CallerError

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
        line = f" line {e.problem_mark.line + 1}" if e.problem_mark else ""
        raise CallerError(f"{name}{line} cannot be read as YAML: {e.problem}") from e
    except (yaml.YAMLError, ValueError) as e:
        raise CallerError(f"{name} cannot be read as YAML: {str(e).splitlines()[0]}") from e
    except (KeyError, AttributeError, TypeError, OverflowError) as e:  # tags that do not fit
        raise CallerError(f"{name} cannot be read as YAML: a value does not fit its tag") from e


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
