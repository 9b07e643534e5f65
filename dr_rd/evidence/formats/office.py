"""What Word and Excel files share: the check of the archive, and which parts are left out."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping

from core.pluralize import pluralize
from dr_rd.evidence.formats.blocks import Unreadable

MAX_UNZIPPED = 100_000_000
"""Bytes that an Office file may unpack to: far above any real text, far below a small machine."""
MAX_RATIO = 200
"""How often its parts may shrink by packing; XML packs 20-fold, a bomb 1000-fold."""
MAX_PARTS = 5_000
"""Parts inside an Office file: a picture on every page of a long report fits."""

_LEFT_OUT = (
    (r"media/.+", "picture"),
    (r"charts/chart\d*\.xml", "chart"),
    (r"diagrams/data\d*\.xml", "diagram"),
    (r"embeddings/.+|afchunk.+", "embedded file"),
    (r"comments\d*\.xml|comments/.+", "sheet or text with comments"),
)
"""Parts that are not read, by what their names match below "word/" or "xl/"."""


def check_zip(data: bytes) -> Mapping[str, int]:
    """Refuse what would unpack to far more than a document; return the size of each part."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    size = sum(p.file_size for p in parts)
    packed = sum(p.compress_size for p in parts)
    if len(parts) > MAX_PARTS:
        raise Unreadable(f"holds {len(parts):,} parts; the limit is {MAX_PARTS:,}")
    if size > MAX_UNZIPPED or size > MAX_RATIO * max(packed, 5_000):
        raise Unreadable(f"would unpack to {size:,} bytes from {packed:,}; it may be a zip bomb")
    return {p.filename: p.file_size for p in parts}


def left_out(names: Iterable[str]) -> Iterator[str]:
    """Say how many pictures, charts and other parts that are not read there are."""
    inner = [name.partition("/")[2] for name in names]
    for pattern, kind in _LEFT_OUT:
        if number := sum(re.fullmatch(pattern, name, re.IGNORECASE) is not None for name in inner):
            yield pluralize(number, kind)
