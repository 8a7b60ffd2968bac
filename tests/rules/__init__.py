"""Tests of memory_ls/rules."""
