"""Tests of memory_ls/directory."""

import pytest

pytest.register_assert_rewrite("tests.making")
