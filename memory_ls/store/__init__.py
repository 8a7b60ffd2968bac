"""The only code that writes memory files, and what is remembered of it: the journal and the pending plans."""
