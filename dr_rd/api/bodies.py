"""A brief as a request's body has it: keys and values as in a YAML file, or text."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from core.errors import CallerError
from dr_rd.brief import Brief
from dr_rd.reading import Given, parse_brief


def brief_of(given: Mapping[str, JsonValue] | str) -> Brief:
    """Return the brief; raises CallerError with the sentence that the command line has."""
    text, kind, name, *_ = given_in(given)
    return parse_brief(text, kind, name)


def given_in(given: Mapping[str, JsonValue] | str) -> Given:
    """Return the text that a body holds, to be read; raises CallerError if there is none."""
    if not given:
        raise CallerError("the brief is empty; give one, such as {'objective': 'Test whether …'}")
    if isinstance(given, str):
        return Given(given, None, "the brief")
    return Given(json.dumps(given, ensure_ascii=False), "json", "the brief")
