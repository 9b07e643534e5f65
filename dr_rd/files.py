"""The product's own data files."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

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
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - either loader is a safe one
