"""When work runs: order, waiting, retrying, recording and failing; no word of research."""
