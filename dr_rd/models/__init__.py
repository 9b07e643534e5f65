"""Servers that answer as a model: how they are reached, and nothing of what they are asked."""
