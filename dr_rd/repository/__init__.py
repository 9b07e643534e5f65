"""A folder of source text that the analyst chose: what it holds, and how it came about."""
