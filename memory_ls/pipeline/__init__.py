"""From a chat log to reviewed memory: window, redact, extract, consolidate."""
