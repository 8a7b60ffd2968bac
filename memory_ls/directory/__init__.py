"""From many documents to one value: the memory directory, immutable, and the questions one asks of it."""
