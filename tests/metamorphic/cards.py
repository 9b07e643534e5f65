"""Print the scorecards of the plans named, as one JSON line each: run in other surroundings."""

import sys

from tests.metamorphic.plans import plans

if __name__ == "__main__":
    for name in sys.argv[1:]:
        plan = plans()[name]
        sys.stdout.buffer.write(plan.fresh(plan.text).model_dump_json().encode() + b"\n")
