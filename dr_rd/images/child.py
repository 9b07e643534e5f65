"""The child's side of looking at a picture: its bytes in, what was measured out, as JSON."""

import base64
import hashlib
import json
import struct
import warnings
from collections.abc import Collection, Iterator, Mapping
from io import BytesIO
from typing import Any

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from core.errors import TaskError
from dr_rd.confined import reply
from dr_rd.images import SVG
from dr_rd.images.hashes import Grey, dhash, phash
from dr_rd.images.measures import Bar, bars, beside, sharpness

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF")
MAX_PIXELS = 40_000_000
"""A camera's picture; beyond lie bombs, and scans of slides that are pyramids of tiles."""
MAX_FRAMES = 500
LOOKED_AT = 5
"""Frames of a moving or layered picture that are measured."""

_BINS, _COLOURS = 16, 6
_FLAT = 2.0
"""Standard deviation of brightness below which a picture has nothing to compare."""
_PRINT = 2_400
"""Pixels of the longer side of what is read as print; smaller pictures are doubled."""
_LETTERS = (19, 24, 30)
"""Heights of letters, in pixels, that are read best."""
_MARGIN = 20
_SIGHT = 1_024
"""Pixels of the longer side of what a model is shown."""
_BITS = {"1": 1, "I;16": 16, "I;16B": 16, "I;16L": 16, "I": 32, "F": 32}

_DAMAGE = (
    OSError, SyntaxError, ValueError, KeyError, IndexError, TypeError, EOFError, struct.error,
    OverflowError, ZeroDivisionError, AttributeError, RuntimeError,
)  # fmt: skip
"""What decoders raise on broken files; anything else ends the child."""


def main(question: bytes) -> bytes:
    """Answer a line of JSON and a picture with what was measured, or refuse it."""
    warnings.simplefilter("ignore")  # nobody reads them; what they warn of is checked here
    asked, _, data = question.partition(b"\n")
    return reply(lambda: _measured(data, json.loads(asked)))


def _measured(data: bytes, asked: Mapping[str, Any]) -> dict[str, Any]:
    if b"<svg" in data[:2000].lower():
        raise TaskError(SVG)
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            return _metadata(image, asked)
    except UnidentifiedImageError as error:
        raise TaskError("is no PNG, JPEG, WebP, GIF or TIFF picture, or is damaged") from error
    except Image.DecompressionBombError as error:
        raise TaskError(f"has more than {MAX_PIXELS:,} pixels") from error
    except _DAMAGE as error:
        raise TaskError(f"is damaged ({type(error).__name__})") from error


def _metadata(image: Image.Image, asked: Mapping[str, Any]) -> dict[str, Any]:
    if image.width * image.height > MAX_PIXELS:
        size = f"{image.width:,} × {image.height:,}"
        raise TaskError(f"has {size} pixels; up to {MAX_PIXELS:,} are looked at")
    count = getattr(image, "n_frames", 1)
    if count > MAX_FRAMES:
        raise TaskError(f"has {count:,} frames; up to {MAX_FRAMES} are looked at")
    about = {
        "format": image.format,
        "width": image.width,
        "height": image.height,
        "bits": _BITS.get(image.mode, 8),
        **_exif(image, asked["exif"]),
    }
    first = _first(_flattened_frame(image), asked)
    sharp = [first["sharpness"], *_further(image, count)] if count > 1 else []
    return {**about, **first, "frames": count, "frames_sharpness": sharp}


def _first(first: Image.Image, asked: Mapping[str, Any]) -> dict[str, Any]:
    grey_image = first.convert("L")
    grey: Grey = np.asarray(grey_image)
    found = {
        "brightness": _brightness(grey_image),
        "histogram": _histogram(first),
        "colours": _colours(first),
        "sharpness": sharpness(grey),
        "pixels": _digest(first),
        **_hashes(grey_image),
    }
    if asked["print"]:
        found |= {
            "print": _print(grey_image),
            "bars": [_scale_bar_reading(grey, b) for b in bars(grey)],
        }
    if asked["sight"]:
        found["sight"] = _encoded(_fitted(first, _SIGHT / max(first.size)))
    return found


def _flattened_frame(image: Image.Image) -> Image.Image:
    """Return the current frame in colour on white, without what else the file says."""
    if _BITS.get(image.mode, 8) > 8:
        return Image.fromarray(_eight_bits(np.asarray(image))).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        over = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", over.size, "white"), over).convert("RGB")
    return image.convert("RGB")


def _eight_bits(values: np.ndarray[Any, Any]) -> Grey:
    """Bring deep grey values to 0 to 255: 16 bits by their range, others by their extremes."""
    if values.dtype.itemsize == 2:
        return np.asarray(values >> 8, dtype=np.uint8)
    finite = np.nan_to_num(values.astype(np.float32), posinf=0, neginf=0)
    low, high = float(finite.min()), float(finite.max())
    return np.asarray((finite - low) * (255 / ((high - low) or 1)), dtype=np.uint8)


