"""A language server and checker for the memory that coding agents keep in markdown files."""

__version__ = "0.1.0"
