"""Tests of memory_ls/changes."""
