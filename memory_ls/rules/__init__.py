"""The checks: what each looks for, and what they find in a memory directory."""
