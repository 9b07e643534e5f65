"""A brief or any document that holds one, read as a Study.

::

    document.py     the text as it is read: structured data as Markdown, figures as in English
    segments.py     labelled lines, items, cells and sentences; clauses.py cuts them further
    amounts.py      the amounts, with what tells what each is for
    tagger.py       says what amounts, clauses and sentences are for, by trained weights
    objective.py, terms.py, limits.py, figures.py, people.py, statistics.py   one part of a Study each
    spans.py        the times that nobody can hurry, and the pace of the work
    unit.py         what is sampled, run or read
    effects.py      the effects that are worth finding; estimator.py the design whose size they ask for
    reader.py       all of them
    files.py        the text of a file, of any usual form
    briefs.py       the brief that is planned from a Study
    words.py        the words of a brief, read once for its plan
"""

from dr_rd.reading.briefs import (
    Understood,
    full_reader,
    parse_brief,
    read_brief,
    understood,
)
from dr_rd.reading.files import Given, given_text
from dr_rd.reading.reader import Reader
from dr_rd.reading.tagger import load_taggers
from dr_rd.reading.words import BriefWords, words_of

__all__ = [
    "BriefWords",
    "Given",
    "Reader",
    "Understood",
    "full_reader",
    "given_text",
    "load_taggers",
    "parse_brief",
    "read_brief",
    "understood",
    "words_of",
]
