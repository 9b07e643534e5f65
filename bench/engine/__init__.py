"""The engine beside others: the same calls over real HTTP, in one run on one machine."""
