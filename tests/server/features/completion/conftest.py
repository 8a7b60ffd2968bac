"""The directory in which most tests complete something."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.features.completion.asking import quay


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return quay(tmp_path)
