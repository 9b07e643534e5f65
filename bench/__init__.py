"""Timings and measures, outside the tests."""
