"""What processes use and what the machine is, read from /proc."""

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "langgraph langgraph-checkpoint-sqlite langchain-openai openai aiohttp httpx2 pydantic "
    "autogen-agentchat autogen-ext distributed pydantic-graph"
).split()
_TICK = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """User and system time of a process and of all it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / _TICK


def peak_mb(pid: int) -> float:
    """The most memory that a process has held."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    except FileNotFoundError:
        return 0.0
    return next((int(x.split()[1]) / 1024 for x in lines if x.startswith("VmHWM")), 0.0)


def family(pid: int) -> list[int]:
    """A process and all that it has started."""
    found = [pid]
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in thread.read_text("ascii").split():
            found += family(int(child))
    return found


def folder_bytes(folder: Path) -> int:
    """The size of every file below *folder*."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def describe() -> str:
    """Name the machine in a line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    return (
        f"{os.cpu_count()} cores ({cpu}), {memory:.0f} GB, Linux {platform.release()}, "
        f"Python {platform.python_version()}"
    )


def versions() -> dict[str, str]:
    """The installed version of each package that matters; "absent" where there is none."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


if __name__ == "__main__":
    print(json.dumps(versions()))
