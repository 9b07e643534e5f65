"""How much plans of one family have in common whatever their topic, and what is foreign in them."""
