"""What a file is, by its name."""

from collections.abc import Mapping
from functools import cached_property

from core.values import Frozen
from dr_rd.files import read_yaml
from dr_rd.repository.glob import matches


class Kinds(Frozen):
    """Patterns of paths in lower case."""

    languages: Mapping[str, tuple[str, ...]]
    tests: tuple[str, ...]
    landmarks: Mapping[str, tuple[str, ...]]
    """By what a stranger looks for first, such as the licence."""

    def language(self, path: str) -> str:
        """Return the language of a file, or "other"."""
        name = path.rpartition("/")[2].lower()
        ending = f"*.{name.rpartition('.')[2]}"
        known = self._by_pattern.get(name) or self._by_pattern.get(ending)
        return known or _first(self.languages, path) or "other"

    @cached_property
    def _by_pattern(self) -> Mapping[str, str]:
        """Languages by whole names and endings, which are quicker to look up than to match."""
        return {glob: name for name, globs in self.languages.items() for glob in globs}

    def landmark(self, path: str) -> str:
        """Return which landmark a file is, or ""."""
        return _first(self.landmarks, path)

    def is_test(self, path: str) -> bool:
        """Whether a file holds tests."""
        return any(matches(pattern, path.lower()) for pattern in self.tests)


def load_kinds() -> Kinds:
    """Read the table of languages, tests and landmarks."""
    return Kinds.model_validate(read_yaml("reading", "languages.yaml"))


def _first(table: Mapping[str, tuple[str, ...]], path: str) -> str:
    low = path.lower()
    return next((kind for kind, globs in table.items() if any(matches(g, low) for g in globs)), "")
