"""Programs to read and to run: each is a use of the package from beginning to end."""
