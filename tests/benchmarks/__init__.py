"""Benchmarks: `run.py` measures, and the tests see that it can."""
