"""What mends the findings: for each rule that has a fix a function from the finding to the edits, in a module per family."""
