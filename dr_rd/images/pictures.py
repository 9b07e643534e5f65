"""Which pictures the analyst's folders hold, and their bytes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from core.errors import TaskError, nearest
from core.values import Frozen
from dr_rd.enclosure import Enclosure, Refusal
from dr_rd.files import read_yaml
from dr_rd.images import DRAWN, ENDINGS, SVG

MAX_BYTES = 30_000_000
"""Of one file: a camera's largest; more is a scan of a slide, which has tools of its own."""


class PictureVocabulary(Frozen):
    """What is told of a picture: EXIF fields, and units by how they are read."""

    exif: tuple[str, ...]
    units: Mapping[str, str]


def load_vocabulary() -> PictureVocabulary:
    """Read what is told of a picture."""
    return PictureVocabulary.model_validate(read_yaml("reading", "pictures.yaml"))


@dataclass(frozen=True)
class Pictures:
    """The pictures of some folders, by name, and what was left aside."""

    by_path: Mapping[str, Enclosure]
    refused: Sequence[Refusal]

    def read(self, path: str) -> bytes:
        """Return the bytes of a picture that is among them; raises TaskError with a reason."""
        if path not in self.by_path:
            hint = nearest(path, self.by_path)
            known = ", ".join([*self.by_path][:20]) or "none"
            raise TaskError(
                f"no picture {path!r} is among the documents{hint}; there are: {known}"
            )
        return self.by_path[path].read(path, MAX_BYTES)


@dataclass
class _Found:
    by_path: dict[str, Enclosure] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)

    def take(self, enclosure: Enclosure, path: str) -> None:
        if path in self.by_path:
            self.refused.append(Refusal(path, "has the name of a picture in an earlier folder"))
        else:
            self.by_path[path] = enclosure


def find_pictures(
    places: Sequence[Path], denied: Mapping[str, Sequence[str]], going_on: Callable[[], bool]
) -> Pictures:
    """Find the pictures in *places*, which are folders or files that the analyst chose."""
    found = _Found()
    for place in places:
        only = None if place.is_dir() else place.name
        enclosure = Enclosure(place if only is None else place.parent, denied)
        for item in enclosure.walk("", going_on, _others(only)):
            name = PurePosixPath(item.path).name
            ending = PurePosixPath(item.path).suffix.lower()
            if name.startswith(".") or (only is not None and item.path != only):
                continue
            if isinstance(item, Refusal):
                found.refused += [item] if ending in ENDINGS else []
            elif ending in DRAWN:
                found.refused.append(Refusal(item.path, SVG))
            elif ending in ENDINGS:
                found.take(enclosure, item.path)
    return Pictures(found.by_path, tuple(found.refused))


def _others(only: str | None) -> Callable[[str], str]:
    """Leave aside what lies beside a file that was chosen, so that no folder is gone through."""
    return lambda path: "" if only in (None, path) else "was not chosen"
