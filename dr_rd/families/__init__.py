"""Which kind of design a text asks for, by trained weights, and whether that is sure enough.

::

    values.py      a family, and how a text stands to all of them
    ranker.py      ranks them and says whether to ask
    conditions.py  conditions of a text that rule families out, or say which the design is one of
    model.py       logistic regressions, by weights that are data
    features.py    a text as weighted n-grams
"""

from dr_rd.families.model import Model, load_model
from dr_rd.families.ranker import Ranker, load_families, load_ranker
from dr_rd.families.values import GENERIC, NO_RESEARCH, Fact, Family, Ranked, Reading

__all__ = [
    "GENERIC",
    "NO_RESEARCH",
    "Fact",
    "Family",
    "Model",
    "Ranked",
    "Ranker",
    "Reading",
    "load_families",
    "load_model",
    "load_ranker",
]
