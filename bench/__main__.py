"""`python -m bench` runs every benchmark and writes what it measured.

To bench/results, and to bench/RESULTS.md for the engine beside others.
"""

from bench import main_job, schedule_bench, search_bench
from bench.engine import __main__ as engine

if __name__ == "__main__":
    main_job.main()
    search_bench.main()
    engine.main()
    schedule_bench.main([])  # last: it keeps the process on one core
