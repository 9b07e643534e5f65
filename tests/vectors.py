"""Vectors of texts, kept between tests: most of what reading a brief takes goes into embedding it."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np

from dr_rd.evidence.embeddings import Vectors


class Kept:
    """A model of embeddings that is asked only what no test, in whichever process, asked before.

    What it gave is kept in a folder, under the very request: the same texts one by one and at once
    are two requests, for a model may round them differently.
    """

    def __init__(self, model: Callable[..., Any], folder: Path, **chosen: int) -> None:
        self._model, self._folder = model(**chosen), folder

    def query(self, text: str) -> Vectors:
        return self._kept("query", text)

    def passage(self, texts: Sequence[str]) -> Vectors:
        return self._kept("passage", list(texts))

    def _kept(self, kind: str, asked: str | list[str]) -> Vectors:
        path = self._folder / f"{sha256(repr((kind, asked)).encode()).hexdigest()}.npy"
        with suppress(OSError, EOFError, ValueError):  # it is not there, or was torn by a crash
            return np.load(path)
        found = getattr(self._model, kind)(asked)
        part = path.with_suffix(f".{os.getpid()}-{get_ident()}")
        with part.open("wb") as file:
            np.save(file, found)
        part.replace(path)  # another process reads all of it or nothing
        return found
