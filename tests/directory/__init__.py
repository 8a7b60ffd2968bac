"""Tests of memory_ls/directory."""
