"""How a model is told what a tool takes."""

import json
from typing import Literal

from pydantic import BaseModel, Field

from dr_rd.agents.signature import signature
from dr_rd.evidence.corpus import Corpus
from dr_rd.evidence.index import open_index
from dr_rd.tools import Sources, load_tools


class Part(BaseModel):
    name: str
    parts: list["Part"] = []


class Asked(BaseModel):
    """What is asked."""

    value: float
    to: Literal["m", "ft"] = Field("m", description="The unit.")
    scores: dict[str, int] = {}
    note: str | None = None
    whole: Part | None = None


def test_names_kinds_and_what_may_be_left_out_are_told():
    assert signature(Asked.model_json_schema()) == (
        '{"value": number, "to"?: "m" | "ft" (The unit), "scores"?: {any name: integer}, '
        '"note"?: string | null, "whole"?: {"name": string, "parts"?: [any, ...]} | null}'
    )


def test_a_schema_of_another_program_that_says_little_is_told_as_little():
    assert signature({}) == "any"
    odd = {"type": "object", "properties": {"a": {"$ref": "#/else"}, "b": {"type": ["x"]}}}
    assert signature(odd) == '{"a"?: any, "b"?: any}'


def test_each_tool_of_ours_names_all_its_arguments_in_less_than_half_of_the_schema():
    corpus = Corpus()
    for tool in load_tools().open(Sources(corpus, open_index(corpus))):
        schema = tool.params.model_json_schema()
        told = signature(schema)
        assert [n for n in schema.get("properties", {}) if f'"{n}"' not in told] == []
        assert "any," not in told.replace(": [any, ...]", "")
        assert 2 * len(told) < len(json.dumps(schema)), tool.name
