"""Tests of memory_ls/rules."""

import pytest

pytest.register_assert_rewrite("tests.making")
