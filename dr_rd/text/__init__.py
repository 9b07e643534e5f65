"""The reader of text: blocks and sentences, what words mean, what is affirmed, and the facts stated."""

from dr_rd.text.context import answered
from dr_rd.text.cues import Cue
from dr_rd.text.facts import Fact, Page, read, reported
from dr_rd.text.lexicon import Lexicon, Word, cued, lexicon
from dr_rd.text.nouns import plural_of, singular_of
from dr_rd.text.polarity import Stance
from dr_rd.text.sentences import Sentence, plans, sentences
from dr_rd.text.stems import plural, root, stem, stemmed, stems_of

__all__ = [
    "Cue",
    "Fact",
    "Lexicon",
    "Page",
    "Sentence",
    "Stance",
    "Word",
    "answered",
    "cued",
    "lexicon",
    "plans",
    "plural",
    "plural_of",
    "read",
    "reported",
    "root",
    "sentences",
    "singular_of",
    "stem",
    "stemmed",
    "stems_of",
]
