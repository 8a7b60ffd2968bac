"""What agents get from memory: the text for their prompts."""
