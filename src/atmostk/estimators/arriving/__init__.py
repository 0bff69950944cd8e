"""Data that arrives batch by batch: a model with at most K nonzeros at every moment, and nothing kept of old rows."""
