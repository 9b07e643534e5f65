"""How well design families are told from a brief, and the training of what tells them.

`python -m bench.families.train` writes the weights, `python -m bench.families.score` the figures.
"""
