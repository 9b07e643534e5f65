"""The longest files of tests are handed out first."""

from dataclasses import dataclass
from pathlib import Path

from tests.conftest import LONGEST, ROOT, pytest_collection_modifyitems


@dataclass(frozen=True)
class Collected:
    path: Path


def test_the_longest_come_first_and_the_rest_stay_in_their_order():
    rest = [Collected(ROOT / "tests/z.py"), Collected(ROOT / "tests/a.py")]
    first, second = (Collected(ROOT / name) for name in LONGEST[:2])
    items = [rest[0], second, first, second, rest[1]]
    pytest_collection_modifyitems(items)
    assert items == [first, second, second, *rest]


def test_every_file_that_is_named_is_there_and_named_once():
    assert [name for name in LONGEST if not (ROOT / name).is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)
