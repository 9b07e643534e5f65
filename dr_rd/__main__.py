"""`dr-rd` and `python -m dr_rd`: the command line, once `core` is known to be our own."""

import gc
import sys

from dr_rd.commands.codes import MISTAKE
from dr_rd.installed import damaged_core, foreign_core

_THRESHOLDS = 200_000, 20, 50
"""Objects and rounds between garbage collections: what imports and data files make stays to the
end, and looking through it again and again was a tenth of a run."""


def main() -> int:
    """Run the command line and return its exit code."""
    gc.set_threshold(*_THRESHOLDS)
    if foreign := foreign_core():
        return _complain(foreign)
    try:
        from dr_rd.cli import main as run  # noqa: PLC0415 - it imports core

        code = run()
        gc.freeze()  # the last collection would take a second, and whoever stops a run waits for it
        return code
    except ImportError as error:
        if damaged := damaged_core(error):
            return _complain(damaged)
        raise


def _complain(sentence: str) -> int:
    sys.stderr.write(f"dr-rd: {sentence}\n")
    return MISTAKE


if __name__ == "__main__":
    sys.exit(main())
