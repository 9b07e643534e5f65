"""What a reader gets: the proposal and its exports."""
