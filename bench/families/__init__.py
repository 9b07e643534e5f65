"""How often the method that is chosen is of the right design family."""
