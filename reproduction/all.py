"""Every figure of the paper, one after the other: the theorem, the attack, the graphs."""

from __future__ import annotations

import argparse

from reproduction import attack, graph, theory


def main() -> None:
    """Each with its own settings; `--quick` makes all of them small."""
    parser = argparse.ArgumentParser(prog="./run reproduce all", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few minutes for each in place of hours")
    quick = ["--quick"] if parser.parse_args().quick else []
    parts = {"theory": theory.main, "attack": attack.main, "graph": graph.main}
    for name, part in parts.items():
        print(f"\n## {name}\n")
        part(quick)


if __name__ == "__main__":
    main()
