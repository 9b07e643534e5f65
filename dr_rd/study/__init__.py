"""The typed facts of the question a study answers, which every later step reads."""

from dr_rd.study.statistics import Layout, Needed, Statistics, Unused

__all__ = ["Layout", "Needed", "Statistics", "Unused"]
