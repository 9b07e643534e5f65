"""Networks of tasks in, dates and distributions out."""
