"""What amounts and passages are for, by trained weights: `data/reading/weights.npz`.

The file is written by `python -m bench.reading.train`.
"""

import io
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dr_rd.files import data_folder

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tagger:
    """One logistic regression a role, over features that are there or not."""

    roles: tuple[str, ...]
    keys: NDArray[np.uint32]
    """CRC-32 of each known feature, ascending."""
    weights: Array
    """[feature, role]"""
    bias: Array

    def probabilities(self, features: Iterable[str]) -> Mapping[str, float]:
        """Return the probability of each role."""
        wanted = np.unique(np.fromiter((feature_key(f) for f in features), np.uint32))
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = at[self.keys[at] == wanted]
        logits = self.weights[known].sum(axis=0) + self.bias
        return dict(zip(self.roles, (1 / (1 + np.exp(-logits))).tolist(), strict=True))


def feature_key(feature: str) -> int:
    """Return the 32-bit key of a feature."""
    return zlib.crc32(feature.encode(errors="surrogatepass"))


@dataclass(frozen=True, slots=True)
class Taggers:
    """What is trained."""

    amount: Tagger
    clause: Tagger
    objective: Tagger
    unit: Tagger


PARTS: Sequence[str] = ("amount", "clause", "objective", "unit")


@cache
def load_taggers() -> Taggers:
    """Read the weights."""
    held = np.load(io.BytesIO((data_folder() / "reading" / "weights.npz").read_bytes()))
    return Taggers(**{part: _tagger(part, held) for part in PARTS})


def _tagger(part: str, held: Mapping[str, NDArray[np.generic]]) -> Tagger:
    return Tagger(
        roles=tuple(str(r) for r in held[f"{part}.roles"]),
        keys=held[f"{part}.keys"].astype(np.uint32),
        weights=held[f"{part}.weights"].astype(np.float32),
        bias=held[f"{part}.bias"].astype(np.float32),
    )
