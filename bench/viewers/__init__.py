"""What the page takes while many look at one run, and while one person edits a plan."""
