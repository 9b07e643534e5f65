"""The product's own data files."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml
from yaml import events

from core.files import sha256
from core.values import digest

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser where PyYAML has one: the library is some 150 files."""


def data_folder() -> Traversable:
    """Return the folder that holds everything a person or a model reads."""
    return files("dr_rd") / "data"


def read_text(*parts: str) -> str:
    """Read a data file, such as `read_text("report", "proposal.md.j2")`."""
    return data_folder().joinpath(*parts).read_text(encoding="utf-8")


def read_yaml(*parts: str) -> Any:  # noqa: ANN401 - whoever asks validates
    """Read a data file written in YAML."""
    return parse_yaml(read_text(*parts))


def data_digest() -> str:
    """SHA-256 of every data file, name and bytes: what a result rests on besides the code."""
    return digest({name: sha256(file.read_bytes()) for name, file in _all_files(data_folder())})


def _all_files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _all_files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def parse_yaml(text: str) -> Any:  # noqa: ANN401 - whoever asks validates
    """Parse YAML without any tag that could build an object."""
    loader = _Loader(text)
    try:
        return _document(loader)
    except (_Unusual, RecursionError):
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - either loader is a safe one
    finally:
        loader.dispose()


class _Unusual(Exception):
    """An anchor, an alias, a tag or a second document; PyYAML itself is to load it."""


def _document(loader: Any) -> Any:  # noqa: ANN401 - PyYAML types neither
    """Build a document from the parser's events: PyYAML's own way takes three times as long."""
    loader.get_event()  # the stream's start
    if isinstance(loader.get_event(), events.StreamEndEvent):
        return None
    found = _value(loader, loader.get_event())
    loader.get_event()  # the document's end
    if not isinstance(loader.get_event(), events.StreamEndEvent):
        raise _Unusual
    return found


def _value(loader: Any, event: Any) -> Any:  # noqa: ANN401 - as above
    if event.anchor or event.tag:  # an alias has the anchor that it stands for
        raise _Unusual
    if isinstance(event, events.ScalarEvent):
        return _scalar(loader, event.value) if event.implicit[0] else event.value
    if isinstance(event, events.SequenceStartEvent):
        return list(_items(loader, events.SequenceEndEvent))
    keys = _items(loader, events.MappingEndEvent)
    return {_key(key): _value(loader, loader.get_event()) for key in keys}


def _items(loader: Any, end: type[events.Event]) -> Iterator[Any]:  # noqa: ANN401 - as above
    while not isinstance(event := loader.get_event(), end):
        yield _value(loader, event)


def _key(value: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, list | dict):  # an error, which PyYAML words
        raise _Unusual
    return value


def _scalar(loader: Any, text: str) -> Any:  # noqa: ANN401 - as above
    """Read text without quotes: most is text, which no pattern for its first letter fits."""
    for tag, pattern in _Loader.yaml_implicit_resolvers.get(text[:1], ()):
        if pattern.match(text):
            if tag in _MERGES:
                raise _Unusual
            return loader.construct_object(yaml.ScalarNode(tag, text))
    return text


_MERGES = ("tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")
