"""What holds for all tests."""

from __future__ import annotations

import pytest

# Its assertions are told in full, as those in the tests themselves.
pytest.register_assert_rewrite("tests.making")
