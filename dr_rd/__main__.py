"""`python -m dr_rd` is the command line."""

import sys

from dr_rd.cli import main

sys.exit(main())
