"""From a brief to a plan: frame it, pick a method, write the tasks, scale the estimates."""
