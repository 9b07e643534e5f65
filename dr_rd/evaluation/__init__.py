"""Scores: what is measured on a text, by rules that code can check."""
