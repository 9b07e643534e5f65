"""Parameter models: inputs as distributions, formulas with units, what drives the outcome."""
