"""Who works a task: one agent class each; the role is data."""
