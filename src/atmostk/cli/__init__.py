"""Front-end for the shell: `atmostk fit | predict | certify | graph | attack | report | demo`, one file per command.

What a command needs is imported when it runs, so that `atmostk --help` answers at once.
"""
