"""A brief as a request's body has it: keys and values as in a YAML file, or text."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from core.errors import CallerError
from dr_rd.brief import Brief, parse_brief


def brief_of(given: Mapping[str, JsonValue] | str) -> Brief:
    """Return the brief; raises CallerError with the sentence that the command line has."""
    if not given:
        raise CallerError("the brief is empty; give one, such as {'objective': 'Test whether …'}")
    if isinstance(given, str):
        return parse_brief(given, None, "the brief")
    return parse_brief(json.dumps(given), "json", "the brief")
