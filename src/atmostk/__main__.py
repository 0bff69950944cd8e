"""`python -m atmostk`: the same as the program `atmostk`."""

from atmostk.cli.app import main

if __name__ == "__main__":
    main()
