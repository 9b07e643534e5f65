"""What is known: the analyst's documents as passages, search over them, and support for claims.

::

    corpus.py     the values: Document, Passage, Refused, Corpus
    files.py      which files of a folder are read, and reading them safely
    child.py      parsing in a child process with limits
    formats/      one parser a format: bytes to blocks of text
    currency.py   which document is live, and why
    chunks.py     blocks to passages
    ingest.py     all of it: folders to a corpus
    words.py      text to words, stems and sentences
    editions.py   what stands in the stead of passages that no longer hold
    answers.py    which passages speak of what is asked
    index.py      search: answers first, then what is nearest in words and meaning
    agreement.py  the same quantity stated twice
    wording.py    words that turn, deny, weaken or link a statement
    support/      does this passage support that claim?
"""
