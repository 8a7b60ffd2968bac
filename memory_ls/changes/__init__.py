"""From a snapshot and what somebody wants to a plan of what would change. Pure: no file is read or written here."""
