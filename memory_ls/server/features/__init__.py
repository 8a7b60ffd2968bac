"""A module for each family of methods: pure functions from a place in a snapshot to an answer."""
