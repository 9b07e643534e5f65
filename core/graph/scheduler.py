"""The names under which other programs know the scheduler; see `core.scheduler`."""

from core.scheduler import ExponentialBackoff, ParallelLimiter

__all__ = ["ExponentialBackoff", "ParallelLimiter"]
