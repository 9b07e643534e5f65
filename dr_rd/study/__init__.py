"""The typed facts of the question a study answers, which every later step reads."""

from dr_rd.study.statistics import Needed, Statistics, Unused

__all__ = ["Needed", "Statistics", "Unused"]
