"""Problems whose answer is known, made from a seed, and real data."""
