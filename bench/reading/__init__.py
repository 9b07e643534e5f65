"""What is read of labelled briefs: training of the weights, and scores."""
