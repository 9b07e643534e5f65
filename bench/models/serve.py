"""`python -m bench.models.serve MODEL NAME PORT THREADS` serves a model until its input ends.

Run by the Python of .venv-model. The first line of its input is the key that it asks of callers;
it ends with whoever holds the other end of its input, however that one ends.
"""

import sys

from xllamacpp import CommonParams, Server

CONTEXT = 16_384
"""Tokens of prompt and reply together."""


def main(model: str, name: str, port: int, threads: int) -> None:
    """Serve on loopback, one request at a time: two would each have half of the window."""
    params = CommonParams()
    params.model.path, params.model_alias = model, {name}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.api_keys = [sys.stdin.buffer.readline().decode().strip()]
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = Server(params)  # comes back once the model is loaded
    sys.stdin.buffer.read()
    del server


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
