"""Pictures are measured in a child with limits; whatever they are, the answer is JSON or a reason."""

import json
import os
import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from PIL.TiffImagePlugin import IFDRational

from core.clock import SystemClock
from core.errors import TaskError
from core.graph.state import ToolRequest
from core.testing import FakeClock
from core.tool_router import Toolbox
from core.values import digest
from dr_rd.confined import Limits
from dr_rd.images import child, pictures
from dr_rd.images.hashes import dhash, phash
from dr_rd.images.measures import Bar, bars, sharpness
from dr_rd.images.print import installed
from dr_rd.tools.analyze_image.tool import SECONDS, AnalyzeImage, image_tool


def scene(seed=0, size=(320, 240)):
    """A soft picture with structure of its own."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(30, 190, (12, 16, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize(size, Image.Resampling.BICUBIC)


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "documents"
    found.mkdir()
    return found


def look(folder, *images, text=False, **made):
    return image_tool([folder], **made).run(AnalyzeImage(images=images, text=text))


def only(folder, **args):
    found = look(folder, **args)
    assert found["refused"] == []
    return found["images"][0]


def reason(folder):
    found = look(folder)
    assert found["images"] == []
    return found["refused"][0]["reason"]


# --- what it is for


def test_every_format_gives_the_same_facts(folder):
    names = ("a.png", "b.jpg", "c.JPEG", "d.webp", "e.gif", "f.tif", "g.tiff")
    for name in names:
        scene().save(folder / name)
    found = look(folder)
    assert found["refused"] == []
    assert [r["path"] for r in found["images"]] == list(names)
    mean = float(np.asarray(scene().convert("L")).mean())
    for name, row in zip(names, found["images"], strict=True):
        assert (row["width"], row["height"], row["bits"], row["frames"]) == (320, 240, 8, 1)
        assert row["format"] == {"jpg": "JPEG", "tif": "TIFF"}.get(
            name[2:].lower(), name[2:].upper()
        )
        assert row["brightness"]["mean"] == pytest.approx(mean, abs=2)
        assert row["description"] == "no model with vision"
        assert all(sum(s) == pytest.approx(1, abs=1e-3) for s in row["histogram"].values())


def test_colours_and_shares_of_a_known_picture(folder):
    image = Image.new("RGB", (100, 100), "#ff0000")
    image.paste("#0000ff", (0, 0, 100, 25))
    image.save(folder / "a.png")
    row = only(folder)
    assert row["colours"] == [
        {"colour": "#ff0000", "share": 0.75}, {"colour": "#0000ff", "share": 0.25},
    ]  # fmt: skip
    assert row["histogram"]["blue"][15] == 0.25


def test_the_camera_is_told_and_the_place_is_not(folder):
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x013B] = "Zeiss", "Axio", "Ana Bo"
    exif[0x010E] = "taken at Latitude 52.52 north"
    exif.get_ifd(0x8769)[0x829A] = IFDRational(1, 50)
    exif.get_ifd(0x8769)[0xA431] = "SERIAL-4711"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    scene().save(folder / "a.jpg", exif=exif)
    row = only(folder)
    assert row["exif"] == {"Make": "Zeiss", "Model": "Axio", "ExposureTime": 0.02}
    assert row["location"] == "removed"
    for private in ("52", "31.0", "Ana", "4711", "north"):
        assert private not in json.dumps([row["exif"], row["location"]])


def test_a_picture_without_a_place_says_so(folder):
    scene().save(folder / "a.png")
    assert only(folder)["location"] == "none"


def test_a_place_in_the_other_record_is_noticed(folder):
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>52,31N</exif:GPSLatitude>'
    scene().save(folder / "a.webp", xmp=xmp)
    row = only(folder)
    assert row["location"] == "removed"
    assert "52,31" not in json.dumps(row)


def test_a_blurred_picture_is_less_sharp():
    rng = np.random.default_rng(3)
    sharp = Image.fromarray(rng.integers(0, 255, (60, 60), dtype=np.uint8))
    blurred = sharp.filter(ImageFilter.GaussianBlur(2))
    assert sharpness(np.asarray(blurred)) < sharpness(np.asarray(sharp)) / 10


def test_sharpness_is_the_variance_of_the_laplacian():
    grey = np.random.default_rng(4).integers(0, 255, (700, 9), dtype=np.uint8)
    g = grey.astype(float)
    edges = g[1:-1, 2:] + g[1:-1, :-2] + g[2:, 1:-1] + g[:-2, 1:-1] - 4 * g[1:-1, 1:-1]
    assert sharpness(grey) == pytest.approx(edges.var())
    assert sharpness(grey[:2]) is None


def test_copies_are_found_and_other_scenes_are_not(folder):
    scene(1).save(folder / "a.png")
    scene(1).save(folder / "a_again.tif")
    scene(1).resize((160, 120)).save(folder / "a_small.jpg", quality=60)
    scene(1).point(lambda v: min(255, v + 20)).save(folder / "a_bright.png")
    for seed in range(2, 5):
        scene(seed).save(folder / f"b{seed}.png")
    found = look(folder)["duplicates"]
    assert all(name.startswith("a") for pair in found for name in pair["images"])
    assert len(found) == 6
    same = [pair["images"] for pair in found if pair["kind"] == "same pixels"]
    assert same == [["a.png", "a_again.tif"]]


def test_flat_pictures_are_not_taken_for_copies(folder):
    Image.new("RGB", (50, 50), "#808080").save(folder / "grey.png")
    Image.new("RGB", (60, 50), "#202020").save(folder / "dark.png")
    assert look(folder)["duplicates"] == []


def test_the_hashes_of_ramps():
    rising = np.tile(np.arange(9, dtype=np.uint8), (8, 1))
    assert dhash(rising) == "f" * 16
    assert dhash(rising[:, ::-1]) == "0" * 16
    ramp = np.tile(np.arange(32, dtype=np.uint8), (32, 1))
    assert int(phash(ramp), 16) ^ int(phash(ramp[:, ::-1]), 16)


def test_the_first_frames_of_a_moving_picture_are_measured(folder):
    frames = [scene(n, (64, 48)) for n in range(9)]
    frames[0].save(folder / "a.gif", save_all=True, append_images=frames[1:])
    row = only(folder)
    assert row["frames"] == 9
    assert len(row["frames_sharpness"]) == child.LOOKED_AT


def test_deep_and_see_through_pictures_are_brought_to_eight_bits(folder):
    deep = np.linspace(0, 65535, 64 * 48).reshape(48, 64)
    Image.fromarray(deep.astype(np.uint16)).save(folder / "a.png")
    Image.fromarray(deep.astype(np.float32)).save(folder / "b.tif")
    Image.new("RGBA", (64, 48), (0, 0, 0, 0)).save(folder / "c.png")
    Image.new("CMYK", (64, 48)).save(folder / "d.jpg")
    rows = {row["path"]: row for row in look(folder)["images"]}
    assert (rows["a.png"]["bits"], rows["b.tif"]["bits"]) == (16, 32)
    assert rows["a.png"]["brightness"]["mean"] == pytest.approx(127, abs=1)
    assert rows["b.tif"]["brightness"]["mean"] == pytest.approx(127, abs=1)
    assert rows["c.png"]["brightness"]["white"] == 1
    assert rows["d.jpg"]["brightness"]["mean"] == 255


def test_a_bar_is_found_among_other_things():
    grey = np.full((200, 300), 120, dtype=np.uint8)
    grey[180:186, 200:280] = 255
    grey[20:120, 20:60] = 255
    assert bars(grey) == [Bar(left=200, top=180, length=80, thickness=6, dark=False)]


def micrograph(label, fill="white"):
    image = scene(5, (800, 600)).convert("L").convert("RGB")
    draw = ImageDraw.Draw(image)
    draw.rectangle((560, 560, 759, 567), fill=fill)
    draw.text((590, 514), label, font=ImageFont.load_default(30), fill=fill)
    return image


needs_ocr = pytest.mark.skipif(not installed(), reason="tesseract is not installed")


@needs_ocr
def test_a_scale_bar_gives_the_size_of_a_pixel(folder):
    micrograph("100 nm").save(folder / "a.png")
    bar = only(folder, text=True)["scale_bar"]
    assert (bar["label"], bar["pixels"], bar["per_pixel"]) == ("100 nm", 200, 0.5)
    assert "compare" in bar["note"]


@needs_ocr
def test_print_is_read_and_a_picture_without_a_bar_says_so(folder):
    page = Image.new("L", (500, 120), 255)
    ImageDraw.Draw(page).text((20, 40), "Sample seven", font=ImageFont.load_default(36), fill=0)
    page.save(folder / "a.png")
    row = only(folder, text=True)
    assert "Sample seven" in row["text"]
    assert "no bar" in row["scale_bar"]["absent"]


def test_without_the_program_it_says_so(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    scene().save(folder / "a.png")
    assert only(folder, text=True)["ocr"].startswith("OCR not installed")


def test_a_model_that_sees_is_given_pixels_alone(folder):
    exif = Image.Exif()
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    scene(size=(2000, 1000)).save(folder / "a.jpg", exif=exif)
    seen = []

    def describe(png):
        seen.append(Image.open(BytesIO(png)))
        return "a soft pattern"

    assert only(folder, describe=describe)["description"] == "a soft pattern"
    assert seen[0].size == (1024, 512)
    assert not seen[0].getexif()


def test_pictures_are_asked_for_by_name(folder):
    (folder / "in").mkdir()
    scene().save(folder / "in/a.png")
    scene().save(folder / "b.png")
    assert [r["path"] for r in look(folder, "in/a.png")["images"]] == ["in/a.png"]
    wrong = look(folder, "in/aa.png")["refused"][0]["reason"]
    assert "did you mean 'in/a.png'?" in wrong


def test_a_file_that_was_chosen_by_itself_is_looked_at_alone(folder):
    scene().save(folder / "a.png")
    scene().save(folder / "b.png")
    found = image_tool([folder / "b.png"]).run(AnalyzeImage(text=False))
    assert [row["path"] for row in found["images"]] == ["b.png"]


def test_beside_a_file_that_was_chosen_no_folder_is_gone_through(folder):
    (folder / "more").mkdir()
    for name in ("a.png", "more/b.png", "more/c.png"):
        (folder / name).write_bytes(b"")
    seen = []
    found = pictures.find_pictures([folder / "a.png"], {}, lambda: not seen.append(1))
    assert [*found.by_path] == ["a.png"]
    assert len(seen) == 2  # a.png and more


def test_no_picture_is_a_reason(folder):
    with pytest.raises(TaskError, match="no picture among the documents"):
        look(folder)


@pytest.mark.anyio
async def test_a_field_with_a_secret_is_taken_out_by_the_toolbox(folder):
    exif = Image.Exif()
    exif[0x0131] = "ghp_" + "a1B2" * 9
    scene().save(folder / "a.jpg", exif=exif)
    box = Toolbox([image_tool([folder])], record=lambda _: None, keep=digest, clock=SystemClock())
    asked = ToolRequest(name="analyze_image", args={"text": False})
    found = await box.call(asked, task_id="T1", role="r", planned=None)
    assert found.output["images"][0]["exif"] == {"Software": "[redacted]"}


# --- hostile pictures


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, *more, data=b""):
    """A PNG that declares a size and holds what it likes."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IDAT", data or zlib.compress(b"\0" * 1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + body + chunk(b"IEND", b"")
    )


