"""The work of one run: state, scheduler, gate, nodes, and the graph that joins them."""
