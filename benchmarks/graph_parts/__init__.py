"""The parts of `./run bench graphs`: each runs in a process of its own and prints one line of JSON."""
