"""What the tests share: how Hypothesis runs, and where the data is."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A shell that starts the tests in the background has Ctrl-C ignored in them and in all they start; some tests press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Shared machines are noisy: no deadlines, and the same examples in every run.
settings.register_profile("atmostk", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("atmostk")


@pytest.fixture
def data() -> Path:
    """The folder with the data sets that are too large to ship."""
    folder = os.environ.get("ATMOSTK_DATA")
    if not folder:
        pytest.skip("ATMOSTK_DATA is not set: it names the folder with the data sets")
    return Path(folder)
