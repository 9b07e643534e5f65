"""The README tells the truth: its example is run, its picture is drawn from the graph.

`python -m tests.readme` writes both anew.
"""

import re
from pathlib import Path

from core.modes.graph import sequential
from core.settings import prepare_process
from dr_rd.cli import commands
from dr_rd.reading import parse_brief

README = Path(__file__).parents[1] / "README.md"
_EXAMPLE = re.compile(r"(?<=<!-- example: begin -->\n).*?(?=<!-- example: end -->)", re.DOTALL)
_GRAPH = re.compile(r"(?<=```mermaid\n).*?(?=```)", re.DOTALL)


def drawn() -> str:
    prepare_process()
    from core.graph.build import draw_mermaid  # noqa: PLC0415 - after prepare_process

    return draw_mermaid(sequential()).strip() + "\n"


def example(finish) -> str:
    """The summary of the proposal for the README's brief."""
    brief = re.search(r"```yaml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    body = finish(parse_brief(brief, "yaml", name="rye")).body
    summary = body.split("## Decision")[1].split("## Objective")[0].strip()
    return "".join(f"> {line}".rstrip() + "\n" for line in summary.splitlines())


def test_the_worked_example_is_what_the_run_gives(finish):
    assert _EXAMPLE.search(README.read_text(encoding="utf-8"))[0] == example(finish)


def test_the_picture_is_the_graph():
    assert _GRAPH.search(README.read_text(encoding="utf-8"))[0] == drawn()


def test_every_command_named_exists():
    named = set(re.findall(r"bin/dr-rd (\w+)", README.read_text(encoding="utf-8")))
    assert named == set(commands.commands)


def test_every_file_linked_exists():
    for target in re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / target).exists(), target