def _further(image: Image.Image, count: int) -> Iterator[float | None]:
    """Measure the sharpness of the frames after the first."""
    for number in range(1, min(count, LOOKED_AT)):
        image.seek(number)
        if image.width * image.height > MAX_PIXELS:
            raise TaskError(f"has a frame of more than {MAX_PIXELS:,} pixels")
        yield sharpness(np.asarray(_flattened_frame(image).convert("L")))


def _exif(image: Image.Image, names: Collection[str]) -> dict[str, Any]:
    record = image.getexif()
    rows = {**record, **record.get_ifd(ExifTags.IFD.Exif)}
    named = {ExifTags.TAGS.get(tag, ""): value for tag, value in rows.items()}
    told = {name: _plain(named[name]) for name in names if name in named}
    placed = bool(record.get_ifd(ExifTags.IFD.GPSInfo)) or _places(image)
    return {
        "exif": {name: value for name, value in told.items() if value is not None},
        "location": "removed" if placed else "none",
    }


def _places(image: Image.Image) -> bool:
    """Whether the file's other records give a place."""
    return any("GPSL" in str(value) or b"GPSL" in _raw(value) for value in image.info.values())


def _raw(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _plain(value: object) -> str | float | None:
    if isinstance(value, str):
        return "".join(c for c in value if c.isprintable()).strip()[:100]
    try:
        number = float(value)  # type: ignore[arg-type]  # a rational of Pillow's, or no number
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return round(number, 6) if np.isfinite(number) else None


def _brightness(grey: Image.Image) -> dict[str, float]:
    """Mean and standard deviation from 0 to 255, and the shares of pure black and white."""
    counts = np.asarray(grey.histogram(), dtype=np.float64)
    levels, shares = np.arange(256), counts / counts.sum()
    mean = float(shares @ levels)
    deviation = float(np.sqrt(shares @ (levels - mean) ** 2))
    return {"mean": mean, "sd": deviation, "black": shares[0], "white": shares[255]}


def _histogram(image: Image.Image) -> dict[str, list[float]]:
    """Share of pixels in each of 16 equal steps of brightness, by channel."""
    counts = np.asarray(image.histogram(), dtype=np.float64).reshape(3, _BINS, -1).sum(axis=2)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return dict(zip(("red", "green", "blue"), shares.tolist(), strict=True))


def _colours(image: Image.Image) -> list[dict[str, Any]]:
    """The colours that most pixels are near to, by median cut of a small copy."""
    small = image.copy()
    small.thumbnail((128, 128), Image.Resampling.BOX)
    cut = small.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette = np.asarray(cut.getpalette("RGB") or [], dtype=np.uint8).reshape(-1, 3)
    counts = np.bincount(np.asarray(cut).ravel())
    return [
        {"colour": f"#{palette[n].tobytes().hex()}", "share": float(counts[n] / counts.sum())}
        for n in np.argsort(-counts, kind="stable")
        if counts[n]
    ]


def _hashes(grey: Image.Image) -> dict[str, str]:
    if np.asarray(grey.resize((32, 32), Image.Resampling.BOX)).std() < _FLAT:
        return {"dhash": "", "phash": ""}
    d, p = (grey.resize(size, Image.Resampling.LANCZOS) for size in ((9, 8), (32, 32)))
    return {"dhash": dhash(np.asarray(d)), "phash": phash(np.asarray(p))}


def _digest(image: Image.Image) -> str:
    return hashlib.sha256(f"{image.size}".encode() + image.tobytes()).hexdigest()


def _scale_bar_reading(grey: Grey, bar: Bar) -> dict[str, Any]:
    """A bar's length, and what is written beside it in two sizes: what is sure reads alike."""
    cut, height = beside(grey, bar)
    image = ImageOps.expand(Image.fromarray(cut), _MARGIN, 255)
    scales = [min(4.0, wanted / height, _PRINT / max(image.size)) for wanted in _LETTERS]
    return {"length": bar.length, "prints": [_encoded(_fitted(image, s)) for s in scales]}


def _print(grey: Image.Image) -> str:
    """The picture in the size in which print is read best."""
    return _encoded(_fitted(grey, min(2.0, _PRINT / max(grey.size))))


def _fitted(image: Image.Image, scale: float) -> Image.Image:
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.resize(size, Image.Resampling.LANCZOS)


def _encoded(image: Image.Image) -> str:
    """Write the picture anew, so that nothing but its pixels goes on."""
    file = BytesIO()
    image.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
