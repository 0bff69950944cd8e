"""The paper's second experiment, in parts: the data, the three forms of the algorithm, the figures."""
