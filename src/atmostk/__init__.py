"""Learning models with at most K nonzeros."""
