"""What the tests share: how Hypothesis runs, and where the data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
