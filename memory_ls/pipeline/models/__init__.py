"""Language models that answer a prompt: Anthropic's API, and any program that reads one and writes an answer."""
