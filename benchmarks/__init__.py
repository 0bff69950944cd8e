"""Measurements that a stranger can repeat: `./run bench NAME` runs the module of that name."""
