"""From text to meaning. Pure: nothing here opens a file, reads a clock or knows of the protocol."""
