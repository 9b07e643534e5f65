"""`python -m bench` runs every benchmark and writes what it measured to bench/results."""

from bench import main_job, search_bench

if __name__ == "__main__":
    main_job.main()
    search_bench.main()
