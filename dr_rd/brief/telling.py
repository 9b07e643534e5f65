"""Whether an objective says enough for a plan to be made from it."""

import re

from core.errors import CallerError, clipped
from dr_rd.brief.values import Brief
from dr_rd.text import lexicon, stem

_WORD = re.compile(r"[^\W\d_]{2,}")

_SHOWN = 60
"""Characters of an objective that are shown of it."""


def check_objective(brief: Brief) -> None:
    """Refuse an objective that names nothing; one with tasks of its own need not be planned.

    Raises CallerError.
    """
    stems = map(stem, _WORD.findall(brief.objective))
    if not brief.tasks and all(s in lexicon().stopwords for s in stems):
        raise CallerError(
            f"the objective is {clipped(brief.objective, _SHOWN)!r}, which names nothing to plan "
            "for; say in a sentence what is to be found out or made, and of what, such as “Test "
            "whether a winter cover crop raises soil carbon”"
        )
