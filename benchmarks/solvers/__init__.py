"""Ours and the peers, each a function from a problem to an answer."""
