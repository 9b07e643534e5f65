"""Every way into the program: what is done before the graph library, and nothing by an import."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.settings import environment
from tests.conftest import ROOT, SAMPLES

WATCH = """if True:
    import os, runpy, sys

    class Watch:
        def find_spec(self, name, path=None, target=None):
            if name == "langgraph":
                strict = os.environ.get("LANGGRAPH_STRICT_MSGPACK") == "true"
                quiet = os.environ.get("LANGSMITH_TRACING") == "false"
                print("prepared" if strict and quiet else "open", file=sys.stderr, flush=True)
                os._exit(0)  # what comes after the graph library is another matter

    sys.meta_path.insert(0, Watch())
"""
SERVED = """
    import asyncio
    from pathlib import Path
    async def served(lifespan):
        async with lifespan(None):
            import core.graph.build
"""
WAYS = {
    "python -m dr_rd": """
    sys.argv = ["dr-rd", "run", sys.argv[1]]
    runpy.run_module("dr_rd", run_name="__main__", alter_sys=True)
""",
    "dr-rd": """
    sys.argv = ["dr-rd", "run", sys.argv[1]]
    from importlib.metadata import entry_points
    (script,) = entry_points(group="console_scripts", name="dr-rd")
    sys.exit(script.load()())
""",
    "app.py": f"""
    from streamlit import config
    config.set_option("server.address", "localhost")  # as its settings do where they are found
    runpy.run_path("{ROOT / "app.py"}")
{SERVED}
    from dr_rd.ui.asgi import lifespan, read_access
    asyncio.run(served(lifespan(Path("audits"), read_access("localhost", None, {{}}))))
""",
    "python -m dr_rd.ui": f"""
    import dr_rd.ui.__main__ as served_by
{SERVED}
    access = served_by.read_access("localhost", None, {{}})
    asyncio.run(served(served_by.lifespan(Path("audits"), access, "")))
""",
    "a worker": """
    import core.workers
    core.workers.dask_setup(None)
    import core.graph.build
""",
}


@pytest.mark.parametrize("way", WAYS)
def test_every_entry_point_prepares_the_process(way: str, tmp_path: Path) -> None:
    plain = {k: v for k, v in environment().items() if not k.startswith("LANG")}
    command = [sys.executable, "-c", WATCH + WAYS[way], str(SAMPLES[0])]
    done = subprocess.run(
        command, cwd=tmp_path, env=plain | {"PYTHONPATH": str(ROOT)}, capture_output=True
    )
    said = done.stderr.decode()
    assert said.splitlines()[-1:] == ["prepared"], said


READS = f"""
import os, pkgutil, sys
from importlib import import_module
data = "{ROOT / "dr_rd" / "data"}" + os.sep
def watch(event, args):
    if event == "open" and isinstance(args[0], str) and os.path.abspath(args[0]).startswith(data):
        print(module, "reads", args[0][len(data):])
sys.addaudithook(watch)
for package in ("core", "dr_rd"):
    module = package
    for found in pkgutil.walk_packages(import_module(package).__path__, f"{{package}}."):
        module = found.name
        if module != "dr_rd.__main__":  # which is the command line itself
            import_module(module)
from dr_rd.files import read_yaml
module = "the last line"
read_yaml("language", "stems.yaml")
"""


def test_importing_any_module_reads_no_data(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READS],
        cwd=tmp_path, env=environment() | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["the last line reads language/stems.yaml"]
