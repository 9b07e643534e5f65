"""`python -m bench` runs every benchmark and prints what it measured.

The main job, and the search where embeddings are installed, are also written to bench/results, and
the engine beside others to bench/RESULTS.md; the rest is written by each with `--write`.
"""

from bench import main_job, metrics_bench, schedule_bench, search_bench
from bench.engine import __main__ as engine

if __name__ == "__main__":
    main_job.main()
    search_bench.main()
    engine.main()
    metrics_bench.main()
    schedule_bench.main([])  # last: it keeps the process on one core