def saved(image, kind, **how):
    file = BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


def many_frames():
    frames = [Image.new("L", (4, 4), n % 255) for n in range(child.MAX_FRAMES + 1)]
    return saved(frames[0], "GIF", save_all=True, append_images=frames[1:])


JPEG = saved(scene(), "JPEG")
HOSTILE = {
    "declares 169 million pixels": (png(13_000, 13_000), "pixels; up to 40,000,000"),
    "declares 324 million pixels": (png(18_000, 18_000), "pixels"),
    "declares more than there can be": (png(2**31 - 1, 2**31 - 1), "pixels"),
    "no width": (png(0, 10), "damaged"),
    "cut off in its data": (JPEG[: len(JPEG) // 2], "damaged"),
    "cut off in its head": (JPEG[:3], "damaged"),
    "nothing": (b"", "damaged"),
    "text": (b"This is no picture.", "no PNG, JPEG"),
    "a page of HTML": (b"<html><script>alert(1)</script>", "no PNG, JPEG"),
    "SVG": (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "is SVG"),
    "SVG with a bomb of entities": (b'<!DOCTYPE s [<!ENTITY a "a">]><svg>&a;</svg>', "is SVG"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no PNG, JPEG"),
    "PDF": (b"%PDF-1.7\n", "no PNG, JPEG"),
    "BMP": (saved(scene(), "BMP"), "no PNG, JPEG"),
    "an icon": (saved(scene(), "ICO", sizes=[(16, 16)]), "no PNG, JPEG"),
    "a bomb in a text chunk": (
        png(10, 10, chunk(b"zTXt", b"k\0\0" + zlib.compress(b"\0" * 100_000_000, 9))), "damaged",
    ),
    "a bomb in its colour profile": (
        png(10, 10, chunk(b"iCCP", b"k\0\0" + zlib.compress(b"\0" * 100_000_000, 9))), "damaged",
    ),
    "data that unpack to more than declared": (
        png(10_000, 10, data=zlib.compress(b"\0" * 50_000_000, 9)), "",
    ),
    "no data": (png(10, 10, data=b"junk"), "damaged"),
    "a chunk with a wrong sum": (png(10, 10)[:-6] + b"xxxxxx", ""),
    "more frames than are looked at": (many_frames(), "has 501 frames"),
    "a TIFF that points at itself": (b"II*\0\x08\0\0\0\0\0\x08\0\0\0", "damaged"),
    "a TIFF of nothing": (b"II*\0\xff\xff\xff\x7f", "damaged"),
    "a WebP that lies about its length": (b"RIFF\xff\xff\xff\x7fWEBPVP8 \xff\xff\xff\x7f", "damaged"),
    "a JPEG with a broken record": (
        JPEG[:2] + b"\xff\xe1\x00\x20Exif\0\0II*\0\xff\xff\xff\xff" + b"\0" * 16 + JPEG[2:], "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_picture_is_one_sentence_or_plain_facts(what):
    data, why = HOSTILE[what]
    asked = json.dumps({"exif": ["Make"], "print": True, "sight": True}).encode()
    found = json.loads(child.main(asked + b"\n" + data))
    if why:
        assert why in found["refused"]
        assert "\n" not in found["refused"]


@pytest.mark.parametrize("what", ["declares 169 million pixels", "a bomb in a text chunk", "SVG"])
def test_a_hostile_picture_ends_as_a_refusal_of_the_tool(folder, what):
    data, why = HOSTILE[what]
    (folder / "a.png").write_bytes(data)
    scene().save(folder / "b.png")
    found = look(folder)
    assert [row["path"] for row in found["images"]] == ["b.png"]
    assert why in found["refused"][0]["reason"]


def test_a_picture_that_breaks_the_limits_costs_itself_alone(folder, monkeypatch):
    limits = Limits(seconds=1, memory=400_000_000, wall=20)
    monkeypatch.setattr("dr_rd.tools.analyze_image.tool.LIMITS", limits)
    Image.new("L", (8000, 5000)).save(folder / "a.png")
    scene().save(folder / "b.png")
    found = look(folder)
    assert [row["path"] for row in found["images"]] == ["b.png"]
    assert "to look at" in found["refused"][0]["reason"]


def test_a_folder_of_traps_is_walked_past(folder, tmp_path, monkeypatch):
    scene().save(tmp_path / "outside.png")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "in").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.png")
    os.link(tmp_path / "outside.png", folder / "twin.png")
    (folder / "drawing.svg").write_text("<svg/>")
    (folder / ".hidden.png").write_bytes(b"")
    (folder / ".ssh").mkdir()
    scene().save(folder / ".ssh/a.png")
    monkeypatch.setattr(pictures, "MAX_BYTES", 100)
    scene().save(folder / "large.png")
    found = look(folder)
    assert found["images"] == []
    assert {row["path"]: row["reason"].partition(",")[0] for row in found["refused"]} == {
        "drawing.svg": "is SVG",
        "large.png": found["refused"][-1]["reason"].partition(",")[0],
        "link.png": "is a link",
        "pipe.png": "is a pipe",
        "twin.png": "has a second name",
    }
    for path in ("../outside.png", "in/outside.png", "/etc/passwd", ".ssh/a.png", "link.png"):
        assert "no picture" in look(folder, path)["refused"][0]["reason"]


def test_the_time_of_a_call_is_bounded(folder):
    class Racing(FakeClock):
        def monotonic(self):
            self.slept.append(SECONDS / 7)
            return super().monotonic()

    for number in range(4):
        scene().save(folder / f"{number}.png")
    found = look(folder, clock=Racing())
    assert found["refused"][-1]["reason"] == "is left out: the time is up"
    assert len(found["images"]) < 4


def test_more_pictures_than_a_call_takes_are_counted(folder, monkeypatch):
    monkeypatch.setattr("dr_rd.tools.analyze_image.tool.MOST", 2)
    for number in range(3):
        scene().save(folder / f"{number}.png")
    found = look(folder)
    assert (len(found["images"]), found["more"]) == (2, 1)
