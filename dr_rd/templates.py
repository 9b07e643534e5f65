"""Texts for people, filled from templates that are data."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from core.pluralize import amount, noun, pluralize
from dr_rd.files import read_text, read_yaml


def render(name: str, values: Mapping[str, Any]) -> str:
    """Fill the template `data/report/NAME`; a missing value is our bug and raises."""
    return environment().get_template(name).render(values)


def fill(text: str, values: Mapping[str, Any]) -> str:
    """Fill the template *text*; a missing value is a bug of whoever wrote it, and raises."""
    return _compiled(text).render(values)


@cache
def _compiled(text: str) -> Template:
    return environment().from_string(text)


@cache
def environment() -> Environment:
    """Return what fills the texts of `data/report`, and others with the same filters and rules."""
    made = Environment(
        loader=FunctionLoader(lambda name: read_text("report", name)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_without_comments,
        autoescape=False,  # noqa: S701 - Markdown; whoever shows it as HTML escapes it there
    )
    made.filters["amount"] = amount
    made.filters["cell"] = cell
    made.filters["counted"] = pluralize
    made.filters["noun"] = noun
    made.filters["in_words"] = in_words
    made.filters["quoted"] = quoted
    made.filters["stop"] = stop
    return made


def _without_comments(value: Any) -> Any:  # noqa: ANN401 - whatever a template fills in
    """Keep what is filled in from beginning a comment, which would hide what follows it."""
    return value.replace("<!--", "< !--") if isinstance(value, str) else value


def stop(text: str) -> str:
    """End *text* as a sentence ends, whether or not its author did."""
    bare = text.rstrip()
    return (
        bare if not bare or bare.endswith((".", "?", "!", "…", ".”", "?”", "!”")) else f"{bare}."
    )


def in_words(number: int, what: str) -> str:
    """Say how many of *what* there are, in words as far as there are some."""
    named = next((word for word, value in _words().items() if value == number), str(number))
    return f"{named} {what}{'s' if number != 1 else ''}"


@cache
def _words() -> Mapping[str, int]:
    """The words for numbers, each with its number."""
    words: Mapping[str, int] = read_yaml("language", "quantities.yaml")["number_words"]
    return words


def quoted(text: str) -> str:
    """Show a name that others chose as code, so that nothing in it is read as Markdown."""
    return f"`{cell(text).replace('`', chr(39))}`"


def cell(text: str) -> str:
    """Keep *text* inside one cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def clipped(text: str, longest: int = 140) -> str:
    """Cut *text* on one line, between words, to *longest* characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1].rsplit(" ", 1)[0] + "…"
