"""Prose as code can compare it: stems, meanings, sentences, and what a sentence affirms."""

from dr_rd.prose.cues import Cue
from dr_rd.prose.lexicon import Lexicon, Word, cued, lexicon
from dr_rd.prose.replies import answered, recalled
from dr_rd.prose.sentences import Sentence, plans, sentences
from dr_rd.prose.stances import Stance
from dr_rd.prose.stems import plural, root, stem, stemmed, stems_of

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
