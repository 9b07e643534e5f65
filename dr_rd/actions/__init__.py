"""What a plan does, as its steps declare it, and what limits name of that.

::

    vocabulary.py  the actions, as data
    grammar.py     clauses and noun phrases of a limit
    reader.py      which actions a limit names
"""

from dr_rd.actions.reader import Named, Reader
from dr_rd.actions.vocabulary import Action, Vocabulary, load_vocabulary

__all__ = ["Action", "Named", "Reader", "Vocabulary", "load_vocabulary"]
