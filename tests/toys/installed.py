"""Installs a toy package the way pip would, in a folder of its own, outside the project."""

import shutil
from pathlib import Path

TOYS = Path(__file__).parent


def installed(name: str, group: str, target: str, into: Path) -> Path:
    """Copy the toy of that *name* into a folder and declare *target* under *group*.

    Returns the folder, which is to be put on Python's path.
    """
    place = into / "site"
    shutil.copytree(TOYS / name, place / name)
    info = place / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\ntoy = {target}\n")
    return place
