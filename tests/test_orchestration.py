"""The page on orchestration says what the code does; `python -m tests.test_orchestration` writes it."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from core.graph.build import draw_mermaid
from core.graph.state import GraphState
from core.modes.graph import sequential
from core.settings import Flags, choices

PAGE = Path(__file__).parents[1] / "docs/orchestration.md"


def graph() -> str:
    return f"```mermaid\n{draw_mermaid(sequential()).strip()}\n```"


def state() -> str:
    names = (f"`{name}`" for name in GraphState.model_fields)
    return table(("Field", "What"), zip(names, described(GraphState), strict=True))


def flags() -> str:
    fields = Flags.model_fields.items()
    rows = (
        (f"`{name}`", f"`{shown(field)}`", choices(field), meaning)
        for (name, field), meaning in zip(fields, described(Flags), strict=True)
    )
    return table(("Flag", "Default", "What it may be", "Meaning"), rows)


def shown(field: FieldInfo) -> str:
    value = field.get_default()
    return str(value).lower() if isinstance(value, bool) else str(value)


def described(model: type[BaseModel]) -> list[str]:
    fields = model.model_fields.values()
    return [" ".join((field.description or "").split()).rstrip(".") for field in fields]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [tuple(head)]
    cells += [("---",) * len(cells[0]), *map(tuple, rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


BLOCKS: Mapping[str, Callable[[], str]] = {"graph": graph, "state": state, "flags": flags}


def block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_of_the_page_is_what_the_code_says(name: str) -> None:
    found = block(name).search(PAGE.read_text("utf-8"))
    assert found
    assert found[0].strip() == BLOCKS[name]()


def test_every_flag_and_field_is_described() -> None:
    assert all(described(Flags))
    assert all(described(GraphState))


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    for name, made in BLOCKS.items():
        text = f"{made()}\n"
        page = block(name).sub(lambda _, text=text: text, page)
    PAGE.write_text(page, "utf-8")
