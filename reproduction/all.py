"""Every figure of the paper, one after the other: the theorem, the graphs, the attack."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from reproduction import graph, theory


def main() -> None:
    """Each with its own settings; `--quick` makes all of them small."""
    parser = argparse.ArgumentParser(prog="./run reproduce all", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few minutes for each in place of hours")
    quick = ["--quick"] if parser.parse_args().quick else []
    parts = {"theory": theory.main, "graph": graph.main}
    if find_spec("torch") is None:
        print("attack: left out, because PyTorch is not installed.", file=sys.stderr)
    else:
        from reproduction import attack

        parts["attack"] = attack.main
    for name, part in parts.items():
        print(f"\n## {name}\n")
        part(quick)


if __name__ == "__main__":
    main()
