"""A model's window, found out from its server: what it says of itself, and how it counts.

Every question is one that some server answers and the others refuse; what nobody answers is
unknown, and no failure.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from pydantic import JsonValue

from dr_rd.files import read_yaml
from dr_rd.models.chat.http import ServerQuery
from dr_rd.models.window import Rates, extents

Count = Callable[[str], Awaitable[int | None]]
"""Says how many prompt tokens a model's server counts for a text; None if it does not say."""

_LENGTHS = (
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "n_ctx",
)
"""The names under which servers list a model's window, those of what is loaded first."""

_LEAST, _MOST = 256, 100_000_000
"""A window outside of these is none, in tokens."""

_RATES = (0.2, 12.0)
"""Characters to a token beyond these are no rate of a real model."""


async def context_of(query: ServerQuery, model: str) -> int | None:
    """Ask a server how much *model* reads and writes at once, in tokens; None if it says nothing.

    vLLM and the hosted services list it with their models; llama.cpp tells it of what it runs
    (/props), Ollama (/api/ps) and LM Studio (/api/v0/models) of what they have loaded. Last counts
    what a model was trained for, as llama.cpp lists it.
    """
    listed = _listed_model(await query("models", None), "data", model)
    if found := _context_length(listed, _LENGTHS):
        return found
    props = _mapping_or_empty(await query("/props", None))
    if found := _context_length(
        {**props, **_mapping_or_empty(props.get("default_generation_settings"))}, ("n_ctx",)
    ):
        return found
    if found := _context_length(
        _listed_model(await query("/api/ps", None), "models", model), ("context_length",)
    ):
        return found
    loaded = _listed_model(await query("/api/v0/models", None), "data", model)
    return _context_length(loaded, _LENGTHS[:1]) or _context_length(
        _mapping_or_empty(listed.get("meta")), ("n_ctx_train",)
    )


async def rates_of(query: ServerQuery, count: Count, model: str) -> Rates:
    """Measure how many characters make a token of *model*, on a sample of each kind of writing.

    By the server's own /tokenize where it has one (vLLM, llama.cpp); else by the prompt tokens
    that it reports for each sample, less those for no sample.
    """
    samples: dict[str, str] = read_yaml("reading", "samples.yaml")
    tokens = await _token_counts(partial(_tokenized_length, query, model), samples)
    if not tokens:
        tokens = await _token_counts(count, samples)
    found = {kind: _rate(max(extents(text)), tokens.get(kind)) for kind, text in samples.items()}
    measured = {kind: rate for kind, rate in found.items() if rate is not None}
    return Rates(**measured, measured="words" in measured)


async def _tokenized_length(query: ServerQuery, model: str, text: str) -> int | None:
    # vLLM reads "prompt", llama.cpp "content"; each passes over the other
    asked: JsonValue = {"model": model, "prompt": text, "content": text}
    said = _mapping_or_empty(await query("/tokenize", asked))
    tokens = said.get("tokens")
    return len(tokens) if isinstance(tokens, list) else _int_or_none(said.get("count"))


async def _token_counts(count: Count, samples: Mapping[str, str]) -> dict[str, int]:
    """Return the tokens of each sample beyond those of none; empty if nobody counts."""
    bare = await count("")
    if bare is None:
        return {}
    counts = {kind: await count(text) for kind, text in samples.items()}
    return {kind: found - bare for kind, found in counts.items() if found is not None}


def _rate(characters: float, tokens: int | None) -> float | None:
    """Return characters per token, rounded down; None if there is no such model."""
    rate = int(100 * characters / tokens) / 100 if tokens and tokens > 0 else 0.0
    return rate if _RATES[0] <= rate <= _RATES[1] else None


def _listed_model(said: JsonValue, name: str, model: str) -> dict[str, Any]:
    """Return what is listed of *model*, or of the only one there is."""
    listed = _mapping_or_empty(said).get(name)
    entries = [_mapping_or_empty(entry) for entry in listed] if isinstance(listed, list) else []
    alike = [entry for entry in entries if _model_name(entry) in (model, f"{model}:latest")]
    only = entries if len(entries) == 1 else [{}]
    return (alike or only)[0]


def _model_name(entry: Mapping[str, Any]) -> object:
    return entry.get("id") or entry.get("model") or entry.get("name")


def _context_length(entry: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    lengths = (_int_or_none(entry.get(name)) for name in names)
    return next((n for n in lengths if n is not None and _LEAST <= n <= _MOST), None)


def _mapping_or_empty(said: object) -> dict[str, Any]:
    return said if isinstance(said, dict) else {}


def _int_or_none(said: object) -> int | None:
    return said if isinstance(said, int) and not isinstance(said, bool) else None
