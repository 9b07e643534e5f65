"""How many parameters models have: "Llama-2-13B", "a 7B model", "270-300M parameters"."""

import re
from collections.abc import Iterator

from dr_rd.quantity import Quantity, quantities
from dr_rd.text import Cue

PARAMETERS = "model size in parameters"
"""The noun of such a size."""

_SCALES = {"M": 1e6, "B": 1e9}
_LEAST = 1e6
"""A model has no fewer: "three parameters" are those of a formula."""
_NOUNS = ("parameter", "parameters", "weight", "weights")
_MODELS = (
    "model models llm llms encoder encoders decoder decoders checkpoint checkpoints parameter parameters weights"
    " transformer generator generators variant variants bert xlm llama mistral mt5 t5 bloom falcon mpt learner mixture"
).split()
_OF_MODEL = Cue(_MODELS, rf"(?<![^\W_])(?:{'|'.join(_MODELS)})(?![^\W_])")
_NUMBER = r"\d+(?:\.\d+)?"
_SIZE = re.compile(
    rf"(?<![\w.£$€¥])(?P<name>[^\W\d_]\w*-(?:[\w.]+-)?)?(?:(?P<times>\d)x)?(?P<low>{_NUMBER})(?:[BM]?\s?[-–]\s?(?P<high>{_NUMBER}))?(?P<scale>[BM])"
    r"(?:\d\b)?(?=[-,.;:()\]]|$|\s(?:is|are|was|and|or|to|base|size|mixture|param\w*|weights?|models?|llms?|encoders?|decoders?|checkpoints?|variants?|versions?)\b)"
)


def parameters(text: str) -> Iterator[Quantity]:
    """Return the sizes of models that *text* names, in digits and in words."""
    told = bool(_OF_MODEL.search(text))
    found = [_sized(m) for m in _SIZE.finditer(text) if told or m["name"]]
    yield from found
    for q in quantities(text) if told else ():
        named = q.noun.split()[:1] and q.noun.split()[0] in _NOUNS and (q.high or 0) >= _LEAST
        if named and not any(f.start < q.end and q.start < f.end for f in found):
            yield q.model_copy(update={"unit": "count", "noun": PARAMETERS})


def _sized(match: re.Match[str]) -> Quantity:
    scale = _SCALES[match["scale"]] * int(match["times"] or 1)
    low, high = float(match["low"]) * scale, float(match["high"] or match["low"]) * scale
    return Quantity(
        comparison="between" if low < high else "stated",
        low=low,
        high=max(low, high),
        unit="count",
        noun=PARAMETERS,
        text=match[0],
        start=match.start(),
        end=match.end(),
    )
