"""Prose as code can compare it: stems, meanings, sentences, and what a sentence affirms."""

from dr_rd.text.context import answered, recalled
from dr_rd.text.cues import Cue
from dr_rd.text.lexicon import Lexicon, Word, cued, lexicon
from dr_rd.text.polarity import Stance
from dr_rd.text.sentences import Sentence, plans, sentences
from dr_rd.text.stems import plural, root, stem, stemmed, stems_of

__all__ = [
    "Cue",
    "Lexicon",
    "Sentence",
    "Stance",
    "Word",
    "answered",
    "cued",
    "lexicon",
    "plans",
    "plural",
    "recalled",
    "root",
    "sentences",
    "stem",
    "stemmed",
    "stems_of",
]
