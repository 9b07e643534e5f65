"""Whether a text keeps to a ledger: a verdict on each item, with the words that decide it.

A text breaks an item only where it affirms what the item rules out: what is denied, doubted,
told of others, or named under a heading such as "Out of scope" is not a violation.
"""

from dr_rd.adherence.reading import Verdict
from dr_rd.adherence.verdicts import PROMISED, LedgerVerdict, broken, check, to_json

__all__ = ["PROMISED", "LedgerVerdict", "Verdict", "broken", "check", "to_json"]
