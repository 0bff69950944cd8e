"""The parts of `./run bench scale`: the data, one target a process, what was measured."""
