"""What is worked on: briefs, methods, roles, evidence, evaluation, reports and screens."""
