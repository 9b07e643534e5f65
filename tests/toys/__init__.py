"""Packages as other people write them: each adds one thing and changes no file of the project."""
