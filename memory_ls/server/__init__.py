"""The language server: a thin face over the rest, and the only place that knows of LSP."""
