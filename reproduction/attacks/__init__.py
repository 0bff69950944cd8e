"""The paper's first experiment, in parts: the network and its images, the forms of the attack, the figures."""
