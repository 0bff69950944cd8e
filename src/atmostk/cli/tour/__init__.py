"""The tour of `atmostk demo`: one file for each stop, which gives runs to report and a headline."""
