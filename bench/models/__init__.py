"""Runs with a small real model on this machine, which show what the checks make of its answers."""
