"""Dou Dizhu: an auction, then a landlord against two farmers, with hidden hands.

::

    cards.py         the 54 cards and how they are counted
    combinations.py  what may be played together, and which reading beats which
    generator.py     every play that a hand holds
    position.py      a game at one moment, and the deal
    grammar.py       how a decision is written
    views.py         what one player may see, and the prompt
    player.py        the built-in player, which sees its own view
    rules.py         the rules, as the referee asks for them
"""

from dr_rd.referee.doudizhu.rules import DouDizhu

RULES = DouDizhu()
